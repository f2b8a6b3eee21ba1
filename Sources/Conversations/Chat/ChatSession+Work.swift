// SPDX-License-Identifier: Apache-2.0

internal import Dialects

extension ChatSession {
    /// The number of attempts to read a conversation whose answer ends while it is read.
    private static let tries = 3

    // MARK: Starting work

    mutating func begin(
        _ message: ClientMessage, in book: inout ConversationState, at now: Int64, random: () -> UInt64
    ) -> [Action] {
        switch message {
        case .list: return [run(.list, Self.list(book))]
        case .new(let id):
            let free = id.flatMap { book.session($0) == nil ? $0 : nil }
            return [run(.new(free), book.asking.create(title: nil).then { .done(.created($0)) })]
        case .load(let id): return [load(id, book, tries: Self.tries)]
        case .delete(let id):
            let asking = book.asking
            let plan = book.finding(id).then { list, session in
                asking.delete(session.id).then { _ in .done(WorkResult.deleted(list, session.id)) }
            }
            return [run(.delete(id, isReported: false), plan)]
        case .user(let id, let text):
            let messageID = PromptID.make(at: now, random)
            isCancelled = false
            if let session = book.session(id), book.known[session] != nil, book.catalogue?.models.isEmpty == false {
                return prompt(id, session: session, text: text, messageID: messageID, in: &book, at: now)
            }
            return [run(.user(id, text, messageID: messageID), Self.prepare(id, for: text, in: book))]
        case .ping, .cancel: return []
        }
    }

    private mutating func load(_ id: ConversationID, _ book: ConversationState, tries: Int) -> Action {
        let asking = book.asking
        let before = book
        let plan = book.finding(id).then { list, session in
            let revision = before.revision(of: session.id)
            return Window.read(session, asking, size: 200) { window in
                // The encoded texts are at least as long.
                window.entries.reduce(0) { $0 + $1.text.utf8.count } > ServerMessage.loaded
            }
            .then { .done(WorkResult.loaded(list, session, $0, revision: revision)) }
        }
        return run(.load(id, tries: tries), plan)
    }

    private static func list(_ book: ConversationState) -> Plan<WorkResult> {
        book.offers().then { _ in book.listing() }.then { list in
            var after = book
            _ = after.learn(list, at: 0)
            let revisions = Dictionary(list.sessions.map { ($0.id, book.revision(of: $0.id)) }) { one, _ in one }
            let uncounted = list.sessions.filter { after.count(of: $0.id) == nil }.sorted {
                $0.updatedAt > $1.updatedAt
            }
            return Survey.read(Array(uncounted.prefix(100)), with: book.asking, counts: [:])
                .then { .done(.listed(list, $0, revisions: revisions)) }
        }
    }

    /// Finds or creates the session of a message, and makes sure that a model is available.
    private static func prepare(_ id: ConversationID, for text: String, in book: ConversationState) -> Plan<WorkResult>
    {
        let asking = book.asking
        let catalogue: Plan<Catalogue> =
            if let known = book.catalogue, !known.models.isEmpty { .done(known) } else { asking.catalogue() }
        return catalogue.then { catalogue in
            guard !catalogue.models.isEmpty else { return .refused(.noModel) }
            return book.searching(id).then { list, session in
                if let session { return .done(.prepared(list, session, isNew: false, catalogue)) }
                return asking.create(title: String(text.prefix(ServerMessage.title))).then { session in
                    .done(.prepared(list, session, isNew: true, catalogue))
                }
            }
        }
    }

    private mutating func prompt(
        _ id: ConversationID, session: String, text: String, messageID: String, in book: inout ConversationState,
        at now: Int64
    ) -> [Action] {
        book.expect(messageID, text, in: session, at: now)
        watched.insert(session)
        let request = book.asking.prompt(
            session, messageID: messageID, text, model: book.chosenModel(of: session))
        let plan = Plan<WorkResult>.ended(session: session) {
            .ask(request) { $0.isGood ? .done(.prompted) : .refused($0.refusal) }
        }
        return [.watch(session: session), run(.prompt(id, session: session, messageID: messageID), plan)]
    }

