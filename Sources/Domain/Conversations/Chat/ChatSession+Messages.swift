// SPDX-License-Identifier: Apache-2.0

internal import Dialects

extension ChatSession {
    /// The maximum number of attempts to read a conversation. A read is repeated if an answer ends in the meantime.
    private static let tries = 3

    // MARK: Starting work

    mutating func start(
        _ message: ClientMessage, in state: inout ConversationState, at now: Int64, random: () -> UInt64
    ) -> [Action] {
        switch message {
        case .list: return [run(.list, Self.list(state))]
        case .new(let id):
            let free = id.flatMap { state.session($0) == nil ? $0 : nil }
            return [run(.new(free), state.requestBuilder.create(title: nil).then { .done(.created($0)) })]
        case .load(let id): return [load(id, state, tries: Self.tries)]
        case .delete(let id):
            let requestBuilder = state.requestBuilder
            let plan = state.finding(id).then { list, session in
                requestBuilder.delete(session.id).then { _ in .done(WorkResult.deleted(list, session.id)) }
            }
            return [run(.delete(id, isReported: false), plan)]
        case .user(let id, let text):
            let messageID = PromptID.make(at: now, random)
            isCancelled = false
            if let session = state.session(id), state.known[session] != nil, state.catalogue?.models.isEmpty == false {
                return prompt(id, session: session, text: text, messageID: messageID, in: &state, at: now)
            }
            return [run(.user(id, text, messageID: messageID), Self.prepare(id, for: text, in: state))]
        case .ping, .cancel: return []
        }
    }

    private mutating func load(_ id: ConversationID, _ state: ConversationState, tries: Int) -> Action {
        let requestBuilder = state.requestBuilder
        let before = state
        let plan = state.finding(id).then { list, session in
            let revision = before.revision(of: session.id)
            return Window.load(session, requestBuilder, size: 200) { window in
                // The encoded texts are at least as long as the plain texts, so more entries would not fit into a
                // message.
                window.entries.reduce(0) { $0 + $1.text.utf8.count } > ServerMessage.loaded
            }
            .then { .done(WorkResult.loaded(list, session, $0, revision: revision)) }
        }
        return run(.load(id, tries: tries), plan)
    }

    private static func list(_ state: ConversationState) -> Plan<WorkResult> {
        state.offers().then { _ in state.listing() }.then { list in
            var after = state
            _ = after.apply(list, at: 0)
            let revisions = Dictionary(list.sessions.map { ($0.id, state.revision(of: $0.id)) }) { one, _ in one }
            let uncounted = list.sessions.filter { after.count(of: $0.id) == nil }.sorted {
                $0.updatedAt > $1.updatedAt
            }
            return Survey.load(Array(uncounted.prefix(100)), with: state.requestBuilder, counts: [:])
                .then { .done(.listed(list, $0, revisions: revisions)) }
        }
    }

    /// Finds or creates the session of a message, and ensures that a model is available.
    private static func prepare(_ id: ConversationID, for text: String, in state: ConversationState) -> Plan<WorkResult>
    {
        let requestBuilder = state.requestBuilder
        return state.catalogueForMessage().then { catalogue in
            return state.searching(id).then { list, session in
                if let session { return .done(.prepared(list, session, isNew: false, catalogue)) }
                return requestBuilder.create(title: String(text.prefix(ServerMessage.title))).then { session in
                    .done(.prepared(list, session, isNew: true, catalogue))
                }
            }
        }
    }

    private mutating func prompt(
        _ id: ConversationID, session: String, text: String, messageID: String, in state: inout ConversationState,
        at now: Int64
    ) -> [Action] {
        state.expect(messageID, text, in: session, at: now)
        watched.insert(session)
        let request = state.requestBuilder.prompt(
            session, messageID: messageID, text, model: state.chosenModel(of: session))
        let plan = Plan<WorkResult>.ended(session: session) { _ in
            .send(request) { $0.isGood ? .done(.prompted) : .refused($0.refusal) }
        }
        return [.watch(session: session), run(.prompt(id, session: session, messageID: messageID), plan)]
    }

