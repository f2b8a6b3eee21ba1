// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// The messages and answers of a session, which are derived from its events in order.
struct SessionTurns: Sendable {
    /// An effect of an event.
    enum Effect: Sendable, Equatable {
        case answer(id: String, TurnEvent)
        /// OpenCode has replaced the id of a message that was sent.
        case renamed(sent: String, as: String)
        /// A user has sent a message.
        case prompt(Entry)
        /// An answer has begun or has ended.
        case answered(Entry)
        /// The session is idle, but this message, which is the last message of the answer, is not complete.
        case waitsForEnd(message: String)
    }

    /// A user message that has no answer yet.
    private struct Waiting: Sendable {
        let root: String
        var wasBroken = false
        /// Whether the session has been busy since the message.
        var sawWork = false
    }

    /// OpenCode's id of the session.
    let session: String
    /// The answer that is being written.
    private(set) var current: Turn?
    private var messages: Set<String> = []
    private var begun: Entry?
    private var waiting: [Waiting] = []
    /// The user messages of the gateway's clients. The end of the answer to each of them is emitted in every case.
    private var expected: Set<String> = []
    /// The expected messages whose prompts OpenCode has accepted. Messages that OpenCode has already reported are in
    /// `waiting`.
    private(set) var accepted: Set<String> = []
    /// The texts of the expected messages that OpenCode has not reported yet.
    private var sent: [String: String] = [:]
    /// The recent messages with the role of a user. `prompts` contains the ids of the messages that a user has written.
    private var users: [String: UserMessage] = [:]
    private var prompts: Set<String> = []
    /// The user messages of the last answers that have ended.
    private var ended: [String] = []
    /// The reason why the session failed before an answer began.
    private var failure: String?
    /// A number that changes whenever the response to an earlier request for the session's messages may be incomplete.
    private(set) var revision = 0
    /// The time of the last event, in milliseconds since 1970.
    private(set) var lastEventTime: Int64 = 0
    /// Whether the session's lists have been read since the gateway subscribed.
    private var isKnown = false

    /// The abort that has not ended yet.
    private(set) var abortion: Abort?
    /// User messages whose answers a client has aborted.
    private var aborted: Set<String> = []
    /// The last message of an assistant, and whether OpenCode has completed it.
    private var last: (id: String, isComplete: Bool)?
    /// The message that was incomplete when the session became idle. The end of this message shows whether the answer
    /// was aborted.
    private var incompleteMessage: String?

    private static let remembered = 64

    init(_ session: String) { self.session = session }

    /// Whether an answer is being written or expected.
    var isBusy: Bool { current != nil || !expected.isEmpty }

    /// Whether an answer is expected, or an answer is being written whose user message was received.
    var isWhole: Bool { current.map { prompts.contains($0.root) } ?? !waiting.isEmpty }

    /// Returns whether the answer to this message has not ended yet.
    func isOpen(_ root: String) -> Bool { current?.root == root || expected.contains(root) }

    mutating func expect(_ root: String, _ text: String) {
        expected.insert(root)
        sent[root] = text
    }

    /// Records the time of a client's request.
    mutating func touch(at now: Int64) { lastEventTime = max(lastEventTime, now) }

    /// Records that OpenCode has accepted the prompt.
    mutating func accept(_ root: String) { if expected.contains(root) { accepted.insert(root) } }

    mutating func forget(_ root: String) {
        expected.remove(root)
        accepted.remove(root)
        sent[root] = nil
    }

    /// Aborts the running work on behalf of a client. Waiting messages are no longer answered.
    mutating func abort() {
        aborted.formUnion(expected)
        aborted.formUnion(waiting.map(\.root))
        if let current { aborted.insert(current.root) }
        recordAbort()
    }

    /// Expects that another client aborts the running work. Nothing else changes, because the abort may not happen.
    mutating func expectAbort() {
        guard abortion == nil, current != nil else { return }
        abortion = Abort(message: last?.id, isComplete: last?.isComplete ?? true, isWorking: true)
    }

    private mutating func recordAbort() {
        let isWorking = current != nil || !waiting.isEmpty
        for index in waiting.indices { waiting[index].wasBroken = true }
        if abortion == nil {
            abortion = Abort(message: last?.id, isComplete: last?.isComplete ?? true, isWorking: isWorking)
        }
    }

    /// Stops waiting for the end of the aborted work.
    ///
    /// - Parameter message: If set, the wait ends only if the answer waits for this message.
    mutating func stopWaitingForEnd(of message: String? = nil, at now: Int64) -> [Effect] {
        guard message == nil || message == incompleteMessage else { return [] }
        abortion = nil
        return incompleteMessage == nil ? [] : idle(at: now)
    }

    private mutating func received(_ message: AssistantMessage) {
        let isComplete = message.completed != nil || message.failure != nil
        last = (message.id, isComplete)
        abortion?.receive(message.id, isComplete: isComplete)
        if abortion?.hasEnded == true { abortion = nil }
    }

    private mutating func becameIdle() {
        abortion?.becomeIdle()
        if abortion?.hasEnded == true { abortion = nil }
    }

