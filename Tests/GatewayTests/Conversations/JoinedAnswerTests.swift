// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

/// Tests clients of chat and conversations that join an answer after its beginning, on a gateway that has not served a
/// chat before. Since 1.2, OpenCode lists `""` for a text that is not complete.
@Suite(.onTestThreads) struct JoinedAnswerTests {
    static let versions = ["1.2.27", "1.18.33", "2.0.15"]
    /// A prompt whose answer takes long enough to kill a gateway and start the next one.
    private static let prompt = "Say it [pieces=250 interval=60ms]"
    private static let json = [("Content-Type", "application/json")]

    private func gateway(_ version: String, after first: GatewayUnderTest? = nil) throws -> GatewayUnderTest {
        try GatewayUnderTest(
            environment: ["SIMULATOR_PROFILE": version], opencode: try BuiltProducts.path("opencode-simulator"),
            after: first)
    }

    private func json(_ answer: TestResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    /// Starts an answer as a terminal would, and waits until a part of its text has arrived.
    private func startTurn(_ gateway: GatewayUnderTest, _ version: String) throws {
        try gateway.makeProject("demo")
        #expect(try gateway.request("POST", "/projects/demo/start", within: SimulatorFixture.patience).status == 200)
        let isOne = version.hasPrefix("1.")
        let stream = try StreamClient(gateway, "/projects/demo/events")
        defer { stream.close() }
        // The head arrives once the hub receives the instance's events. An earlier prompt would not be in its log.
        #expect(try stream.reader.response.readHead().status == 200)
        let root = "/projects/demo/api" + (isOne ? "" : "/api")
        let made = try json(
            gateway.request(
                "POST", "\(root)/session", headers: Self.json, body: Array("{}".utf8), within: SimulatorFixture.patience
            ))
        let session = try #require((made["data"] as? [String: Any] ?? made)["id"] as? String)
        let (path, body) =
            isOne
            ? ("prompt_async", #"{"parts":[{"type":"text","text":"\#(Self.prompt)"}]}"#)
            : ("prompt", #"{"text":"\#(Self.prompt)"}"#)
        let answer = try gateway.request(
            "POST", "\(root)/session/\(session)/\(path)", headers: Self.json, body: Array(body.utf8),
            within: SimulatorFixture.patience)
        #expect((200..<300).contains(answer.status), "\(answer.text)")
        var fragments = 0
        while fragments < 5 {
            let frame = try #require(try stream.nextEvent())
            if frame.data?.contains(".delta\"") == true { fragments += 1 }
        }
    }

    /// Joins the only conversation and reads its answer to the end.
    private func join(_ gateway: GatewayUnderTest) throws {
        let list = try json(gateway.request("GET", "/conversations", within: SimulatorFixture.patience))
        let id = try #require((list["items"] as? [[String: Any]])?.first?["id"] as? String)
        let chat = try ChatDialogue(gateway.port)
        try chat.receive()
        try chat.send("load_conversation", ["conversationId": id])
        let loaded = try chat.receive()
        let page = try json(
            gateway.request("GET", "/conversations/\(id)/messages", within: SimulatorFixture.patience))
        let received = try chat.receive(upTo: "assistant_done")
        let last = try json(gateway.request("GET", "/conversations/\(id)/messages", within: SimulatorFixture.patience))

        let messages = (loaded["metadata"] as? [String: Any])?["messages"] as? [[String: Any]]
        try #require(messages?.count == 1, "the answer had ended already")
        func text(_ page: [String: Any]) -> String? { (page["items"] as? [[String: Any]])?.last?["text"] as? String }
        let whole = try #require(text(last)?.trimmingCharacters(in: .whitespacesAndNewlines))
        let running = try #require(text(page))
        #expect(whole.hasPrefix("You said: “Say it”"))
        #expect(received.text.trimmingCharacters(in: .whitespacesAndNewlines) == whole)
        #expect(running.hasPrefix("You said: "), "\(page), then \(last)")
        #expect(whole.hasPrefix(running))
    }

    @Test(arguments: versions)
    func `a client that joins an answer to a terminal's prompt receives the whole answer`(version: String) throws {
        let gateway = try gateway(version)
        try startTurn(gateway, version)

        try join(gateway)
    }

    @Test(arguments: versions)
    func `a client that joins an answer after a gateway's SIGKILL receives the whole answer`(version: String) throws {
        let first = try gateway(version)
        try startTurn(first, version)
        first.process.terminate(SIGKILL)
        try first.process.waitForExit()
        let second = try gateway(version, after: first)

        try join(second)
    }
}
