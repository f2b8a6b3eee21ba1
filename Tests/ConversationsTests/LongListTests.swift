// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests the number of calls for the newest messages of a long conversation in an OpenCode 2 instance.
@Suite struct LongListTests {
    private let id = ConversationID(session: FakeOpenCode2.session).text

    /// Returns a page of messages, and the calls that it required.
    private func page(
        _ state: inout ConversationState, _ server: inout FakeOpenCode2, cursor: String? = nil
    ) async throws -> (json: JSON, calls: [String]) {
        server.calls = []
        let query = cursor.map { [(name: "cursor", value: $0)] } ?? []
        let request = ConversationRequest("GET", ["conversations", id, "messages"], query: query, body: [])
        var work = ConversationWork(request, at: 0) { 0 }
        var step = work.start(in: state)
        while case .run(var plan) = step {
            var result: Result<ConversationWork.WorkResult, ConversationError>?
            while result == nil {
                switch plan {
                case .send(let request, let next): plan = next(await server.answer(request))
                case .ended(_, let next): plan = next(false)
                case .pause(_, let next), .aborting(_, let next), .store(_, let next):
                    plan = next()
                case .done(let value): result = .success(value)
                case .refused(let refusal): result = .failure(refusal)
                }
            }
            guard let found = result else { break }
            step = work.finished(found, in: &state, at: 0)
        }
        guard case .answer(let answer, _) = step, answer.status == 200 else { throw NoPage() }
        return (answer.json, server.calls)
    }

    private struct NoPage: Error {}

    private func texts(_ page: JSON) -> [String] { page["items"]?.array?.compactMap { $0["text"]?.text } ?? [] }

    @Test(arguments: [1, 2, 3])
    func `the newest messages of 5000 are found with at most three calls to OpenCode 2`(steps: Int) async throws {
        var state = ConversationState(directory: "/home/vibe/demo", kept: [])
        var server = FakeOpenCode2(exchanges: 5_000 / (steps + 1), steps: steps)
        _ = try await page(&state, &server)
        let (json, calls) = try await page(&state, &server)
        let last = 5_000 / (steps + 1) - 1
        let answer = (1...steps).map { "Answer \(last).\($0)" }.joined(separator: "\n\n")

        #expect(texts(json).count == 30)
        #expect(texts(json).suffix(2) == ["Question \(last)", answer])
        #expect(calls.count <= 3, "\(calls)")
    }

    @Test func `the pages of a long conversation contain every message once`() async throws {
        var state = ConversationState(directory: "/home/vibe/demo", kept: [])
        var server = FakeOpenCode2(exchanges: 100)
        var (seen, cursor): ([String], String?) = ([], nil)
        repeat {
            let (json, _) = try await page(&state, &server, cursor: cursor)
            seen = texts(json) + seen
            cursor = json["nextCursor"]?.text
        } while cursor != nil

        #expect(seen == (0..<100).flatMap { ["Question \($0)", "Answer \($0).1"] })
    }
}
