// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests messages to a conversation while the gateway shuts down.
@Suite(.onTestThreads) struct ConversationShutdownTests {
    /// The answer's stream would be aborted immediately, but by then the message would already be on its way to the
    /// instance.
    @Test func `a message during shutdown is rejected with 503 and advice to check the conversation`() throws {
        let fixture = try SimulatorFixture(environment: ["SIMULATOR_PROFILE": "1.18.33"])
        let body = Array(#"{"model_id":"simulator/talk","first_message":"hi there"}"#.utf8)
        let created = try fixture.gateway.request(
            "POST", "/conversations", headers: [("Content-Type", "application/json")], body: body,
            within: SimulatorFixture.patience)
        let answer = try JSONSerialization.jsonObject(with: Data(created.body)) as? [String: Any]
        let id = try #require((answer?["conversation"] as? [String: Any])?["id"] as? String, "\(created.text)")
        let message = #"{"role":"user","text":"talk"}"#
        let client = try fixture.gateway.startRequest(
            "POST", "/conversations/\(id)/messages",
            fields: "Content-Type: application/json\r\nContent-Length: \(message.utf8.count)\r\n")
        try fixture.gateway.stopListening()
        try client.write("\r\n\(message)")
        let refusal = try ResponseReader(client, method: "POST").readAll(within: SimulatorFixture.patience)

        #expect(refusal.status == 503, "\(refusal.text)")
        #expect(refusal.text.contains("Check the conversation before you send the request again."), "\(refusal.text)")
    }
}
