// SPDX-License-Identifier: Apache-2.0

import JSONText

@testable import Dialects

/// A request to the bridge, with an OpenCode 2 whose replies the test supplies.
struct BridgeRun {
    /// The method, target and body of each call; a recorded session's id is `ses_1`.
    private(set) var calls: [String] = []
    /// The calls, and the steps that concern the event streams.
    private(set) var steps: [String] = []
    /// The JSON of the published events.
    private(set) var published: [String] = []
    private(set) var status = 0
    private(set) var fields: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private(set) var pauses = 0
    private(set) var wasAborted = false
    /// The session whose lock the request still holds at the end.
    private(set) var turn: String?

    static let bridge = Bridge(Turns.instanceDefaults, home: "/home/vibe")

    /// Runs a request.
    ///
    /// - Parameter replies: The names of recorded replies or the replies themselves, in the order of the calls.
    init(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: String = "",
        replies: [Answer] = [], by bridge: Bridge = BridgeRun.bridge
    ) throws {
        let segments = path.split(separator: "/").map(String.init)
        let request = ClientRequest(
            method, segments, query: query, directory: "/home/vibe/demo", body: Array(body.utf8))
        guard let first = bridge.firstStep(request) else { throw NoRoute() }
        var (step, remainder) = (first, replies[...])
        while true {
            switch step {
            case .call(let call, let next):
                let text = "\(call.method) \(call.target)" + (call.body.map { " " + $0.shown } ?? "")
                calls.append(text.replacing(/ses_\w{20,}/, with: "ses_1"))
                steps.append(calls.last ?? "")
                guard let answer = remainder.popFirst() else { throw NoReply(call: calls.last ?? "") }
                step = next(try answer.reply())
            case .acquireLock(let session, let next):
                turn = session
                step = next()
            case .releaseLock(let next):
                turn = nil
                step = next()
            case .watchTurn(_, let holds, let next):
                steps.append(holds ? "watch, and hold the end" : "watch")
                step = next()
            case .awaitStreams(let next):
                steps.append("await the streams")
                step = next()
            case .publish(let change, let next):
                published.append(Event(id: nil, change).json()?.shown ?? "")
                step = next()
            case .pause(_, let next):
                pauses += 1
                step = next()
            case .answer(let answer):
                status = answer.status
                fields = answer.fields
                self.body = answer.body
                return
            case .begin(let answer, let next):
                status = answer.status
                fields = answer.fields
                self.body = answer.body
                step = next()
            case .write(let bytes, let next):
                self.body += bytes
                step = next()
            case .end: return
            case .cut:
                wasAborted = true
                return
            }
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

extension BridgeRoute {
    /// The routes that have a counterpart, as `METHOD /path/{name}`, without the route of the document itself.
    static var documented: [String] { all.map(\.route.description).filter { $0 != "GET /doc" } }
}
