// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the entries of the audit log about chats and conversations.
@Suite(.onTestThreads) struct AuditConversationTests {
    private static let marker = "secret-text-0123456789"
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `a chat's start, prompts and aborts are recorded`(version: String) throws {
        let fixture = try SimulatorFixture(environment: ["SIMULATOR_PROFILE": version])
        let key = try fixture.gateway.createKey("phone")
        let chat = try ChatDialogue(fixture.gateway.port, headers: [key.authorization])
        try chat.receive()
        try chat.send("user_message", ["conversationId": Self.id, "content": "\(Self.marker)"])
        _ = try chat.receive(upTo: "assistant_done")
        try chat.send(
            "user_message", ["conversationId": Self.id, "content": "[pieces=500 interval=50ms] \(Self.marker)"])
        _ = try chat.receive(upTo: "assistant_chunk")
        try chat.send("cancel_generation", ["conversationId": Self.id])
        let lines = try fixture.gateway.audit("key=phone&project=demo", count: 4)

        #expect(
            lines.map(\.summary) == [
                "phone 127.0.0.1 demo start - 200", "phone 127.0.0.1 demo prompt - 204",
                "phone 127.0.0.1 demo prompt - 204", "phone 127.0.0.1 demo abort - 200",
            ])
        #expect(!String(decoding: fixture.gateway.auditFiles(), as: UTF8.self).contains(Self.marker))
    }

    @Test func `a message to a conversation is one prompt`() throws {
        let fixture = try SimulatorFixture()
        let key = try fixture.gateway.createKey("phone")
        let created = try fixture.gateway.json("POST", "/conversations", "{}", key: key)
        let id = try #require(created.json["conversation"]?["id"]?.text, "\(created.text)")
        let answer = try fixture.gateway.json(
            "POST", "/conversations/\(id)/messages", #"{"text":"\#(Self.marker)"}"#, key: key)
        let lines = try fixture.gateway.audit("key=phone&project=demo", count: 2)

        #expect(answer.status == 200)
        #expect(
            lines.map(\.summary) == ["phone 127.0.0.1 demo start - 200", "phone 127.0.0.1 demo prompt - 204"])
        #expect(!String(decoding: fixture.gateway.auditFiles(), as: UTF8.self).contains(Self.marker))
    }
}
