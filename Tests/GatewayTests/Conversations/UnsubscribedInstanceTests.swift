// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests an instance that has just started and whose events the gateway does not receive yet. The gateway must not miss
/// any event of an answer.
@Suite(.onTestThreads) struct UnsubscribedInstanceTests {
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"

    /// Returns the number of sessions of the instance.
    private func sessionCount(_ fixture: SimulatorFixture, _ version: String) throws -> Int {
        let answer = try fixture.request(version.hasPrefix("2") ? "/api/session" : "/session")
        let json = try JSONSerialization.jsonObject(with: Data(answer.body))
        return try #require(json as? [Any] ?? (json as? [String: Any])?["data"] as? [Any]).count
    }

    @Test(arguments: [("1.2.27", "/global/event"), ("1.18.33", "/global/event"), ("2.0.15", "/api/event")])
    func `a prompt waits until the gateway receives the instance's events`(version: String, stream: String) throws {
        let fixture = try SimulatorFixture("close-before-head=\(stream)", environment: ["SIMULATOR_PROFILE": version])
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.receive()
        try chat.send("user_message", ["conversationId": Self.id, "content": "think about it"])
        // The message starts the instance. While the gateway cannot subscribe to its events, it sends no request that
        // causes any.
        try fixture.waitForLog("is ready")

        #expect(throws: TestKitError.self) { try chat.receive(within: .milliseconds(400)) }
        #expect(try sessionCount(fixture, version) == 0)

        try fixture.misbehave("")
        let received = try chat.receive(upTo: "assistant_done")

        #expect(received.types == ["thinking_chunk", "thinking_done", "assistant_chunk", "assistant_done"])
    }
}
