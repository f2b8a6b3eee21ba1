// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// A project with its conversations, some chats and requests, and a fake OpenCode. It corresponds to a gateway without
/// sockets. Each call returns after all tasks have ended or are suspended.
struct ConversationHarness {
    let project: FakeProject

    static let mine = "A0B1C2D3-0000-4000-8000-00000000000A"

    init(_ sessions: [FakeOpenCode1.StoredSession] = []) {
        project = FakeProject()
        server.sessions = sessions
    }

    /// Calls the project, and then runs its tasks.
    @discardableResult
    private func run<Value: Sendable>(_ body: (isolated FakeProject) -> Value) -> Value {
        defer { project.manualExecutor.run() }
        return project.assumeIsolated(body)
    }

    // MARK: State

    var server: FakeOpenCode1 {
        get { run { $0.server } }
        set { run { $0.server = newValue } }
    }

    var state: ConversationState {
        get { run { $0.state } }
        set { run { $0.state = newValue } }
    }

    var now: Int64 {
        get { run { $0.now } }
        set { run { $0.now = newValue } }
    }

    var streams: [FakeProject.Stream] {
        get { run { $0.streams } }
        set { run { $0.streams = newValue } }
    }

    /// Whether requests to OpenCode wait for ``release()``.
    var holdsRequests: Bool {
        get { run { $0.holdsRequests } }
        set { run { $0.holdsRequests = newValue } }
    }

    /// The requests whose responses wait for ``release()``, as `METHOD /path`. OpenCode responds immediately, but the
    /// gateway receives the response late.
    var heldResponses: Set<String> {
        get { run { $0.heldResponses } }
        set { run { $0.heldResponses = newValue } }
    }

    /// Whether tasks wait for the end of aborted work until ``expireWaits()``.
    var holdsWaits: Bool {
        get { run { $0.holdsWaits } }
        set { run { $0.holdsWaits = newValue } }
    }

    /// Whether OpenCode ends the work that another client aborts.
    var endsAbortedWork: Bool {
        get { run { $0.endsAbortedWork } }
        set { run { $0.endsAbortedWork = newValue } }
    }

    /// Whether events are from before the gateway subscribed.
    var isReplaying: Bool {
        get { run { $0.isReplaying } }
        set { run { $0.isReplaying = newValue } }
    }

    /// The number of suspended tasks.
    var suspendedTasks: Int { run { $0.suspendedTasks } }

    /// Continues the held requests, responses and waits in their order.
    mutating func release() { run { $0.release() } }

    /// Lets the time limit of all waits expire.
    mutating func expireWaits() { run { $0.expireWaits() } }

    // MARK: Chats

    mutating func open(_ chat: Int = 1) { run { $0.open(chat) } }

    mutating func send(_ text: String, _ chat: Int = 1) { run { $0.receive(Array(text.utf8), from: chat) } }

    /// Returns the messages that the client has received since the previous call.
    mutating func got(_ chat: Int = 1) -> [JSON] { run { $0.removeSent(chat) } }

    /// Revokes the key of the client.
    mutating func revoke(_ chat: Int = 1) { run { $0.chats[chat]?.revoke() } }

    /// Disconnects the client of a chat.
    mutating func disconnect(_ chat: Int = 1) { run { $0.chats[chat]?.clientDisconnected() } }

    /// Disconnects the client of a chat, and releases the chat's session.
    mutating func leave(_ chat: Int = 1) { run { $0.leave(chat) } }

    /// Whether a task retains the session of the last chat that was released (``leave(_:)``).
    var retainsSession: Bool { run { $0.lastSession != nil } }

    // MARK: Checks

    /// Performs the requests of a check, and publishes the missed events.
    mutating func finish(_ check: ConversationState.Check) {
        let held = holdsRequests
        holdsRequests = false
        run { $0.start(check) }
        holdsRequests = held
    }

    // MARK: Events

    mutating func publish(_ events: [ConversationEvent]) { run { $0.publish(events, except: nil) } }

    mutating func receiveEvent(_ type: String, _ properties: JSON) {
        guard let event = Event(openCode1: ["type": .string(type), "properties": properties]) else {
            Issue.record("\(type) is no event")
            return
        }
        receiveEvent(event)
    }

    mutating func receiveEvent(_ event: Event) { run { $0.receive(event) } }

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
    mutating func giveUp() { run { $0.giveUp() } }

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
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: JSON? = nil,
        bytes: [UInt8]? = nil
    ) throws -> ConversationAnswer {
        let answer = request(method, path, query: query, body: body, bytes: bytes)
        return try #require(answer)
    }

    /// Sends a request of the conversation protocol and returns its response. For a stream, starts it and returns nil.
    mutating func request(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: JSON? = nil,
        bytes: [UInt8]? = nil
    ) -> ConversationAnswer? {
        let segments = path.split(separator: "/").map(String.init)
        let request = ConversationRequest(method, segments, query: query, body: bytes ?? body?.bytes ?? [])
        run { $0.start(request) }
        return removeAnswer()
    }

    /// Returns the response to the last request; nil if there is none yet.
    mutating func removeAnswer() -> ConversationAnswer? { run { $0.removeAnswer() } }

    /// Cancels the task of the last request, because its client has disconnected.
    mutating func cancelRequest() { run { $0.request?.cancel() } }
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