    // MARK: Cancelling work

    mutating func cancel(_ id: ConversationID?, _ state: inout ConversationState) -> [Action] {
        var actions: [Action] = []
        // Discard the messages that have not been sent yet.
        queue.removeAll { message in
            guard case .user(let other, let text) = message, id == nil || id == other else { return false }
            actions.append(.send(ServerMessage.done(other, id: Entry.answerID(to: text, in: other.text))))
            return true
        }
        if let current, let work = works[current] {
            switch work {
            case .user(let other, _, _) where id == nil || id == other: isCancelled = true
            case .prompt(let other, _, _) where id == nil || id == other: isCancelled = true
            default: break
            }
        }
        let sessions = id.map { state.session($0).map { [$0] } ?? [] } ?? watched.sorted()
        for session in sessions where state.isBusy(session) { actions.append(abort(session, &state)) }
        return actions
    }

    private mutating func abort(_ session: String, _ state: inout ConversationState) -> Action {
        state.abort(session)
        let check = state.check(session)
        return run(.cancel, state.requestBuilder.abort(session).then { _ in check.then { .done(.broken($0)) } })
    }

    // MARK: Finishing work

    mutating func finish(_ work: Work, with result: WorkResult, in state: inout ConversationState, at now: Int64)
        -> [Action]
    {
        switch (work, result) {
        case (_, .listed(let list, let surveys, let revisions)):
            let events = state.apply(list, surveys: surveys, revisions: revisions, at: now)
            return [.publish(events), .send(ServerMessage.list(state.listed(list)))]
        case (.new(let id), .created(let session)):
            state.apply(session)
            if let id, state.session(id) == nil { state.choose(id, for: session.id) }
            watched.insert(session.id)
            let created = ServerMessage.created(state.id(of: session.id), title: session.title)
            return [.watch(session: session.id), .send(created)]
        case (.load(let id, let tries), .loaded(let list, let session, let window, let revision)):
            let publish = Action.publish(state.apply(list, at: now))
            if revision != state.revision(of: session.id), tries > 1 {
                return [publish, load(id, state, tries: tries - 1)]
            }
            return [publish] + loaded(session, window: window, in: &state, at: now)
        case (.delete(let id, let isReported), .deleted(let list, let session)):
            let publish = Action.publish(state.apply(list, at: now))
            // The event may have arrived first. In that case, the id that the client chose is no longer known, so use
            // the id of the request.
            let conversation = state.session(id) == session ? state.id(of: session) : id
            watched.remove(session)
            let others = Action.publishToOthers(state.deleted(session, at: now))
            return [publish] + (isReported ? [others] : [others, .send(ServerMessage.deleted(conversation))])
        case (.user(let id, let text, let messageID), .prepared(let list, let session, let isNew, let catalogue)):
            return prepared(
                id, text: text, messageID: messageID, list: list, session: session, isNew: isNew, catalogue: catalogue,
                in: &state, at: now)
        case (.prompt(_, let session, let messageID), .prompted):
            state.accepted(messageID, in: session)
            defer { isCancelled = false }
            return isCancelled && state.isBusy(session) ? [abort(session, &state)] : []
        case (.cancel, .broken(let check)): return [.publish(state.checked(check, at: now))]
        case (.remove, .deleted(_, let session)): return [.publish(state.deleted(session, at: now))]
        default: return []
        }
    }

