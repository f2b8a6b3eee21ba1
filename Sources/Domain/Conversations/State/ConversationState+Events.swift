// SPDX-License-Identifier: Apache-2.0

package import Dialects
internal import JSONText

extension ConversationState {
    /// Applies an event of the project, in the form of OpenCode 1. The events must be passed in order.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package mutating func receive(_ event: Event, at now: Int64) -> [ConversationEvent] {
        switch event.change {
        case .sessionCreated(let session), .sessionUpdated(let session):
            update(session)
            return []
        case .sessionDeleted(let session): return deleted(session.id, at: now)
        case .messageRemoved(let session, _) where isConversation(session):
            doubtCount(of: session)
            return []
        // OpenCode 2 sends only this event for a deleted session.
        case .other("session.deleted", let properties):
            return properties["sessionID"]?.text.map { deleted($0, at: now) } ?? []
        default:
            guard let session = event.change.sessionID, isConversation(session) else { return [] }
            return updateTurns(session) { $0.receive(event.change, at: now) }
        }
    }

    /// Ends everything that the project's OpenCode was writing, because its instance has ended for the given reason.
    package mutating func instanceEnded(_ reason: String, at now: Int64) -> [ConversationEvent] {
        turns.keys.sorted().flatMap { session in updateTurns(session) { $0.close(reason, at: now) } }
    }

    /// Records that events are missing at this point. Returns the sessions that the caller must check (``check(_:)``).
    package mutating func missed() -> [String] {
        doubtCounts()
        for session in turns.keys { turns[session]?.miss() }
        return open
    }

    // MARK: Replay

    /// Applies an event from the time before the gateway subscribed. The call updates only unfinished answers and emits
    /// no event.
    package mutating func replay(_ event: Event, at now: Int64) {
        switch event.change {
        case .sessionCreated(let session), .sessionUpdated(let session):
            // Other information about sessions is read from OpenCode, because the information may have changed since
            // the event.
            if !session.isConversation { apply(session) }
        case .sessionDeleted(let session): turns[session.id] = nil
        case .other("session.deleted", let properties): turns[properties["sessionID"]?.text ?? ""] = nil
        default:
            guard let session = event.change.sessionID, isConversation(session) else { return }
            _ = turns[session, default: SessionTurns(session)].receive(event.change, at: now)
        }
    }

    /// Records a gap at this position of the replay.
    ///
    /// - Parameter endsTurns: Whether all turns end at the gap, because OpenCode has ended.
    package mutating func replayGap(endsTurns: Bool) {
        if endsTurns { turns = [:] }
        for session in turns.keys { turns[session]?.miss() }
    }

    /// Ends the replay. Returns the sessions that the caller must check (``check(_:)``). If the beginning of an answer
    /// is missing, the answer is read from OpenCode, so that the answer's texts keep their order.
    package mutating func endReplay() -> [String] {
        turns = turns.filter { isConversation($0.key) && $0.value.isWhole }
        return open
    }

    /// Returns the sessions that have an open or expected answer but have received no event for this number of
    /// milliseconds. A check detects an end whose event was missed.
    package func quiet(for milliseconds: Int64, at now: Int64) -> [String] {
        open.filter { now - (turns[$0]?.lastEventTime ?? 0) >= milliseconds }
    }

    private var open: [String] { turns.filter(\.value.isBusy).keys.sorted() }

    /// A check whether a session is still busy. The value records the state at the beginning of the check.
    package struct Check: Sendable {
        let session: String
        let revision: Int
        /// The user messages that OpenCode had accepted at the beginning of the check.
        let accepted: Set<String>
    }

    /// Begins a check. The requests to OpenCode must follow (``ConversationTransport/finish(_:for:)``).
    package func check(_ session: String) -> Check {
        Check(session: session, revision: revision(of: session), accepted: turns[session]?.accepted ?? [])
    }

    /// Applies the result of a check, and emits the events that were missed.
    ///
    /// - Parameter found: The state of the session according to OpenCode; nil if the session no longer exists.
    mutating func apply(_ check: Check, found: (isBusy: Bool, messages: [Message])?, at now: Int64)
        -> [ConversationEvent]
    {
        guard let (isBusy, messages) = found else { return deleted(check.session, at: now) }
        guard check.revision == revision(of: check.session) else { return [] }
        return updateTurns(check.session) { turns in
            isBusy ? turns.apply(messages, at: now) : turns.applyIdle(messages, accepted: check.accepted, at: now)
        }
    }

    // MARK: Answers

    /// Expects an answer to a prompt that is about to be sent. The end of this answer is emitted in every case.
    mutating func expect(_ messageID: String, _ text: String, in session: String, at now: Int64) {
        turns[session, default: SessionTurns(session)].expect(messageID, text)
        turns[session]?.touch(at: now)
    }

    /// Records that OpenCode has accepted the prompt.
    mutating func accepted(_ messageID: String, in session: String) { turns[session]?.accept(messageID) }

    /// Forgets a prompt that was refused.
    mutating func forget(_ messageID: String, in session: String) { turns[session]?.forget(messageID) }

    /// Records that the work of a session is about to be aborted at a client's request.
    package mutating func abort(_ session: String) { turns[session]?.abort() }

    /// Records that a client of OpenCode is about to abort the work of a session.
    package mutating func expectAbort(of session: String) { turns[session]?.expectAbort() }

    /// Returns whether work in a session was aborted and its end has not been received yet.
    package func isEnding(_ session: String) -> Bool { turns[session]?.abortion != nil }

    /// Stops waiting for the end of the aborted work.
    package mutating func stopWaitingForEnd(of session: String, at now: Int64) -> [ConversationEvent] {
        guard turns[session] != nil else { return [] }
        return updateTurns(session) { $0.stopWaitingForEnd(at: now) }
    }

    /// An answer whose session is idle although its last message is not complete.
    package struct PendingEnd: Sendable, Equatable {
        /// OpenCode's id of the session.
        package let session: String
        let message: String
    }

    /// Returns the answers that have begun to wait for the end of their last message since the previous call. The
    /// caller must pass each of them to ``stopWaiting(_:at:)`` after ``Abort/patience``.
    package mutating func removePendingEnds() -> [PendingEnd] {
        defer { pendingEnds = [] }
        return pendingEnds
    }

    /// Ends the answer if it is still waiting for the end of that message.
    package mutating func stopWaiting(_ pending: PendingEnd, at now: Int64) -> [ConversationEvent] {
        guard turns[pending.session] != nil else { return [] }
        return updateTurns(pending.session) { $0.stopWaitingForEnd(of: pending.message, at: now) }
    }

    /// Applies a list of messages, and emits the content that was missing in the received events.
    mutating func apply(_ messages: [Message], of session: String, at now: Int64) -> [ConversationEvent] {
        updateTurns(session) { $0.apply(messages, at: now) }
    }

    /// Returns the answer that is currently being written in a conversation; nil if there is none.
    func current(_ session: String) -> Turn? { turns[session]?.current }

    /// Returns an entry of a list with all text that was received for it. Since 1.2, OpenCode stores a text only when
    /// it is complete, so the text in the list may be shorter.
    func written(_ entry: Entry, in session: String) -> Entry {
        guard entry.role == .assistant, !entry.isComplete else { return entry }
        let turn = current(session).flatMap { $0.root == entry.root ? $0.fullText : nil }
        // The answer may have ended since OpenCode created the list, so also use the text of the newest entry.
        let newest = known[session]?.newest.flatMap { $0.id == entry.id ? $0.text : nil }
        var written = entry
        for text in [turn, newest] {
            if let text, text.utf8.count > written.text.utf8.count { written.text = text }
        }
        return written
    }

    /// Returns whether an answer is being written or expected.
    package func isBusy(_ session: String) -> Bool { turns[session]?.isBusy ?? false }

    /// Deletes a conversation. The deletion is emitted only once, when the first report of it arrives: the deletion's
    /// event, a list without the conversation, or a response.
    mutating func deleted(_ session: String, at now: Int64) -> [ConversationEvent] {
        guard isConversation(session) else { return [] }
        let conversation = id(of: session)
        let events = updateTurns(session) { $0.close(nil, at: now) }
        forget(session, isDeleted: true)
        guard !deletedSessions.contains(session) else { return events }
        recordDeletion(session)
        return events + [ConversationEvent(session: session, conversation: conversation, content: .deleted)]
    }

    private mutating func updateTurns(_ session: String, _ take: (inout SessionTurns) -> [SessionTurns.Effect])
        -> [ConversationEvent]
    {
        let effects = take(&turns[session, default: SessionTurns(session)])
        guard !effects.isEmpty else { return [] }
        let conversation = id(of: session)
        return effects.compactMap { outcome in
            switch outcome {
            case .answer(let id, let event):
                return ConversationEvent(session: session, conversation: conversation, content: .answer(id: id, event))
            case .renamed(let sent, let id):
                return ConversationEvent(
                    session: session, conversation: conversation, content: .renamed(sent: sent, as: id))
            case .prompt(let entry):
                add(entry, to: session)
                return nil
            case .answered(let entry):
                if entry.isComplete { finish(entry, in: session) } else { add(entry, to: session) }
                return nil
            case .waitsForEnd(let message):
                pendingEnds.append(PendingEnd(session: session, message: message))
                return nil
            }
        }
    }
}
