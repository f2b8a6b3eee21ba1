// SPDX-License-Identifier: Apache-2.0

package import Dialects
internal import JSONText

/// The response to a request of the conversation protocol.
package enum ConversationResponse: Sendable {
    /// The complete response.
    case answer(ConversationAnswer)
    /// Start an event stream (200, `text/event-stream`), pass the events of its session to it, and then send the prompt
    /// (``ConversationTransport/sendPrompt(_:of:for:)``).
    case stream(AnswerStream, prompt: ClientRequest)
}

/// Handles the requests of the conversation protocol.
extension ConversationTransport {
    /// Returns the response to a request; nil if the request has ended.
    package func respond(to request: ConversationRequest, for initiator: Initiator) async -> ConversationResponse? {
        let messageID = PromptID.make(at: now) { random() }
        switch request.endpoint {
        case .failure(let answer): return .answer(answer)
        case .success(let endpoint):
            do throws(ConversationFailure) {
                return try await respond(to: endpoint, messageID: messageID, for: initiator)
            } catch {
                guard case .refused(let refusal) = error else { return nil }
                commit()
                return .answer(ConversationAnswer(refusal))
            }
        }
    }

    /// Sends the prompt of an event stream. Returns the reason if OpenCode does not accept the prompt.
    package func sendPrompt(_ prompt: ClientRequest, of stream: AnswerStream, for initiator: Initiator)
        async throws(ConversationFailure) -> ConversationError?
    {
        do throws(ConversationFailure) {
            _ = try await sendSuccessfully(prompt, for: initiator)
            state.accepted(stream.messageID, in: stream.session)
            return nil
        } catch {
            state.forget(stream.messageID, in: stream.session)
            guard case .refused(let refusal) = error else { throw error }
            return refusal
        }
    }

    private func respond(to endpoint: ConversationRequest.Endpoint, messageID: String, for initiator: Initiator)
        async throws(ConversationFailure) -> ConversationResponse
    {
        switch endpoint {
        case .models:
            let catalogue = try await requestCatalogue(for: initiator)
            return answer(.array(catalogue.models.map(ConversationShapes.model)))
        case .list(let limit, let cursor, let search):
            return try await list(limit: limit, cursor: cursor, search: search, for: initiator)
        case .create(let changes, let first):
            return try await create(changes, firstMessage: first, for: initiator)
        case .get(let id):
            try await updateCatalogue(for: initiator)
            let session = try await requireConversation(id, for: initiator)
            return try await shown(session, messages: requestDetails(of: session, for: initiator))
        case .change(let id, let changes): return try await change(id, applying: changes, for: initiator)
        case .delete(let id):
            let session = try await requireConversation(id, for: initiator)
            try await deleteSession(session.id, for: initiator)
            commitAndPublish(state.deleted(session.id, at: now))
            return .answer(ConversationAnswer(204, json: nil))
        case .duplicate(let id): return try await duplicate(id, for: initiator)
        case .messages(let id, let limit, let position):
            let session = try await requireConversation(id, for: initiator)
            let page = try await requestPage(of: session, limit: limit, before: position, for: initiator)
            let written = page.entries.map { state.written($0, in: session.id) }
            return answer([
                "items": .array(written.map(ConversationShapes.message)),
                "nextCursor": page.nextCursor.map(JSON.string) ?? .null,
            ])
        case .send(let id, let text):
            return try await stream(text, to: id, messageID: messageID, for: initiator)
        }
    }

    private func answer(_ json: JSON, status: Int = 200) -> ConversationResponse {
        commit()
        return .answer(ConversationAnswer(status, json: json))
    }

    private func shown(_ session: Session, messages: [Entry]) throws(ConversationFailure) -> ConversationResponse {
        guard let shown = state.shown(session.id, messages: messages) else { throw .refused(.noConversation) }
        return answer(shown)
    }

    // MARK: Lists

    private func list(limit: Int, cursor: String?, search: String?, for initiator: Initiator)
        async throws(ConversationFailure) -> ConversationResponse
    {
        let position = cursor.flatMap(ConversationPage.Position.init)
        if let cursor, !cursor.isEmpty, position == nil {
            return .answer(ConversationAnswer(400, "cursor is invalid. Use the nextCursor of another page."))
        }
        try await updateCatalogue(for: initiator)
        let sessions = try await requestConversations(for: initiator)
        // The order depends on the time of the newest message, so count all conversations whose count is unknown.
        let uncounted = state.uncounted(sessions).prefix(ConversationPage.mostCounted)
        try await countMessages(of: Array(uncounted), for: initiator)
        let page = ConversationPage(
            state.ordered(sessions), limit: limit, after: position, search: search, in: state)
        let counted = Set(uncounted.map(\.id))
        let unseen = page.sessions.compactMap { state.known[$0] }
            .filter { $0.newest == nil && state.count(of: $0.session.id) != 0 && !counted.contains($0.session.id) }
        try await countMessages(of: unseen.map(\.session), for: initiator)
        return answer([
            "items": .array(page.sessions.compactMap { state.shown($0) }),
            "nextCursor": page.nextCursor.map(JSON.string) ?? .null,
        ])
    }

