// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests that lists of messages and events have the same content and identifiers.
@Suite struct ListTests {
    /// Recorded lists of 2.0.15, the turn that they contain, and whether they are sorted oldest first.
    static let lists = [
        ("messages-after-talk", "talk", false), ("messages-asc", "revert", true), ("messages-steered", "steer", true),
        ("messages-queued", "queue", true), ("messages-compacted", "compaction", true),
        ("messages-switched", "agent-and-model", true),
    ]

    static func list(_ name: String, isAscending: Bool, session: Session) throws -> [Message] {
        let all = try #require(try Fixtures.answer("2.0.15", name)?["data"]?.array)
        var list = MessageList(session: session, Turns.instanceDefaults)
        let messages = (isAscending ? all : all.reversed()).flatMap { list.add($0) }
        return messages + list.finish()
    }

    @Test(arguments: lists)
    func `a message list has the same content as the events of its turn`(
        _ name: String, _ turn: String, _ isAscending: Bool
    ) throws {
        let state = try EventState(turn)
        let session = try #require(state.session)
        let messages = try Self.list(name, isAscending: isAscending, session: session)

        #expect(messages.count > 1)

        for message in messages {
            let id = try #require(message.info.id)
            let events = try #require(state.messages[id], "no event contains \(id)")
            #expect(EventState.comparable(message.info.json) == EventState.comparable(events.info))
            #expect(message.parts.map(\.id) == events.parts.keys.sorted())
            for part in message.parts {
                #expect(EventState.comparable(part.json) == EventState.comparable(try #require(events.parts[part.id])))
            }
        }
    }

    @Test(arguments: lists)
    func `listed messages and parts are in the order of their ids`(_ name: String, _ turn: String, _ isAscending: Bool)
        throws
    {
        let session = try #require(try EventState(turn).session)
        let messages = try Self.list(name, isAscending: isAscending, session: session)
        let ids = messages.compactMap(\.info.id)

        #expect(ids == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })

        for message in messages {
            let parts = message.parts.map(\.id)
            #expect(parts == parts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            #expect(parts.allSatisfy { $0.hasPrefix("prt_") })
        }
    }

    @Test func `the derived members of sessions and messages are never empty`() throws {
        for (name, turn, isAscending) in Self.lists {
            let session = try #require(try EventState(turn).session)
            for text in [session.slug ?? "", session.version, session.title, session.directory] {
                #expect(!text.isEmpty)
            }
            for message in try Self.list(name, isAscending: isAscending, session: session) {
                switch message.info {
                case .user(let user):
                    #expect(!user.agent.isEmpty)
                    #expect(!user.model.modelID.isEmpty)
                case .assistant(let answer):
                    #expect(answer.parentID.hasPrefix("msg_"))
                    #expect(answer.parentID < answer.id)
                    #expect(![answer.mode, answer.directory, answer.root, answer.model.providerID].contains(""))
                    #expect(answer.finish != nil)
                    #expect(answer.tokens.total != nil)
                    #expect(answer.completed != nil)
                case .other: Issue.record("unknown message")
                }
            }
        }
    }

    @Test func `a waiting prompt is listed`() throws {
        let session = try #require(try EventState("steer").session)
        let inbox = try #require(try Fixtures.answer("2.0.15", "inbox-steer")?["data"]?.array)
        var list = MessageList(session: session, Turns.instanceDefaults)
        let messages = list.finish(inbox: inbox)

        #expect(messages.count == 1)
        #expect(messages[0].parts.map(\.json["text"]) == ["second"])
    }

