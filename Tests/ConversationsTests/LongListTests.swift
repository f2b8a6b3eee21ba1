// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests the number of calls for the newest messages of a long conversation in an OpenCode 2 instance.
@Suite struct LongListTests {
    private let id = ConversationID(session: FakeOpenCode2.session).text

    /// A transport to a fake OpenCode 2.
    private actor Transport: ConversationTransport {
        var server: FakeOpenCode2
        var state = ConversationState(directory: "/home/vibe/demo", kept: [])
        let now: Int64 = 0
        nonisolated var executor: any TaskExecutor { globalConcurrentExecutor }

        init(_ server: FakeOpenCode2) { self.server = server }

        func random() -> UInt64 { 0 }

        func send(_ request: ClientRequest, for initiator: String)
            async throws(ConversationFailure) -> OpenCodeAnswer
        {
            let (answer, calls) = await server.answer(request)
            server.calls += calls
            return answer
        }

        func wait(until isMet: @escaping (ConversationState) -> Bool, atMost limit: Duration)
            async throws(ConversationFailure) -> Bool
        { false }

        func commit() {}
        func publish(_ events: [ConversationEvent], except chat: Int?) {}
        func send(_ messages: [[UInt8]], to chat: Int) {}

        /// Returns the calls since the previous call of this function.
        func removeCalls() -> [String] {
            defer { server.calls = [] }
            return server.calls
        }
    }

    /// Returns a page of messages, and the calls that it required.
    private func page(_ transport: Transport, cursor: String? = nil) async throws -> (json: JSON, calls: [String]) {
        let query = cursor.map { [(name: "cursor", value: $0)] } ?? []
        let request = ConversationRequest("GET", ["conversations", id, "messages"], query: query, body: [])
        let response = await transport.respond(to: request, for: "client")
        guard case .answer(let answer) = response, answer.status == 200 else { throw NoPage() }
        return (answer.json, await transport.removeCalls())
    }

    private struct NoPage: Error {}

    private func texts(_ page: JSON) -> [String] { page["items"]?.array?.compactMap { $0["text"]?.text } ?? [] }

    @Test(arguments: [1, 2, 3])
    func `the newest messages of 5000 are found with at most three requests to OpenCode 2`(steps: Int) async throws {
        let transport = Transport(FakeOpenCode2(exchanges: 5_000 / (steps + 1), steps: steps))
        _ = try await page(transport)
        let (json, calls) = try await page(transport)
        let last = 5_000 / (steps + 1) - 1
        let answer = (1...steps).map { "Answer \(last).\($0)" }.joined(separator: "\n\n")

        #expect(texts(json).count == 30)
        #expect(texts(json).suffix(2) == ["Question \(last)", answer])
        #expect(calls.count <= 3, "\(calls)")
    }

    @Test func `the pages of a long conversation contain every message once`() async throws {
        let transport = Transport(FakeOpenCode2(exchanges: 100))
        var (seen, cursor): ([String], String?) = ([], nil)
        repeat {
            let (json, _) = try await page(transport, cursor: cursor)
            seen = texts(json) + seen
            cursor = json["nextCursor"]?.text
        } while cursor != nil

        #expect(seen == (0..<100).flatMap { ["Question \($0)", "Answer \($0).1"] })
    }
}
