package import Dialects
internal import JSONText

extension ConversationState {
    /// Takes an event of the project, in OpenCode 1's words and in order. `now`: milliseconds since 1970.
    package mutating func hear(_ event: Event, at now: Int64) -> [Told] {
        switch event.change {
        case .sessionCreated(let session), .sessionUpdated(let session):
            update(session)
            return []
        case .sessionDeleted(let session): return deleted(session.id, at: now)
        case .messageRemoved(let session, _) where isConversation(session):
            doubtCount(of: session)
            return []
        // OpenCode 2 says no more of a session that is gone.
        case .other("session.deleted", let properties):
            return properties["sessionID"]?.text.map { deleted($0, at: now) } ?? []
        default:
            guard let session = event.change.sessionID, isConversation(session) else { return [] }
            return take(session) { $0.hear(event.change, at: now) }
        }
    }

    /// The project's OpenCode has ended, for this reason: whatever it was writing is over.
    package mutating func instanceEnded(_ reason: String, at now: Int64) -> [Told] {
        turns.keys.sorted().flatMap { session in take(session) { $0.close(reason, at: now) } }
    }

    /// Events are missing from here on. Gives the sessions of which ``check(_:)`` is to be asked.
    package mutating func missed() -> [String] {
        doubtCounts()
        for session in turns.keys { turns[session]?.miss() }
        return open
    }

    // MARK: Replay

    /// Takes an event that came before anybody listened. Only answers that are still written are learned of it; nobody is told.
    package mutating func replay(_ event: Event, at now: Int64) {
        switch event.change {
        case .sessionCreated(let session), .sessionUpdated(let session):
            // What else is known of sessions is read from OpenCode, which may have changed them since.
            if !session.isConversation { learn(session) }
        case .sessionDeleted(let session): turns[session.id] = nil
        case .other("session.deleted", let properties): turns[properties["sessionID"]?.text ?? ""] = nil
        default:
            guard let session = event.change.sessionID, isConversation(session) else { return }
            _ = turns[session, default: SessionTurns(session)].hear(event.change, at: now)
        }
    }

    /// Events are missing at this place of the replay. `endsTurns`: OpenCode has ended there.
    package mutating func replayGap(endsTurns: Bool) {
        if endsTurns { turns = [:] }
        for session in turns.keys { turns[session]?.miss() }
    }

    /// Everything was replayed. Gives the sessions of which ``check(_:)`` is to be asked. An answer whose beginning is missing is
    /// read from OpenCode, so that its texts have their order.
    package mutating func endReplay() -> [String] {
        turns = turns.filter { isConversation($0.key) && $0.value.isWhole }
        return open
    }

    /// Sessions whose answer is written or awaited, and of which nothing was heard for so many milliseconds: an end that was
    /// missed is found by ``check(_:)``.
    package func quiet(for milliseconds: Int64, at now: Int64) -> [String] {
        open.filter { now - (turns[$0]?.heard ?? 0) >= milliseconds }
    }

    private var open: [String] { turns.filter(\.value.isBusy).keys.sorted() }

    /// What OpenCode says of a session.
    package struct Check: Sendable {
        let session: String
        let revision: Int
        /// The users' messages that OpenCode had when it was asked.
        let taken: Set<String>
        /// Nil: there is no such session any more.
        let found: (isBusy: Bool, messages: [Message])?
    }

    /// Asks whether a session still works.
    package func check(_ session: String) -> Plan<Check> {
        let (asking, revision, taken) = (asking, revision(of: session), turns[session]?.taken ?? [])
        return .ask(asking.request("GET", ["session", session])) { answer in
            if answer.status == 404 {
                return .done(Check(session: session, revision: revision, taken: taken, found: nil))
            }
            guard answer.isGood else { return .refused(answer.refusal) }
            guard let found = answer.json.flatMap({ Session(openCode1: $0) }) else { return .refused(.strange) }
            return asking.isBusy(session).then { isBusy in
                Window.read(found, asking, size: 100) { !$0.entries.isEmpty }.then { window in
                    .done(
                        Check(session: session, revision: revision, taken: taken, found: (isBusy, window.messages)))
                }
            }
        }
    }

    /// What the check has shown is told where it was missed.
    package mutating func checked(_ check: Check, at now: Int64) -> [Told] {
        guard let (isBusy, messages) = check.found else { return deleted(check.session, at: now) }
        guard check.revision == revision(of: check.session) else { return [] }
        return take(check.session) { turns in
            isBusy ? turns.learn(messages, at: now) : turns.rest(messages, taken: check.taken, at: now)
        }
    }