    @Test func `a step that was retried has no error`() throws {
        let session = try #require(try EventState("cutoff").session)
        var list = MessageList(session: session, Turns.instanceDefaults, parentID: "msg_0")
        let error: JSON = ["type": "provider.invalid-output", "message": "no end", "status": 200]
        func answer(_ id: String) -> JSON {
            [
                "id": .string(id), "type": "assistant", "agent": "build", "time": ["created": 1, "completed": 2],
                "model": ["id": "m", "providerID": "p"], "content": [], "finish": "error", "error": error,
            ]
        }
        let first = list.add(answer("msg_1"))
        let synthetic = list.add(["id": "msg_2", "type": "synthetic", "text": "go on"])

        #expect(first.isEmpty)
        #expect(synthetic.isEmpty)

        let retried = list.add(answer("msg_3"))

        #expect(retried.map(\.info.json["finish"]) == ["unknown"])
        #expect(retried.map(\.info.json["error"]) == [nil])

        let last = list.add(["id": "msg_4", "type": "idle", "outcome": "failed"])

        #expect(last.map(\.info.json["error"]?["name"]) == ["APIError"])
        #expect(!list.lacksParent)
    }

    /// In 2.0.15, the list has no `completed` for such a step, and `idle` after it (its document:
    /// `Session.Message.Idle`). 1.18.33 completes the step (`ratelimit-abort`).
    @Test func `a step whose turn ended between two attempts is completed at the end of the turn`() throws {
        let session = try #require(try EventState("ratelimit-interrupt").session)
        var list = MessageList(session: session, Turns.instanceDefaults, parentID: "msg_0")
        let error: JSON = ["type": "provider.rate-limit", "message": "Rate limit reached"]
        let step: JSON = [
            "id": "msg_1", "type": "assistant", "agent": "build", "time": ["created": 1], "content": [],
            "model": ["id": "m", "providerID": "p"], "retry": ["attempt": 4, "at": 9, "error": error],
        ]

        let early = list.add(step)
        let settled = list.add(
            ["id": "msg_2", "type": "idle", "outcome": "interrupted", "time": ["created": 7]])

        #expect(early.isEmpty)
        #expect(settled.map(\.info.json["time"]) == [["created": 1, "completed": 7]])
        #expect(settled.map(\.info.json["error"]) == [nil])
    }

    @Test func `a step that the model is still writing is not completed`() throws {
        let session = try #require(try EventState("talk").session)
        var list = MessageList(session: session, Turns.instanceDefaults, parentID: "msg_0")
        _ = list.add([
            "id": "msg_1", "type": "assistant", "agent": "build", "time": ["created": 1], "content": [],
            "model": ["id": "m", "providerID": "p"],
        ])

        let last = list.finish()

        #expect(last.map(\.info.json["time"]) == [["created": 1]])
    }

    @Test func `a list that begins with an answer reports its missing prompt`() throws {
        let session = try #require(try EventState("talk").session)
        let all = try #require(try Fixtures.answer("2.0.15", "messages-after-talk")?["data"]?.array)
        let answer = try #require(all.first { $0["type"] == "assistant" })
        var list = MessageList(session: session, Turns.instanceDefaults)
        let messages = list.add(answer)

        #expect(messages.count == 1)
        #expect(list.lacksParent)
    }
}

/// The state of a client of OpenCode 1 after the events of a turn.
struct EventState {
    var session: Session?
    var messages: [String: (info: JSON, parts: [String: JSON])] = [:]

    init(_ turn: String) throws {
        for json in try Turns.translated(turn) { apply(try #require(Event(openCode1: json)).change) }
    }

    private mutating func apply(_ change: Change) {
        switch change {
        case .sessionCreated(let session), .sessionUpdated(let session):
            if self.session == nil || self.session?.id == session.id { self.session = session }
        case .message(let info): messages[info.id ?? "", default: (.null, [:])].info = info.json
        case .part(let part, _, _): messages[part.messageID]?.parts[part.id] = part.json
        default: break
        }
    }

    /// Removes members that lists do not contain, such as the time of a text.
    static func comparable(_ json: JSON) -> JSON {
        guard var object = json.object else { return json }
        if object["type"] == "text" || object["type"] == "reasoning" { object["time"] = nil }
        // OpenCode 2 sends only the start time of a summary.
        if object["summary"] == true { object["time"] = nil }
        return JSON.object(object).sorted
    }
}