    // MARK: Cancelling work

    mutating func cancel(_ id: ConversationID?, _ book: inout ConversationState) -> [Action] {
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
        let sessions = id.map { book.session($0).map { [$0] } ?? [] } ?? watched.sorted()
        for session in sessions where book.isBusy(session) { actions.append(abort(session, &book)) }
        return actions
    }

    private mutating func abort(_ session: String, _ book: inout ConversationState) -> Action {
        book.abort(session)
        let check = book.check(session)
        return run(.cancel, book.asking.abort(session).then { _ in check.then { .done(.broken($0)) } })
    }

    // MARK: Finishing work

    mutating func finish(_ work: Work, with result: WorkResult, in book: inout ConversationState, at now: Int64)
        -> [Action]
    {
        switch (work, result) {
        case (_, .listed(let list, let surveys, let revisions)):
            let events = book.learn(list, at: now)
            for (session, survey) in surveys.sorted(by: { $0.key < $1.key }) {
                book.learn(survey, of: session, revision: revisions[session] ?? 0)
            }
            return [.publish(events), .send(ServerMessage.list(book.listed(list)))]
        case (.new(let id), .created(let session)):
            book.learn(session)
            if let id, book.session(id) == nil { book.choose(id, for: session.id) }
            watched.insert(session.id)
            let created = ServerMessage.created(book.id(of: session.id), title: session.title)
            return [.watch(session: session.id), .send(created)]
        case (.load(let id, let tries), .loaded(let list, let session, let window, let revision)):
            let publish = Action.publish(list.map { book.learn($0, at: now) } ?? [])
            if revision != book.revision(of: session.id), tries > 1 {
                return [publish, load(id, book, tries: tries - 1)]
            }
            return [publish] + loaded(session, window: window, in: &book, at: now)
        case (.delete(let id, let isReported), .deleted(let list, let session)):
            let publish = Action.publish(list.map { book.learn($0, at: now) } ?? [])
            // The event may have arrived first: the id that the client chose is no longer known then.
            let conversation = book.session(id) == session ? book.id(of: session) : id
            watched.remove(session)
            let others = Action.publishToOthers(book.deleted(session, at: now))
            return [publish] + (isReported ? [others] : [others, .send(ServerMessage.deleted(conversation))])
        case (.user(let id, let text, let messageID), .prepared(let list, let session, let isNew, let catalogue)):
            return prepared(
                id, text: text, messageID: messageID, list: list, session: session, isNew: isNew, catalogue: catalogue,
                in: &book, at: now)
        case (.prompt(_, let session, let messageID), .prompted):
            book.took(messageID, in: session)
            defer { isCancelled = false }
            return isCancelled && book.isBusy(session) ? [abort(session, &book)] : []
        case (.cancel, .broken(let check)): return [.publish(book.checked(check, at: now))]
        case (.remove, .deleted(_, let session)): return [.publish(book.deleted(session, at: now))]
        default: return []
        }
    }

    private mutating func prepared(
        _ id: ConversationID, text: String, messageID: String, list: SessionList?, session: Session,
        isNew: Bool, catalogue: Catalogue, in book: inout ConversationState, at now: Int64
    ) -> [Action] {
        var actions: [Action] = [.publish(list.map { book.learn($0, at: now) } ?? [])]
        book.catalogue = catalogue
        var place = session.id
        if isNew, let other = book.session(id), other != session.id, book.known[other] != nil {
            // Another client has created the conversation meanwhile: one session is superfluous, unless it is in use.
            place = other
            if !book.isBusy(session.id) { actions.append(remove(session.id, book)) }
        } else {
            book.learn(found: session)
            if isNew { book.choose(id, for: session.id) }
        }
        guard !isCancelled else {
            isCancelled = false
            return actions + [.send(ServerMessage.done(id, id: Entry.answerID(to: messageID, in: id.text)))]
        }
        return actions + prompt(id, session: place, text: text, messageID: messageID, in: &book, at: now)
    }

