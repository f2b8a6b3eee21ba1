// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// Processes the messages of a chat's client.
extension ChatSession {
    /// The maximum number of attempts to read a conversation. A read is repeated if an answer ends in the meantime.
    private static var attempts: Int { 3 }

    /// The maximum number of conversations whose messages one list counts.
    private static var mostCounted: Int { 100 }

    /// Processes a message, and reports the result to the client.
    func process(_ message: ClientMessage, over transport: isolated Transport) async {
        do throws(ConversationFailure) {
            switch message {
            case .list: try await list(over: transport)
            case .new(let id): try await create(id, over: transport)
            case .load(let id): try await load(id, over: transport)
            case .delete(let id): try await delete(id, over: transport)
            case .user(let id, let text): await send(text, to: id, over: transport)
            case .ping, .cancel: break
            }
        } catch {
            guard case .refused(let refusal) = error else { return }
            switch message {
            case .load(let id), .delete(let id): reportMissing(id, refusal, over: transport)
            default: transport.commitAndSend([Self.error(refusal)], to: number)
            }
        }
    }

    private static func error(_ refusal: ConversationError) -> [UInt8] {
        ServerMessage.error(ClientMessage.Problem(refusal))
    }

    /// Reports that a conversation could not be loaded or deleted. If the conversation was deleted and no event has
    /// reported the deletion, publishes the deletion.
    private func reportMissing(_ id: ConversationID, _ refusal: ConversationError, over transport: isolated Transport) {
        if case .deletion(_, isReported: true) = current?.kind { return }
        if refusal.kind == .notFound, let session = transport.state.session(id) {
            transport.commitAndPublish(transport.state.missing(session, at: transport.now))
        }
        transport.commitAndSend([Self.error(refusal)], to: number)
    }

    // MARK: Conversations

    private func list(over transport: isolated Transport) async throws(ConversationFailure) {
        try await transport.updateCatalogue(for: initiator)
        let sessions = try await transport.requestConversations(for: initiator)
        let uncounted = transport.state.uncounted(sessions).prefix(Self.mostCounted)
        try await transport.countMessages(of: Array(uncounted), for: initiator)
        let listed = transport.state.listed(sessions)
        transport.commitAndSend([ServerMessage.list(listed)], to: number)
    }

    private func create(_ id: ConversationID?, over transport: isolated Transport) async throws(ConversationFailure) {
        let free = id.flatMap { transport.state.session($0) == nil ? $0 : nil }
        let request = transport.requests.create(title: nil)
        let session = try await transport.requestSession(request, for: initiator)
        transport.state.apply(session)
        // Another client may have chosen the id in the meantime.
        if let free, transport.state.session(free) == nil { transport.state.choose(free, for: session.id) }
        watched.insert(session.id)
        let created = ServerMessage.created(transport.state.id(of: session.id), title: session.title)
        transport.commitAndSend([created], to: number)
    }

    private func load(_ id: ConversationID, over transport: isolated Transport) async throws(ConversationFailure) {
        for attempt in 1...Self.attempts {
            let session = try await transport.requireConversation(id, for: initiator)
            let revision = transport.state.revision(of: session.id)
            let page = Window.Page(size: 200)
            let window = try await transport.requestMessages(of: session, page, for: initiator) { window in
                // The encoded texts are at least as long as the plain texts, so more entries would not fit into a
                // message.
                window.entries.reduce(0) { $0 + $1.text.utf8.count } > ServerMessage.loaded
            }
            guard transport.state.known[session.id] != nil else { throw .refused(.noConversation) }
            guard revision != transport.state.revision(of: session.id), attempt < Self.attempts else {
                return loaded(session, window: window, over: transport)
            }
        }
    }

    /// Sends the conversation. If an answer is being written, also sends the events that were already emitted for the
    /// answer, so that the next event continues the answer.
    private func loaded(_ session: Session, window: Window, over transport: isolated Transport) {
        let events = transport.state.apply(window.messages, of: session.id, at: transport.now)
        let state = transport.state
        let id = state.id(of: session.id)
        let turn = state.current(session.id)
        let title = state.known[session.id]?.session.title ?? session.title
        let entries = window.entries.filter { $0.role == .user || $0.root != turn?.root }
        var messages = [ServerMessage.loaded(id, title: title, entries, isAll: window.isAll)]
        if let turn {
            let servers = state.catalogue?.servers ?? []
            for event in turn.events { messages += ServerMessage.answer(id, id: turn.id, event, servers: servers) }
        }
        transport.commitAndPublish(events, except: number)
        watched.insert(session.id)
        transport.send(messages, to: number)
    }