    // MARK: Answers

    /// A prompt is about to be sent: its end will be told, whatever becomes of it.
    mutating func expect(_ messageID: String, _ text: String, in session: String, at now: Int64) {
        turns[session, default: SessionTurns(session)].expect(messageID, text)
        turns[session]?.touch(at: now)
    }

    /// OpenCode has taken the prompt.
    mutating func took(_ messageID: String, in session: String) { turns[session]?.took(messageID) }

    /// The prompt was refused.
    mutating func forget(_ messageID: String, in session: String) { turns[session]?.forget(messageID) }

    /// What runs in a session is about to be aborted, as a client asked.
    package mutating func abort(_ session: String) { turns[session]?.abort() }

    /// Whether something in a session was aborted whose end was not received yet.
    package func isEnding(_ session: String) -> Bool { turns[session]?.abortion != nil }

    /// The end of what was aborted is not awaited any longer.
    package mutating func giveUpEnd(of session: String, at now: Int64) -> [Told] {
        guard turns[session] != nil else { return [] }
        return take(session) { $0.giveUpEnd(at: now) }
    }

    /// An answer whose session is idle though its last message is not complete.
    package struct Held: Sendable, Equatable {
        /// OpenCode's id.
        package let session: String
        let message: String
    }

    /// The answers that have begun to wait for the end of their last message since this was asked last. Each is to be given
    /// to ``giveUp(_:at:)`` after ``Abort/patience``.
    package mutating func takeHeld() -> [Held] {
        defer { held = [] }
        return held
    }

    /// The answer ends if it still waits for that message.
    package mutating func giveUp(_ held: Held, at now: Int64) -> [Told] {
        guard turns[held.session] != nil else { return [] }
        return take(held.session) { $0.giveUpEnd(of: held.message, at: now) }
    }

    /// What a list of messages says beyond what was heard.
    mutating func learn(_ messages: [Message], of session: String, at now: Int64) -> [Told] {
        take(session) { $0.learn(messages, at: now) }
    }

    /// The answer that is written in a conversation now.
    func current(_ session: String) -> Turn? { turns[session]?.current }

    /// An entry of a list with all that was received of its text: OpenCode since 1.2 stores a text when it is complete.
    func written(_ entry: Entry, in session: String) -> Entry {
        guard entry.role == .assistant, !entry.isComplete else { return entry }
        let turn = current(session).flatMap { $0.root == entry.root ? $0.fullText : nil }
        // It may have ended since the list was made.
        let newest = known[session]?.newest.flatMap { $0.id == entry.id ? $0.text : nil }
        var written = entry
        for text in [turn, newest] {
            if let text, text.utf8.count > written.text.utf8.count { written.text = text }
        }
        return written
    }

    /// Whether an answer is written or awaited.
    func isBusy(_ session: String) -> Bool { turns[session]?.isBusy ?? false }

    /// A conversation is gone. That is told once, whichever comes first: its event, a list without it, or an answer.
    mutating func deleted(_ session: String, at now: Int64) -> [Told] {
        guard isConversation(session) else { return [] }
        let conversation = id(of: session)
        let told = take(session) { $0.close(nil, at: now) }
        forget(session, isGone: true)
        guard !gone.contains(session) else { return told }
        noteGone(session)
        return told + [Told(session: session, conversation: conversation, content: .deleted)]
    }

    private mutating func take(_ session: String, _ take: (inout SessionTurns) -> [SessionTurns.Outcome]) -> [Told] {
        let outcomes = take(&turns[session, default: SessionTurns(session)])
        guard !outcomes.isEmpty else { return [] }
        let conversation = id(of: session)
        return outcomes.compactMap { outcome in
            switch outcome {
            case .answer(let id, let event):
                return Told(session: session, conversation: conversation, content: .answer(id: id, event))
            case .renamed(let sent, let id):
                return Told(session: session, conversation: conversation, content: .renamed(sent: sent, as: id))
            case .said(let entry):
                add(entry, to: session)
                return nil
            case .answered(let entry):
                if entry.isComplete { finish(entry, in: session) } else { add(entry, to: session) }
                return nil
            case .held(let message):
                held.append(Held(session: session, message: message))
                return nil
            }
        }
    }
}