    private mutating func prepared(
        _ id: ConversationID, text: String, messageID: String, list: SessionList?, session: Session,
        isNew: Bool, catalogue: Catalogue, in state: inout ConversationState, at now: Int64
    ) -> [Action] {
        var actions: [Action] = [.publish(state.apply(list, at: now))]
        state.catalogue = catalogue
        var target = session.id
        if isNew, let other = state.session(id), other != session.id, state.known[other] != nil {
            // Another client has created the conversation in the meantime. Use its session, and remove the superfluous
            // session unless it is in use.
            target = other
            if !state.isBusy(session.id) { actions.append(remove(session.id, state)) }
        } else {
            state.apply(found: session)
            if isNew { state.choose(id, for: session.id) }
        }
        guard !isCancelled else {
            isCancelled = false
            return actions + [.send(ServerMessage.done(id, id: Entry.answerID(to: messageID, in: id.text)))]
        }
        return actions + prompt(id, session: target, text: text, messageID: messageID, in: &state, at: now)
    }

    private mutating func remove(_ session: String, _ state: ConversationState) -> Action {
        run(.remove, state.requestBuilder.delete(session).then { _ in .done(.deleted(nil, session)) })
    }

    /// Sends the conversation, and the events that were already emitted for the answer that is being written, so that
    /// the next event continues this answer.
    private mutating func loaded(
        _ session: Session, window: Window, in state: inout ConversationState, at now: Int64
    ) -> [Action] {
        state.apply(found: session)
        let events = state.apply(window.messages, of: session.id, at: now)
        let id = state.id(of: session.id)
        let turn = state.current(session.id)
        let entries = window.entries.filter { $0.role == .user || $0.root != turn?.root }
        var actions: [Action] = events.isEmpty ? [] : [.publishToOthers(events)]
        actions.append(
            .send(ServerMessage.loaded(id, title: session.title, entries, isAll: window.isAll)))
        let servers = state.catalogue?.servers ?? []
        if let turn {
            for event in turn.events {
                actions += ServerMessage.answer(id, id: turn.id, event, servers: servers).map(Action.send)
            }
        }
        watched.insert(session.id)
        return actions + [.watch(session: session.id)]
    }

    /// Handles the failure of a work item.
    mutating func refuse(
        _ work: Work, with refusal: ConversationError, in state: inout ConversationState, at now: Int64
    ) -> [Action] {
        switch work {
        case .cancel, .remove: return []
        case .user(let id, _, let messageID):
            isCancelled = false
            return problem(refusal) + [.send(ServerMessage.done(id, id: Entry.answerID(to: messageID, in: id.text)))]
        case .prompt(let id, let session, let messageID):
            isCancelled = false
            state.forget(messageID, in: session)
            let events = refusal.kind == .notFound ? state.missing(session, at: now) : []
            let done = ServerMessage.done(id, id: Entry.answerID(to: messageID, in: session))
            return [.publish(events)] + problem(refusal) + [.send(done)]
        case .delete(_, isReported: true): return []
        case .load(let id, _), .delete(let id, _):
            // The conversation was deleted, but no event has reported that, so publish the deletion.
            let session = refusal.kind == .notFound ? state.session(id) : nil
            return [.publish(session.map { state.missing($0, at: now) } ?? [])] + problem(refusal)
        case .list, .new: return problem(refusal)
        }
    }
}

extension ConversationState {
    /// Finds a conversation. If it is unknown, it is searched for in the list of all conversations, and the list is
    /// part of the result.
    func finding(_ id: ConversationID) -> Plan<(SessionList?, Session)> {
        searching(id).then { list, session in
            guard let session else { return .refused(.noConversation) }
            return .done((list, session))
        }
    }

    /// Searches for a conversation; nil if no conversation has this id.
    func searching(_ id: ConversationID) -> Plan<(SessionList?, Session?)> {
        if let session = session(id).flatMap({ known[$0]?.session }) { return .done((nil, session)) }
        return listing().then { list in .done((list, find(id, among: list.sessions))) }
    }

    /// Returns the items of a chat's list, the newest message first. Sessions that no longer exist are omitted.
    func listed(_ list: SessionList) -> [ServerMessage.Listed] {
        ordered(list.sessions.compactMap { known[$0.id]?.session }).map { session in
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