    /// Records that events were missed.
    mutating func miss() {
        current?.miss()
        revision += 1
    }

    /// Records that the response to an earlier request for messages may contain removed messages or lack restored
    /// messages.
    mutating func change() { revision += 1 }

    // MARK: Events

    mutating func receive(_ change: Change, at now: Int64) -> [Effect] {
        lastEventTime = now
        switch change {
        case .message(.user(let user)):
            guard users[user.id] == nil, !ended.contains(user.id) else { return [] }
            users[user.id] = user
            return expected.contains(user.id) ? recordPrompt(user, "") : []
        case .message(.assistant(let assistant)):
            received(assistant)
            let effects = answering(assistant, now)
            return incompleteMessage == nil || abortion != nil ? effects : effects + idle(at: now)
        case .part(let part, _, _):
            if let user = users[part.messageID] {
                return Entry.userText([part]).map { match(user, $0) + recordPrompt(user, $0) } ?? []
            }
            return answerEffects(of: part.messageID) { $0.apply(part, at: now) }
        case .partDelta(let delta): return answerEffects(of: delta.messageID) { $0.apply(delta, at: now) }
        case .failed(_, let failed):
            if let reason = failed.reason {
                fail(reason)
            } else {
                if let root = current?.root, !aborted.contains(root) { fail(Failure.abortedElsewhere) }
                recordAbort()
            }
            return []
        case .status(_, .idle), .idle:
            becameIdle()
            return waitForEnd() ?? idle(at: now)
        case .status(_, .busy), .status(_, .retry):
            for index in waiting.indices { waiting[index].sawWork = true }
            return []
        case .sessionDeleted: return close(nil, at: now)
        default: return []
        }
    }

    /// Keeps an answer open if its last message is incomplete although the session is idle. In this case, a client
    /// outside the gateway has aborted the answer. OpenCode before 1.18 sends `session.idle` first, and the message's
    /// error 20 to 60 ms later.
    private mutating func waitForEnd() -> [Effect]? {
        guard let current, current.failure == nil, !aborted.contains(current.root), let last, !last.isComplete,
            messages.contains(last.id)
        else { return nil }
        if abortion == nil { abortion = Abort(message: last.id, isComplete: false, isWorking: false) }
        guard incompleteMessage != last.id else { return [] }
        incompleteMessage = last.id
        return [.waitsForEnd(message: last.id)]
    }

    private mutating func answerEffects(of messageID: String, _ take: (inout Turn) -> [TurnEvent]) -> [Effect] {
        guard messages.contains(messageID), var turn = current else { return [] }
        // Move the value out, so that the change does not copy it.
        current = nil
        let events = take(&turn)
        current = turn
        return events.map { .answer(id: turn.id, $0) }
    }

    /// Matches a message by its text, if OpenCode does not accept message ids and has replaced the id of a sent
    /// message.
    private mutating func match(_ user: UserMessage, _ text: String) -> [Effect] {
        guard !expected.contains(user.id), !prompts.contains(user.id) else { return [] }
        let found = sent.filter { $0.value == text && $0.key != user.id }.keys.min()
        guard let found else { return [] }
        forget(found)
        expected.insert(user.id)
        return [.renamed(sent: found, as: user.id)]
    }

    private mutating func recordPrompt(_ user: UserMessage, _ text: String) -> [Effect] {
        let entry = Entry(
            id: Entry.userID(user.id, in: session), role: .user, text: text,
            time: user.created.milliseconds, messageID: user.id, root: user.id, model: user.model.name,
            isComplete: true)
        sent[user.id] = nil
        guard prompts.insert(user.id).inserted else { return text.isEmpty ? [] : [.prompt(entry)] }
        if current?.root != user.id { waiting.append(Waiting(root: user.id)) }
        revision += 1
        return [.prompt(entry)]
    }

    private mutating func answering(_ message: AssistantMessage, _ now: Int64) -> [Effect] {
        guard message.isSummary != true else { return [] }
        // A message that OpenCode has written with the role of a user continues the answer to the previous user
        // message.
        let isByOpenCode = users[message.parentID] != nil && !prompts.contains(message.parentID)
        let root = isByOpenCode ? current?.root ?? message.parentID : message.parentID
        guard !ended.contains(root) else { return [] }
        let effects = current?.root == root ? [] : finishTurn(at: now) + startTurn(root, message)
        if messages.insert(message.id).inserted { current?.failure = nil }
        if let failure = message.failure {
            if let reason = failure.reason {
                current?.failure = reason
            } else if !aborted.contains(root), current?.failure == nil {
                current?.failure = Failure.abortedElsewhere
            }
        }
        return effects
    }

    private mutating func startTurn(_ root: String, _ message: AssistantMessage) -> [Effect] {
        waiting.removeAll { $0.root == root }
        failure = nil
        // A different answer has begun, so the end of the aborted work is no longer expected.
        if !aborted.contains(root) { abortion = nil }
        current = Turn(root: root, in: session)
        messages = []
        revision += 1
        let entry = Entry(
            id: Entry.answerID(to: root, in: session), role: .assistant, text: "", time: message.created.milliseconds,
            messageID: message.id, root: root, model: message.model.name, isComplete: false)
        begun = entry
        return [.answered(entry)]
    }

