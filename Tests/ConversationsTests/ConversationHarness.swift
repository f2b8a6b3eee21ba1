// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// A project with its conversations, some chats and requests, and a fake OpenCode. It corresponds to a gateway without
/// sockets.
struct ConversationHarness {
    var server = FakeOpenCode1()
    var state: ConversationState
    var chats: [Int: ChatSession] = [:]
    /// The messages that each chat's client received, in order.
    var sent: [Int: [JSON]] = [:]
    var streams: [(stream: AnswerStream, text: String, isOver: Bool)] = []
    var now: Int64 = 1_800_000_000_000
    /// Whether plans wait for ``release()``.
    var holdsPlans = false
    /// Whether plans run immediately, and their results wait for ``release()``.
    var holdsResults = false
    /// Whether events are from before the gateway subscribed.
    var isReplaying = false
    private var heldPlans: [(chat: Int, number: Int, plan: Plan<ChatSession.WorkResult>)] = []
    private var seed: UInt64 = 7

    static let mine = "A0B1C2D3-0000-4000-8000-00000000000A"

    init(_ sessions: [FakeOpenCode1.StoredSession] = []) {
        state = ConversationState(directory: "/home/vibe/demo", kept: [])
        server.sessions = sessions
    }

    private mutating func random() -> UInt64 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1
        return seed >> 33
    }

    // MARK: Chats

    mutating func open(_ chat: Int = 1, refusal: ConversationError? = nil) {
        let session = ChatSession(version: "1.2.3", refusal: refusal)
        chats[chat] = session
        perform(session.opened(state.catalogue), of: chat)
    }

    mutating func send(_ text: String, _ chat: Int = 1) {
        guard var session = chats[chat] else { return }
        var generator = self
        let actions = session.receive(Array(text.utf8), in: &state, at: now) { generator.random() }
        seed = generator.seed
        chats[chat] = session
        perform(actions, of: chat)
    }

    /// Returns the messages that the client has received since the previous call.
    mutating func got(_ chat: Int = 1) -> [JSON] {
        defer { sent[chat] = [] }
        return sent[chat] ?? []
    }

    /// Revokes the key of the client.
    mutating func revoke(_ chat: Int = 1) { chats[chat]?.revoke() }

    /// Disconnects the client of a chat.
    mutating func disconnect(_ chat: Int = 1) { chats[chat]?.clientDisconnected() }

    mutating func release() {
        holdsPlans = false
        holdsResults = false
        let plans = heldPlans
        heldPlans = []
        for item in plans { run(item.plan, number: item.number, of: item.chat) }
    }

    private mutating func perform(_ actions: [ChatSession.Action], of chat: Int) {
        for action in actions {
            switch action {
            case .send(let text): sent[chat, default: []].append(JSONParser.parse(text) ?? .null)
            case .run(let number, let plan):
                if holdsPlans {
                    heldPlans.append((chat, number, plan))
                } else if holdsResults {
                    let late: Plan<ChatSession.WorkResult> =
                        switch settle(plan) {
                        case .success(let result): .done(result)
                        case .failure(let refusal): .refused(refusal)
                        }
                    heldPlans.append((chat, number, late))
                } else {
                    run(plan, number: number, of: chat)
                }
            case .watch: continue
            case .publish(let events): publish(events)
            case .publishToOthers(let events): publish(events, except: chat)
            }
        }
    }

    private mutating func run(_ plan: Plan<ChatSession.WorkResult>, number: Int, of chat: Int) {
        let result = settle(plan)
        guard var session = chats[chat] else { return }
        var generator = self
        let actions = session.finished(number, result, in: &state, at: now) { generator.random() }
        seed = generator.seed
        chats[chat] = session
        perform(actions, of: chat)
    }

    /// Whether OpenCode ends the work that another client aborts.
    var endsAbortedWork = false

    mutating func settle<Value>(_ plan: Plan<Value>) -> Result<Value, ConversationError> {
        var plan = plan
        while true {
            switch plan {
            case .send(let request, let next): plan = next(server.answer(request))
            case .pause(_, let next): plan = next()
            case .aborting(let session, let next):
                state.abort(session)
                plan = next()
            case .ended(let session, let next):
                // The harness does not wait. Either the work ends or the time-out expires immediately.
                if endsAbortedWork { idle(session) }
                publish(state.stopWaitingForEnd(of: session, at: now))
                plan = next(state.isBusy(session))
            case .store(let catalogue, let next):
                state.catalogue = catalogue
                plan = next()
            case .done(let value): return .success(value)
            case .refused(let refusal): return .failure(refusal)
            }
        }
    }

    // MARK: Events

    mutating func publish(_ events: [ConversationEvent], except one: Int? = nil) {
        for event in events {
            let texts = state.chatTexts(event)
            for (chat, session) in chats.sorted(by: { $0.key < $1.key }) where chat != one {
                var session = session
                let actions = session.receive(event, texts)
                chats[chat] = session
                perform(actions, of: chat)
            }
            for index in streams.indices {
                let actions = streams[index].stream.receive(event, at: now)
                write(actions, index)
            }
        }
    }

    mutating func write(_ actions: [AnswerStream.Action], _ index: Int) {
        for action in actions {
            switch action {
            case .write(let bytes): streams[index].text += String(decoding: bytes, as: UTF8.self)
            case .end: streams[index].isOver = true
            }
        }
    }

    mutating func receiveEvent(_ type: String, _ properties: JSON) {
        guard let event = Event(openCode1: ["type": .string(type), "properties": properties]) else {
            Issue.record("\(type) is no event")
            return
        }
        receiveEvent(event)
    }

    mutating func receiveEvent(_ event: Event) {
        if isReplaying { state.replay(event, at: now) } else { publish(state.receive(event, at: now)) }
    }

    mutating func busy(_ session: String) {
        receiveEvent("session.status", ["sessionID": .string(session), "status": ["type": "busy"]])
    }

    /// Reports that the session is idle. An answer whose last message is incomplete ends immediately, unless `isHeld`.
    mutating func idle(_ session: String, isHeld: Bool = false) {
        receiveEvent("session.status", ["sessionID": .string(session), "status": ["type": "idle"]])
        receiveEvent("session.idle", ["sessionID": .string(session)])
        if !isHeld { giveUp() }
    }

    /// Expires the timeout of the answers that wait for the end of a message.
    mutating func giveUp() {
        for held in state.removePendingEnds() { publish(state.stopWaiting(held, at: now)) }
    }

    /// Sends a user message and the beginning of its answer in the message `answer`.
    mutating func startTurn(_ session: String, _ user: String, _ text: String, answer: String) {
        receiveMessage(FakeOpenCode1.user(user, text), of: session)
        busy(session)
        receiveEvent("message.updated", ["info": info(FakeOpenCode1.assistantInfo(answer, to: user), session)])
    }

    mutating func receiveMessage(_ message: JSON, of session: String) {
        receiveEvent("message.updated", ["info": info(message["info"] ?? .null, session)])
        for part in message["parts"]?.array ?? [] {
            receiveEvent("message.part.updated", ["part": info(part, session)])
        }
    }

    /// Sends the deltas of a text, and then the complete text.
    mutating func text(
        _ session: String, _ message: String, _ part: String, _ fragments: [String], isWhole: Bool = true
    ) {
        receiveText("text", session, message, part, "", end: nil)
        for fragment in fragments { delta(session, message, part, .string(fragment)) }
        if isWhole { receiveText("text", session, message, part, fragments.joined(), end: 4_000) }
    }

    mutating func receiveText(
        _ type: String, _ session: String, _ message: String, _ part: String, _ text: String, start: Int = 3_000,
        end: Int?
    ) {
        receivePart(
            session, message, part,
            [
                "type": .string(type), "text": .string(text),
                "time": ["start": .number(Number(start)), "end": end.map { .number(Number($0)) }],
            ])
    }

    mutating func tool(
        _ session: String, _ message: String, _ part: String, _ state: JSON, name: String = "bash"
    ) {
        receivePart(
            session, message, part, ["type": "tool", "tool": .string(name), "callID": "call_1", "state": state])
    }

    private mutating func receivePart(_ session: String, _ message: String, _ part: String, _ more: JSON) {
        var object: JSONObject = JSONObject()
        object.add("id", part)
        object.add("messageID", message)
        object.add("sessionID", session)
        object.add(more.object ?? JSONObject())
        receiveEvent("message.part.updated", ["part": .object(object), "sessionID": .string(session)])
    }

    mutating func delta(_ session: String, _ message: String, _ part: String, _ delta: JSON) {
        receiveEvent(
            "message.part.delta",
            [
                "sessionID": .string(session), "messageID": .string(message), "partID": .string(part), "field": "text",
                "delta": delta,
            ])
    }

    private func info(_ json: JSON, _ session: String) -> JSON {
        var object = json.object ?? JSONObject()
        object["sessionID"] = .string(session)
        return .object(object)
    }

    // MARK: Requests

    /// Sends a request that is not a stream, and returns its response.
    mutating func fetch(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: JSON? = nil
    ) throws -> ConversationAnswer {
        let answer = request(method, path, query: query, body: body)
        return try #require(answer)
    }

    /// Sends a request of the conversation protocol and returns its response. For a stream, starts it and returns nil.
    mutating func request(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: JSON? = nil
    ) -> ConversationAnswer? {
        let segments = path.split(separator: "/").map(String.init)
        let request = ConversationRequest(method, segments, query: query, body: body?.bytes ?? [])
        var generator = self
        var work = ConversationWork(request, at: now) { generator.random() }
        seed = generator.seed
        var step = work.start(in: state)
        while true {
            switch step {
            case .run(let plan):
                let result = settle(plan)
                step = work.finished(result, in: &state, at: now)
            case .answer(let answer, let events):
                publish(events)
                return answer
            case .stream(let stream, let prompt, let otherEvents):
                publish(otherEvents)
                streams.append((stream, "", false))
                let index = streams.count - 1
                let answer = server.answer(prompt)
                let actions = ConversationWork.prompted(answer, &streams[index].stream, in: &state, at: now)
                write(actions, index)
                return nil
            }
        }
    }
}

extension ConversationAnswer {
    var json: JSON { JSONParser.parse(body) ?? .null }
}

extension [KeptChange] {
    /// The entries that must be stored.
    var entries: [ConversationTable.Entry] {
        compactMap { if case .set(let entry) = $0 { entry } else { nil } }
    }
}

extension JSON {
    var shown: String { String(decoding: bytes, as: UTF8.self) }
    /// A message's type and text, or another distinguishing property.
    var outline: String {
        let type = self["type"]?.text ?? "?"
        let more = self["content"] ?? self["metadata"]?["toolName"] ?? self["metadata"]?["thinkingDuration"]
        return more.map { "\(type) \($0.text ?? $0.shown)" } ?? type
    }
}
