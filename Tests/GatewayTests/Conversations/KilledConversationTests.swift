// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

/// Tests a gateway that is killed directly after it has responded to a request.
@Suite(.onTestThreads) struct KilledConversationTests {
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"

    private let tools: TemporaryDirectory
    private let opencode: String

    init() throws {
        tools = try TemporaryDirectory()
        opencode = try ListedSimulator(in: tools).opencode
    }

    private func gateway() throws -> GatewayUnderTest {
        let gateway = try GatewayUnderTest(opencode: opencode)
        try gateway.makeProject("demo")
        return gateway
    }

    /// Kills the gateway and starts the next one on the same folders.
    private func next(after gateway: GatewayUnderTest) throws -> GatewayUnderTest {
        gateway.process.terminate(SIGKILL)
        try gateway.process.waitForExit()
        return try GatewayUnderTest(opencode: opencode, after: gateway)
    }

    private func request(
        _ gateway: GatewayUnderTest, _ method: String, _ target: String, _ body: String? = nil
    ) throws -> [String: Any] {
        let headers = body == nil ? [] : [("Content-Type", "application/json")]
        let answer = try gateway.request(
            method, target, headers: headers, body: body.map { Array($0.utf8) }, within: SimulatorFixture.patience)
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] ?? [:]
    }

    @Test func `a confirmed pin, title and model survive a SIGKILL of the gateway`() throws {
        let first = try gateway()
        let created = try request(first, "POST", "/conversations", #"{"modelId":"simulator/talk"}"#)
        let id = try #require((created["conversation"] as? [String: Any])?["id"] as? String)
        let patched = try request(
            first, "PATCH", "/conversations/\(id)", #"{"isPinned":true,"title":"New","modelId":"simulator/think"}"#)

        let second = try next(after: first)
        let found = try request(second, "GET", "/conversations/\(id)")

        #expect(patched["isPinned"] as? Bool == true)
        #expect(found["isPinned"] as? Bool == true)
        #expect(found["title"] as? String == "New")
        #expect(found["modelId"] as? String == "simulator/think")

        try second.terminate()
    }

    @Test(arguments: ["new_conversation", "user_message"])
    func `an id that a client chose survives a SIGKILL of the gateway after its first message`(type: String) throws {
        let first = try gateway()
        let chat = try ChatDialogue(first.port)
        // Start the project first, because a write at the start of the project would also persist the id.
        try chat.send("list_conversations")
        _ = try chat.receive(upTo: "conversation_list")
        try chat.send(type, ["conversationId": Self.id, "content": "[talk silent=0ms] hi"])
        let answer = try chat.receive()

        let second = try next(after: first)
        let again = try ChatDialogue(second.port)
        try again.receive()
        try again.send("load_conversation", ["conversationId": Self.id])
        let loaded = try again.receive()

        #expect(answer["conversationId"] as? String == Self.id)
        #expect(loaded["type"] as? String == "conversation_loaded")
        #expect(loaded["conversationId"] as? String == Self.id)

        try second.terminate()
    }
}
