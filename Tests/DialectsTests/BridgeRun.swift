// SPDX-License-Identifier: Apache-2.0

import JSONText
import Locking
import Testing

@testable import Dialects

/// A request to the bridge, with an OpenCode 2 instance whose replies the test supplies.
struct BridgeRun {
    /// The method, target and body of each call; a recorded session's id is `ses_1`.
    var calls: [String] { record.calls }
    /// The calls, and the operations that concern the event streams.
    var steps: [String] { record.steps }
    /// The JSON of the published events.
    var published: [String] { record.published }
    var pauses: Int { record.pauses }
    /// The session whose lock the request still holds at the end.
    var lockedSession: String? { record.lockedSession }
    private(set) var status = 0
    private(set) var fields: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private(set) var wasTruncated = false
    private let record: ScriptedTransport.Record

    /// Returns a function that creates a bridge for a request.
    static func bridge(
        in directory: String? = nil, now: @escaping @Sendable () -> Int64 = { 1_800_000_000_000 },
        contains: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> (any BridgeTransport) -> Bridge {
        { transport in
            Bridge(
                Turns.instanceDefaults, home: "/home/vibe", directory: directory, contains: contains, now: now,
                transport: transport)
        }
    }

    /// Runs a request.
    ///
    /// - Parameter replies: The names of recorded replies or the replies themselves, in the order of the calls.
    init(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: String = "",
        replies: [Answer] = [],
        by bridge: @escaping (any BridgeTransport) -> Bridge = BridgeRun.bridge()
    ) async throws {
        let segments = path.split(separator: "/").map(String.init)
        let request = ClientRequest(
            method, segments, query: query, directory: "/home/vibe/demo", body: Array(body.utf8))
        let transport = ScriptedTransport(replies)
        let response: BridgeResponse?
        do {
            response = try await bridge(transport).respond(to: request)
        } catch {
            throw NoReply(call: transport.record.calls.last ?? "")
        }
        record = transport.record
        switch response {
        case nil: throw NoRoute()
        case .answer(let answer):
            status = answer.status
            fields = answer.fields
            self.body = answer.body
        case .completed, .truncated:
            let begun = try #require(record.begun)
            status = begun.status
            fields = begun.fields
            self.body = begun.body + record.written
            if case .truncated = response { wasTruncated = true }
        }
    }

    var json: JSON? { JSONParser.parse(body) }

    struct NoRoute: Error {}
    struct NoReply: Error { let call: String }

    /// A reply of OpenCode 2.
    enum Answer {
        /// A reply that was recorded from 2.0.15.
        case recorded(String)
        case says(Int, String)
        case empty(Int)
        /// A reply that is longer than the call's limit.
        case tooLong

        func reply() throws -> Reply {
            switch self {
            case .recorded(let name):
                for line in try Fixtures.lines("2.0.15", "exchanges.jsonl") {
                    let exchange = JSONParser.parse(line)
                    guard exchange?["name"]?.text == name,
                        let status = exchange?["response"]?["status"]?.number?.integer
                    else { continue }
                    let body = exchange?["response"]?["body"]?.text ?? ""
                    return Reply(status: status, type: nil, body: Array(body.utf8))
                }
                throw NoReply(call: name)
            case .says(let status, let body): return Reply(status: status, type: nil, body: Array(body.utf8))
            case .empty(let status): return Reply(status: status, type: nil, body: [])
            case .tooLong: return Reply(status: 200, type: nil, body: [], isCut: true)
            }
        }
    }
}

/// A transport whose calls get the replies of a test. A call without a reply ends the request.
final class ScriptedTransport: BridgeTransport {
    /// The calls, steps and events of the bridge.
    struct Record {
        var calls: [String] = []
        var steps: [String] = []
        var published: [String] = []
        var pauses = 0
        var lockedSession: String?
        var begun: ClientAnswer?
        var written: [UInt8] = []
        fileprivate var replies: ArraySlice<BridgeRun.Answer>
    }

    private let state: Locked<Record>

    init(_ replies: [BridgeRun.Answer]) { state = Locked(Record(replies: replies[...])) }

    var record: Record { state.withLock { $0 } }

    func send(_ call: Call) async throws(BridgeError) -> Reply {
        let text = "\(call.method) \(call.target)" + (call.body.map { " " + $0.shown } ?? "")
        let line = text.replacing(/ses_\w{20,}/, with: "ses_1")
        let answer = state.withLock { state in
            state.calls.append(line)
            state.steps.append(line)
            return state.replies.popFirst()
        }
        guard let reply = try? answer?.reply() else { throw .ended }
        return reply
    }

    func lock(session: String) { state.withLock { $0.lockedSession = session } }
    func unlock() { state.withLock { $0.lockedSession = nil } }

    func watchTurn(of session: String, holdsEnd: Bool) {
        state.withLock { $0.steps.append(holdsEnd ? "watch, and hold the end" : "watch") }
    }

    func awaitStreams() { state.withLock { $0.steps.append("await the streams") } }
    func publish(_ event: Change) { state.withLock { $0.published.append(Event(id: nil, event).json()?.shown ?? "") } }
    func pause(milliseconds: Int) { state.withLock { $0.pauses += 1 } }
    func begin(_ answer: ClientAnswer) { state.withLock { $0.begun = answer } }
    func write(_ bytes: [UInt8]) { state.withLock { $0.written += bytes } }
}

extension BridgeRoute {
    /// The routes that have a counterpart, as `METHOD /path/{name}`, without the route of the document itself.
    static var documented: [String] { all.map(\.route.description).filter { $0 != "GET /doc" } }
}
