// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// Requests for sessions and their messages.
extension ConversationTransport {
    // MARK: Sessions

    /// Sends a request whose response is a session.
    func requestSession(_ request: ClientRequest, for initiator: Initiator)
        async throws(ConversationFailure) -> Session
    {
        let answer = try await sendSuccessfully(request, for: initiator)
        guard let session = answer.json.flatMap({ Session(openCode1: $0) }) else { throw .refused(.strange) }
        return session
    }

    /// Requests the list of all conversations, applies it to the state, and publishes the deletions that the list
    /// shows. Returns the conversations in the list that still exist.
    func requestConversations(for initiator: Initiator) async throws(ConversationFailure) -> [Session] {
        let known = Set(state.known.keys)
        let answer = try await sendSuccessfully(requests.sessions(), for: initiator)
        guard let items = answer.json?.array else { throw .refused(.strange) }
        let sessions = items.compactMap { Session(openCode1: $0) }.filter(\.isConversation)
        var list = SessionList(sessions: sessions, known: known)
        // Request the sessions that are missing in the list, one after the other.
        for session in known.subtracting(sessions.map(\.id)).sorted().prefix(SessionList.mostMissing) {
            let answer = try await send(requests.session(session), for: initiator)
            if answer.status == 404 { list.deleted.append(session) }
            if answer.isGood { list.unlisted.append(session) }
        }
        commitAndPublish(state.apply(list, at: now))
        return sessions.compactMap { state.known[$0.id]?.session }
    }

    /// Finds a conversation. If the conversation is unknown, requests the list of all conversations and searches the
    /// list. Returns nil if no conversation has this id.
    func findConversation(_ id: ConversationID, for initiator: Initiator)
        async throws(ConversationFailure) -> Session?
    {
        if let session = state.knownSession(id) { return session }
        _ = try await requestConversations(for: initiator)
        return state.knownSession(id)
    }

    /// Finds a conversation that must exist.
    func requireConversation(_ id: ConversationID, for initiator: Initiator)
        async throws(ConversationFailure) -> Session
    {
        guard let session = try await findConversation(id, for: initiator) else { throw .refused(.noConversation) }
        return session
    }

    // MARK: Messages

    /// Reads a session's messages, the newest first, until `isEnough` returns true or no messages remain.
    ///
    /// - Parameter page: The size of the requested pages, and OpenCode's cursor for the first one.
    func requestMessages(
        of session: Session, _ page: Window.Page, for initiator: Initiator, until isEnough: (Window) -> Bool
    ) async throws(ConversationFailure) -> Window {
        var window = Window(session.revert)
        var next: Window.Page? = page
        while let page = next {
            let request = requests.messages(session.id, limit: page.size, before: page.before)
            let answer = try await sendSuccessfully(request, for: initiator)
            guard let list = answer.json?.array else { throw .refused(.strange) }
            next = window.add(list, nextCursor: answer.nextCursor, of: page)
            if isEnough(window) { break }
        }
        return window
    }

    /// Reads a page of at most `limit` entries: the newest entries, or those before a position.
    func requestPage(
        of session: Session, limit: Int, before position: MessagePage.Position?, for initiator: Initiator
    ) async throws(ConversationFailure) -> MessagePage {
        // Request twice the number of messages, because an answer with tools consists of several messages. For 30
        // entries, one of OpenCode 2's pages of 100 messages is still sufficient, although these pages also contain
        // messages about the end of a turn.
        let page = Window.Page(size: max(40, limit * 2), before: position?.before)
        let window = try await requestMessages(of: session, page, for: initiator) { window in
            MessagePage.isComplete(in: window, limit: limit, before: position)
        }
        return MessagePage(window, limit: limit, before: position)
    }

    /// Counts the messages of sessions, one session after the other, and applies the counts to the state. Omits sessions
    /// that cannot be read.
    func countMessages(of sessions: [Session], for initiator: Initiator) async throws(ConversationFailure) {
        for session in sessions {
            // Read the revision first. If a message arrives during the count, the count is only approximate.
            let revision = state.revision(of: session.id)
            do throws(ConversationFailure) {
                let survey = try await requestSurvey(of: session, for: initiator)
                state.apply(survey, of: session.id, revision: revision)
            } catch {
                if case .ended = error { throw error }
            }
        }
    }

    /// Requests the message count and the newest message of a session. If the count is known, reads only the newest
    /// messages.
    func requestSurvey(of session: Session, for initiator: Initiator) async throws(ConversationFailure) -> Survey {
        if let count = state.count(of: session.id) {
            let window = try await requestMessages(of: session, Window.Page(size: 10), for: initiator) { window in
                !window.entries.isEmpty
            }
            return Survey(count: count, newest: window.entries.last)
        }
        let window = try await requestMessages(of: session, Window.Page(size: 200), for: initiator) { _ in false }
        let entries = window.entries
        return Survey(count: entries.count, newest: entries.last)
    }

    // MARK: Checks

    /// Queries whether a session is still busy, and applies the result. Returns the events that were missed.
    ///
    /// - Parameter check: The beginning of the check. Only prompts that OpenCode had accepted by then can end.
    package func finish(_ check: ConversationState.Check, for initiator: Initiator)
        async throws(ConversationFailure) -> [ConversationEvent]
    {
        let answer = try await send(requests.session(check.session), for: initiator)
        if answer.status == 404 { return state.apply(check, found: nil, at: now) }
        guard answer.isGood else { throw .refused(answer.refusal) }
        guard let session = answer.json.flatMap({ Session(openCode1: $0) }) else { throw .refused(.strange) }
        let states = try await sendSuccessfully(requests.states(), for: initiator)
        guard let busy = states.json?.object else { throw .refused(.strange) }
        let isBusy = busy[check.session]?["type"]?.text.map { $0 != "idle" } ?? false
        let window = try await requestMessages(of: session, Window.Page(size: 100), for: initiator) { window in
            !window.entries.isEmpty
        }
        return state.apply(check, found: (isBusy, window.messages), at: now)
    }
}