    private mutating func remove(_ session: String, _ book: ConversationState) -> Action {
        run(.remove, book.asking.delete(session).then { _ in .done(.deleted(nil, session)) })
    }

    /// Sends the conversation and the emitted events of the answer that is being written, so that the next event
    /// continues it.
    private mutating func loaded(
        _ session: Session, window: Window, in book: inout ConversationState, at now: Int64
    ) -> [Action] {
        book.learn(found: session)
        let events = book.learn(window.messages, of: session.id, at: now)
        let id = book.id(of: session.id)
        let turn = book.current(session.id)
        let entries = window.entries.filter { $0.role == .user || $0.root != turn?.root }
        var actions: [Action] = events.isEmpty ? [] : [.publishToOthers(events)]
        actions.append(
            .send(ServerMessage.loaded(id, title: session.title, entries, isAll: window.isAll)))
        let servers = book.catalogue?.servers ?? []
        if let turn {
            for event in turn.events {
                actions += ServerMessage.answer(id, id: turn.id, event, servers: servers).map(Action.send)
            }
        }
        watched.insert(session.id)
        return actions + [.watch(session: session.id)]
    }

    /// Handles work that was refused.
    mutating func refuse(
        _ work: Work, with refusal: ConversationError, in book: inout ConversationState, at now: Int64
    ) -> [Action] {
        switch work {
        case .cancel, .remove: return []
        case .user(let id, _, let messageID):
            isCancelled = false
            return problem(refusal) + [.send(ServerMessage.done(id, id: Entry.answerID(to: messageID, in: id.text)))]
        case .prompt(let id, let session, let messageID):
            isCancelled = false
            book.forget(messageID, in: session)
            let events = refusal.kind == .notFound ? book.missing(session, at: now) : []
            let done = ServerMessage.done(id, id: Entry.answerID(to: messageID, in: session))
            return [.publish(events)] + problem(refusal) + [.send(done)]
        case .delete(_, isReported: true): return []
        case .load(let id, _), .delete(let id, _):
            // The conversation was deleted without an event.
            let session = refusal.kind == .notFound ? book.session(id) : nil
            return [.publish(session.map { book.missing($0, at: now) } ?? [])] + problem(refusal)
        case .list, .new: return problem(refusal)
        }
    }
}

extension ConversationState {
    /// Finds a conversation: immediately if it is known, otherwise in the list of all conversations, which is returned,
    /// too.
    func finding(_ id: ConversationID) -> Plan<(SessionList?, Session)> {
        searching(id).then { list, session in
            guard let session else { return .refused(.noConversation) }
            return .done((list, session))
        }
    }

    /// Looks for a conversation; nil if no conversation has this id.
    func searching(_ id: ConversationID) -> Plan<(SessionList?, Session?)> {
        if let session = session(id).flatMap({ known[$0]?.session }) { return .done((nil, session)) }
        return listing().then { list in .done((list, find(id, among: list.sessions))) }
    }

    /// Returns the items of a chat's list, the newest message first. Sessions that are gone by now are omitted.
    func listed(_ list: SessionList) -> [ServerMessage.Listed] {
        ordered(list.sessions.compactMap { known[$0.id]?.session }).map { session in
            ServerMessage.Listed(
                id: id(of: session.id), title: session.title, lastMessage: lastMessageTime(of: session.id),
                count: lastCount(of: session.id) ?? 0)
        }
    }

    /// Sorts sessions by their newest message, the newest first; the greater id breaks a tie.
    func ordered(_ list: [Session]) -> [Session] {
        let keyed = list.map { (session: $0, time: lastMessageTime(of: $0.id)) }
        return keyed.sorted { ($0.time, $0.session.id) > ($1.time, $1.session.id) }.map(\.session)
    }
}