    // MARK: Single conversations

    private func create(_ changes: ConversationRequest.Changes, firstMessage: String?, for initiator: Initiator)
        async throws(ConversationFailure) -> ConversationResponse
    {
        let title = changes.title ?? firstMessage.map { String($0.prefix(ServerMessage.title)) }
        _ = try await requestCatalogue(for: initiator)
        let request = requests.create(title: title?.isEmpty == true ? nil : title)
        let session = try await requestSession(request, for: initiator)
        state.apply(session)
        state.apply(Survey(count: 0, newest: nil), of: session.id, revision: 0)
        state.apply(changes, to: session.id)
        guard let shown = state.shown(session.id, messages: []) else { throw .refused(.noConversation) }
        return answer(["conversation": shown], status: 201)
    }

    private func change(
        _ id: ConversationID, applying changes: ConversationRequest.Changes, for initiator: Initiator
    ) async throws(ConversationFailure) -> ConversationResponse {
        if changes.model == nil { try await updateCatalogue(for: initiator) }
        var session = try await requireConversation(id, for: initiator)
        if let title = changes.title {
            session = try await requestSession(requests.rename(session.id, to: title), for: initiator)
            state.apply(session)
        }
        if changes.model != nil { _ = try await requestCatalogue(for: initiator) }
        let messages = try await requestDetails(of: session, for: initiator)
        state.apply(changes, to: session.id)
        return try shown(session, messages: messages)
    }

    private func duplicate(_ id: ConversationID, for initiator: Initiator)
        async throws(ConversationFailure) -> ConversationResponse
    {
        try await updateCatalogue(for: initiator)
        let original = try await requireConversation(id, for: initiator)
        var copy = try await requestSession(requests.fork(original.id), for: initiator)
        // OpenCode before 1.2 does not name the original in the title of a copy, so rename the copy.
        if !copy.title.contains(original.title) {
            let request = requests.rename(copy.id, to: "\(original.title) (copy)")
            copy = try await requestSession(request, for: initiator)
        }
        state.apply(copy)
        let messages = try await requestDetails(of: copy, for: initiator)
        // The copy keeps the chosen model, but is not pinned.
        if let model = state.chosenModel(of: original.id) { state.choose(model: model, for: copy.id) }
        return try shown(copy, messages: messages)
    }

    /// Reads a conversation's newest messages. If the message count is unknown, also counts all messages.
    private func requestDetails(of session: Session, for initiator: Initiator)
        async throws(ConversationFailure) -> [Entry]
    {
        let revision = state.revision(of: session.id)
        let counted = state.count(of: session.id)
        let page = try await requestPage(of: session, limit: 30, before: nil, for: initiator)
        let survey =
            if let count = page.nextCursor == nil ? page.entries.count : counted {
                Survey(count: count, newest: page.entries.last)
            } else {
                try await requestSurvey(of: session, for: initiator)
            }
        state.apply(survey, of: session.id, revision: revision)
        return page.entries
    }

    // MARK: Messages

    /// Prepares a session for a message, and returns the event stream of the answer. Aborts work that is still running,
    /// because the stream must contain only the answer to its own message.
    private func stream(_ text: String, to id: ConversationID, messageID: String, for initiator: Initiator)
        async throws(ConversationFailure) -> ConversationResponse
    {
        try await requireModel(for: initiator)
        let session = try await requireConversation(id, for: initiator).id
        // If another client is aborting the session, OpenCode would report an idle session for a second abort, possibly
        // after the message has arrived. Therefore wait for the end of that abort first. OpenCode may have refused that
        // abort, so abort the session if it is still busy afterwards.
        let wasBusy = state.isBusy(session)
        try await awaitEnd(of: session)
        if wasBusy, state.isBusy(session) { try await abort(session, for: initiator) }
        state.expect(messageID, text, in: session, at: now)
        let stream = AnswerStream(state.id(of: session), session: session, messageID: messageID, at: now)
        let model = state.chosenModel(of: session)
        commit()
        return .stream(stream, prompt: requests.prompt(session, messageID: messageID, text, model: model))
    }
}

extension ConversationState {
    /// Applies the model and the pin that a client has requested.
    fileprivate mutating func apply(_ changes: ConversationRequest.Changes, to session: String) {
        if let wanted = changes.model { choose(model: catalogue?.model(wanted), for: session) }
        if let isPinned = changes.isPinned { pin(session, isPinned) }
    }
}