    private func delete(_ id: ConversationID, over transport: isolated Transport) async throws(ConversationFailure) {
        let session = try await transport.requireConversation(id, for: initiator).id
        try await transport.deleteSession(session, for: initiator)
        // The deletion's event may have arrived before the response. In that case, the state no longer contains the id
        // that the client chose, so use the id of the request.
        let conversation = transport.state.session(id) == session ? transport.state.id(of: session) : id
        watched.remove(session)
        transport.commitAndPublish(transport.state.deleted(session, at: transport.now), except: number)
        if case .deletion(_, isReported: true) = current?.kind { return }
        transport.send([ServerMessage.deleted(conversation)], to: number)
    }

    // MARK: Prompts

    private func send(_ text: String, to id: ConversationID, over transport: isolated Transport) async {
        let messageID = PromptID.make(at: transport.now) { transport.random() }
        let done = ServerMessage.done(id, id: Entry.answerID(to: messageID, in: id.text))
        do throws(ConversationFailure) {
            let session = try await findOrCreate(id, for: text, over: transport)
            guard !isCancelled else { return transport.commitAndSend([done], to: number) }
            await sendPrompt(text, messageID: messageID, to: id, in: session, over: transport)
        } catch {
            guard case .refused(let refusal) = error else { return }
            transport.commitAndSend([Self.error(refusal), done], to: number)
        }
    }

    /// Finds or creates the session of a message, and ensures that a model is available.
    private func findOrCreate(_ id: ConversationID, for text: String, over transport: isolated Transport)
        async throws(ConversationFailure) -> String
    {
        try await transport.requireModel(for: initiator)
        if let session = try await transport.findConversation(id, for: initiator) { return session.id }
        let request = transport.requests.create(title: String(text.prefix(ServerMessage.title)))
        let session = try await transport.requestSession(request, for: initiator)
        if let other = transport.state.session(id), other != session.id, transport.state.known[other] != nil {
            // Another client has created the conversation in the meantime. Use the session of that conversation, and
            // remove the superfluous session unless it is in use.
            if !transport.state.isBusy(session.id) { startRemoval(of: session.id, over: transport) }
            return other
        }
        transport.state.apply(found: session)
        transport.state.choose(id, for: session.id)
        transport.commit()
        return session.id
    }

    /// Starts the task that deletes a superfluous session.
    private func startRemoval(of session: String, over transport: isolated Transport) {
        let initiator = initiator
        _ = Task.immediate(executorPreference: transport.executor) {
            do throws(ConversationFailure) {
                try await transport.deleteSession(session, for: initiator)
                transport.commitAndPublish(transport.state.deleted(session, at: transport.now))
            } catch {
                // If the removal fails, the session remains as an empty conversation.
            }
        }
    }

    private func sendPrompt(
        _ text: String, messageID: String, to id: ConversationID, in session: String, over transport: isolated Transport
    ) async {
        transport.state.expect(messageID, text, in: session, at: transport.now)
        watched.insert(session)
        let request = transport.requests.prompt(
            session, messageID: messageID, text, model: transport.state.chosenModel(of: session))
        do throws(ConversationFailure) {
            try await transport.awaitEnd(of: session)
            _ = try await transport.sendSuccessfully(request, for: initiator)
            transport.state.accepted(messageID, in: session)
            // The client may have cancelled the message before OpenCode accepted it.
            if isCancelled, transport.state.isBusy(session) { startAbort(of: session, over: transport) }
        } catch {
            transport.state.forget(messageID, in: session)
            guard case .refused(let refusal) = error else { return }
            let events = refusal.kind == .notFound ? transport.state.missing(session, at: transport.now) : []
            transport.commitAndPublish(events)
            let done = ServerMessage.done(id, id: Entry.answerID(to: messageID, in: session))
            transport.send([Self.error(refusal), done], to: number)
        }
    }
}

extension ConversationTransport {
    /// Stores the changes of a client, and then sends messages to the client.
    fileprivate func commitAndSend(_ messages: [[UInt8]], to chat: Int) {
        commit()
        send(messages, to: chat)
    }
}

extension ConversationState {
    /// Returns the items of a chat's list, the newest message first. Sessions that no longer exist are omitted.
    func listed(_ sessions: [Session]) -> [ServerMessage.Listed] {
        ordered(sessions.compactMap { known[$0.id]?.session }).map { session in
            ServerMessage.Listed(
                id: id(of: session.id), title: session.title, lastMessage: lastMessageTime(of: session.id),
                count: lastCount(of: session.id) ?? 0)
        }
    }

    /// Sorts sessions by their newest message, the newest first. If the times are equal, the greater id is first.
    func ordered(_ list: [Session]) -> [Session] {
        let keyed = list.map { (session: $0, time: lastMessageTime(of: $0.id)) }
        return keyed.sorted { ($0.time, $0.session.id) > ($1.time, $1.session.id) }.map(\.session)
    }
}
