// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests clients that disconnect before their messages have been sent.
@Suite(.onTestThreads) struct LeavingChatTests {
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"

    /// Both messages are sent although no client waits for their answers.
    @Test func `messages are sent even if their socket closes while the project starts`() throws {
        let fixture = try SimulatorFixture(environment: ["SIMULATOR_PROFILE": "1.18.33"])
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.receive()
        for text in ["talk", "talk again"] {
            try chat.send("user_message", ["conversationId": Self.id, "content": text])
        }
        chat.close()
        let events = try StreamClient(fixture.gateway, "/events?since=2000-01-01T00:00:00Z")
        defer { events.close() }
        while let event = try events.nextEvent(within: SimulatorFixture.patience) {
            if event.content["properties"]?["part"]?["text"]?.text == "talk again" { break }
        }
        let page = try fixture.gateway.request(
            "GET", "/conversations/\(Self.id)/messages", within: SimulatorFixture.patience)
        let users = (page.json["items"]?.elements ?? []).filter { $0["role"]?.text == "user" }

        #expect(users.compactMap { $0["text"]?.text } == ["talk", "talk again"], "\(page.text)")
    }
}
