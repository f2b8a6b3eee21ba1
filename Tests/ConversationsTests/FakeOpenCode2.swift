// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import Foundation
import JSONText
import Locking

/// A fake OpenCode 2 with one session of many exchanges. The bridge translates the requests of conversations into calls
/// to it.
///
/// It is separate from ``FakeOpenCode1``, because it serves the bridge's calls to OpenCode 2's paths, with the pages
/// and messages of that API. The two fakes have only the type of request in common.
struct FakeOpenCode2 {
    /// All calls, as `METHOD /path?query`.
    var calls: [String] = []
    /// The messages, newest first, as in OpenCode 2's lists. Each exchange has a prompt, `steps` messages of its
    /// answer, and an idle message.
    private let messages: [JSON]
    private static let defaults = InstanceDefaults(
        version: "2.0.15", model: Model(providerID: "mock", modelID: "talk"))

    static let session = "ses_dfd7cc003ffedCJJ64trOblH2x"

    init(exchanges: Int, steps: Int = 1) {
        let all = (0..<exchanges).flatMap { number -> [JSON] in
            let answers = (1...steps).map { Self.answer(number, step: $0) }
            return [Self.rejectedQuestion(number)] + answers + [Self.idle(number, steps + 1)]
        }
        messages = all.reversed()
    }

    private static func head(_ number: Int, _ index: Int, _ type: String) -> (id: JSON, time: JSON, type: JSON) {
        let digits = String(100_000 + number * 10 + index)
        let time = Number(1_795_338_486_000 + number * 100 + index)
        return (.string("msg_202834\(digits)001DxehdhzIWjudLF"), ["created": .number(time)], .string(type))
    }

    private static func rejectedQuestion(_ number: Int) -> JSON {
        let (id, time, type) = head(number, 0, "user")
        return ["id": id, "time": time, "text": .string("Question \(number)"), "type": type]
    }

    private static func answer(_ number: Int, step: Int) -> JSON {
        let (id, time, type) = head(number, step, "assistant")
        let completed = time["created"].map { JSON.object(JSONObject([.init("created", $0), .init("completed", $0)])) }
        return [
            "id": id, "time": completed, "type": type, "agent": "build", "model": ["id": "talk", "providerID": "mock"],
            "content": [["type": "text", "text": .string("Answer \(number).\(step)")]], "finish": "stop", "cost": 0,
            "tokens": ["input": 1, "output": 1, "reasoning": 0, "cache": ["read": 0, "write": 0]],
        ]
    }

    private static func idle(_ number: Int, _ index: Int) -> JSON {
        let (id, time, type) = head(number, index, "idle")
        return ["id": id, "time": time, "type": type, "outcome": "succeeded"]
    }

    /// Returns the bridge's response to a request of OpenCode 1, and the bridge's calls.
    func answer(_ request: ClientRequest) async -> (answer: OpenCodeAnswer, calls: [String]) {
        let transport = Transport(self)
        let bridge = Bridge(Self.defaults, home: "/home/vibe", transport: transport)
        let response = try? await bridge.respond(to: request)
        let answer =
            switch response {
            case .answer(let answer):
                OpenCodeAnswer(answer.status, nextCursor: answer.fields["X-Next-Cursor"], answer.body)
            case .completed, .truncated: OpenCodeAnswer(500, [])
            case nil: OpenCodeAnswer(404, [])
            }
        return (answer, transport.calls)
    }

    /// Sends the bridge's calls to this fake.
    private final class Transport: BridgeTransport {
        private let server: FakeOpenCode2
        private let sent = Locked<[String]>([])

        init(_ server: FakeOpenCode2) { self.server = server }

        var calls: [String] { sent.withLock { $0 } }

        func send(_ call: Call) -> Reply {
            sent.withLock { $0.append("\(call.method) \(call.target)") }
            return server.reply(to: call)
        }

        func lock(session: String) {}
        func unlock() {}
        func watchTurn(of session: String, holdsEnd: Bool) {}
        func awaitStreams() {}
        func publish(_ event: Change) {}
        func pause(milliseconds: Int) {}
        func begin(_ answer: ClientAnswer) {}
        func write(_ bytes: [UInt8]) {}
    }

    private func reply(to call: Call) -> Reply {
        let parts = call.target.split(separator: "?", maxSplits: 1).map(String.init)
        let session: JSON = [
            "id": .string(Self.session), "projectID": "p", "cost": 0, "title": "A talk",
            "tokens": ["input": 0, "output": 0, "reasoning": 0, "cache": ["read": 0, "write": 0]],
            "time": ["created": 1_795_338_455_920, "updated": 1_795_338_455_920],
            "location": ["directory": "/home/vibe/demo"],
        ]
        switch parts[0] {
        case "/api/session": return Self.good(["data": [session], "cursor": [:]])
        case "/api/session/\(Self.session)": return Self.good(["data": session])
        case "/api/session/\(Self.session)/inbox": return Self.good(["data": []])
        case "/api/session/\(Self.session)/message": return page(parts.count > 1 ? parts[1] : "")
        default: return Reply(status: 404, body: [])
        }
    }

    /// Returns the newest messages after a cursor, which names the message before them.
    private func page(_ query: String) -> Reply {
        let values = Dictionary(
            query.split(separator: "&").compactMap { pair -> (String, String)? in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
        ) { one, _ in one }
        let last = values["cursor"].flatMap(Self.location)
        let start = last.flatMap { id in messages.firstIndex { $0["id"]?.text == id } }.map { $0 + 1 } ?? 0
        let page = Array(messages[start...].prefix(values["limit"].flatMap { Int($0) } ?? 50))
        let hasMore = start + page.count < messages.count
        let next: JSON? = hasMore ? page.last?["id"]?.text.map { .string(Self.cursor($0)) } : nil
        return Self.good(["data": .array(page), "cursor": ["next": next]])
    }

    private static func good(_ json: JSON) -> Reply { Reply(status: 200, type: "application/json", body: json.bytes) }

    private static func cursor(_ id: String) -> String {
        let text = Data(#"{"id":"\#(id)","order":"desc","direction":"next"}"#.utf8).base64EncodedString()
        return text.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }

    private static func location(_ cursor: String) -> String? {
        let text = cursor.replacing("-", with: "+").replacing("_", with: "/")
        let whole = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: whole).flatMap { JSONParser.parse(Array($0))?["id"]?.text }
    }
}