    private mutating func fail(_ reason: String) {
        if current != nil {
            if current?.failure == nil { current?.failure = reason }
        } else if !waiting.isEmpty {
            failure = reason
        }
    }

    // MARK: Ends

    private mutating func finishTurn(at now: Int64) -> [Effect] {
        incompleteMessage = nil
        guard var turn = current else { return [] }
        current = nil
        messages = []
        let events = turn.finish(at: now).map { Effect.answer(id: turn.id, $0) }
        settle(turn.root)
        guard var entry = begun else { return events }
        begun = nil
        entry.text = turn.fullText
        entry.isComplete = true
        return events + [.answered(entry)]
    }

    private mutating func settle(_ root: String) {
        forget(root)
        remember(root)
        aborted.remove(root)
        revision += 1
    }

    private mutating func remember(_ root: String) {
        ended.append(root)
        if ended.count > Self.remembered { ended.removeFirst() }
    }

    private mutating func idle(at now: Int64) -> [Effect] {
        // An abort by another client also drops the messages that wait for the end of the answer, so these messages end
        // for the same reason.
        let abort = current?.failure == Failure.abortedElsewhere ? Failure.abortedElsewhere : nil
        var effects = finishTurn(at: now)
        // The session's next work answers a message that arrived at the last moment, so this message continues to wait.
        let left = waiting.filter { !$0.wasBroken && !$0.sawWork && failure == nil }
        for message in waiting where !left.contains(where: { $0.root == message.root }) {
            let reason = failure ?? (aborted.contains(message.root) ? nil : abort)
            effects += unanswered(message.root, reason: reason, at: now)
        }
        waiting = left
        failure = nil
        users = users.filter { user in left.contains { $0.root == user.key } }
        prompts = prompts.filter { root in left.contains { $0.root == root } }
        aborted.formIntersection(expected.union(left.map(\.root)))
        return effects
    }

    /// Ends the turn of a message that received no answer, so that the sender of the message receives an end.
    private mutating func unanswered(_ root: String, reason: String?, at now: Int64) -> [Effect] {
        guard expected.contains(root) || reason != nil else { return [] }
        var turn = Turn(root: root, in: session)
        turn.failure = reason
        settle(root)
        return turn.finish(at: now).map { .answer(id: turn.id, $0) }
    }

    /// Ends all answers of the session for the given reason.
    mutating func close(_ reason: String?, at now: Int64) -> [Effect] {
        if let reason, current?.failure == nil { current?.failure = reason }
        var effects = finishTurn(at: now)
        for root in expected.sorted() { effects += unanswered(root, reason: reason, at: now) }
        waiting = []
        users = [:]
        prompts = []
        failure = nil
        abortion = nil
        aborted = []
        last = nil
        return effects
    }

    // MARK: Lists

    /// Applies a list of the session's newest messages, and emits the content that was missing in the received events.
    /// Lists and events arrive independently, so either may contain newer content.
    mutating func apply(_ messages: [Message], at now: Int64) -> [Effect] {
        defer { isKnown = true }
        let entries = Entry.entries(messages, isAll: true)
        guard let last = entries.last(where: { $0.role == .assistant }) else { return [] }
        if !isKnown {
            // If the messages after these answers are reverted, the answers are the last answers again, but they are
            // not new. Therefore mark them as ended.
            let old = entries.filter { $0.role == .assistant && $0.isComplete && $0.root != last.root }.map(\.root)
            ended = old.filter { root in !isOpen(root) && !waiting.contains { $0.root == root } } + ended
            ended = Array(ended.suffix(Self.remembered))
        }
        if current?.root != last.root {
            guard !ended.contains(last.root) else { return [] }
            let isObserved = isKnown || waiting.contains { $0.root == last.root } || isOpen(last.root)
            if last.isComplete && !isObserved {
                remember(last.root)
                return []
            }
        }
        var effects: [Effect] = []
        for message in messages {
            guard case .assistant(let assistant) = message.info, assistant.isSummary != true,
                assistant.parentID == last.root || self.messages.contains(assistant.id)
            else { continue }
            effects += answering(assistant, now)
            for part in message.parts {
                effects += answerEffects(of: assistant.id) { $0.apply(part, isRead: true, at: now) }
            }
        }
        return effects
    }

    /// Applies the newest messages of a session that OpenCode no longer reports as busy.
    ///
    /// - Parameter accepted: The user messages that OpenCode had accepted at the time of the request. The answer to a
    ///   later message is still expected.
    mutating func applyIdle(_ messages: [Message], accepted: Set<String>, at now: Int64) -> [Effect] {
        var effects = apply(messages, at: now)
        for index in waiting.indices { waiting[index].wasBroken = true }
        effects += idle(at: now)
        for root in expected.intersection(accepted).sorted() { effects += unanswered(root, reason: nil, at: now) }
        return effects
    }
}
