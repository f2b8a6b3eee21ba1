// SPDX-License-Identifier: Apache-2.0

package import Dialects
internal import JSONText

/// The work on one request of the conversation protocol: a sequence of steps that the caller performs, up to the
/// response.
package struct ConversationWork: Sendable {
    /// The next step for the caller.
    package enum Step: Sendable {
        /// Perform the plan's steps and pass the result to ``finished(_:in:at:)``.
        case run(Plan<WorkResult>)
        /// Send the complete response and publish the events to chats.
        case answer(ConversationAnswer, [ConversationEvent])
        /// Start an event stream (200, `text/event-stream`), pass the events of its session to it, and then send the
        /// prompt. If the prompt is refused, pass the refusal to the stream. Publish the events to chats.
        case stream(AnswerStream, prompt: ClientRequest, [ConversationEvent])
    }

    /// The result of a plan.
    package enum WorkResult: Sendable {
        /// A page of conversations, with the surveys that were made for it.
        case listed(SessionList, [String: Survey], revisions: [String: Int], page: ConversationPage)
        /// A conversation with its newest messages.
        case conversation(Gathered)
        /// A page of a conversation's messages.
        case messages(SessionList?, session: String, [Entry], nextCursor: String?)
        case deleted(SessionList?, String)
        case models(Catalogue)
        /// A session that is ready to receive a message.
        case ready(SessionList?, Session, Catalogue)
    }

    /// All data for a response that contains one conversation.
    package struct Gathered: Sendable {
        var list: SessionList?
        var session: Session
        /// Whether the session has the state from the time of the search, so that newer events take precedence. If
        /// false, OpenCode has just returned this state.
        var isFound = true
        var catalogue: Catalogue?
        var survey: Survey?
        var revision = 0
        var messages: [Entry] = []
    }

    private let request: ConversationRequest
    private let messageID: String
    private var endpoint: ConversationRequest.Endpoint?

    /// Creates the work on a request.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - random: A source of random numbers.
    package init(_ request: ConversationRequest, at now: Int64, random: () -> UInt64) {
        self.request = request
        messageID = PromptID.make(at: now, random)
    }

    /// Parses the request and returns the first step.
    package mutating func start(in state: ConversationState) -> Step {
        switch request.endpoint {
        case .failure(let answer): return .answer(answer, [])
        case .success(let endpoint):
            self.endpoint = endpoint
            return Self.refusal(of: endpoint).map { .answer($0, []) } ?? .run(plan(endpoint, state))
        }
    }

    private static func refusal(of endpoint: ConversationRequest.Endpoint) -> ConversationAnswer? {
        guard case .list(_, let cursor?, _) = endpoint, !cursor.isEmpty, ConversationPage.Position(cursor) == nil else {
            return nil
        }
        return ConversationAnswer(400, "cursor is invalid. Use the nextCursor of another page.")
    }

    private func plan(_ endpoint: ConversationRequest.Endpoint, _ state: ConversationState) -> Plan<WorkResult> {
        let requestBuilder = state.requestBuilder
        switch endpoint {
        case .models: return requestBuilder.catalogue().then { .done(.models($0)) }
        case .list(let limit, let cursor, let search):
            let position = cursor.flatMap(ConversationPage.Position.init)
            return state.offers().then { _ in
                ConversationPage.load(limit: limit, after: position, search: search, in: state)
            }
        case .create(let changes, let first):
            let title = changes.title ?? first.map { String($0.prefix(ServerMessage.title)) }
            return requestBuilder.catalogue().then { catalogue in
                requestBuilder.create(title: title?.isEmpty == true ? nil : title).then { session in
                    let survey = Survey(count: 0, newest: nil)
                    return .done(
                        .conversation(Gathered(session: session, isFound: false, catalogue: catalogue, survey: survey)))
                }
            }
        case .get(let id):
            return state.offers().then { _ in state.finding(id) }.then {
                Self.gather(Gathered(list: $0, session: $1), state)
            }
        case .change(let id, let changes): return change(id, applying: changes, in: state)
        case .delete(let id):
            return state.finding(id).then { list, session in
                requestBuilder.delete(session.id).then { _ in .done(.deleted(list, session.id)) }
            }
        case .duplicate(let id):
            return state.offers().then { _ in state.finding(id) }.then {
                Self.duplicate(Gathered(list: $0, session: $1), state)
            }
        case .messages(let id, let limit, let position):
            return state.finding(id).then { list, session in
                MessagePage.load(session, limit: limit, before: position, requestBuilder).then { page in
                    .done(.messages(list, session: session.id, page.entries, nextCursor: page.nextCursor))
                }
            }
        case .send(let id, _): return ready(id, state)
        }
    }

    private func change(
        _ id: ConversationID, applying changes: ConversationRequest.Changes, in state: ConversationState
    ) -> Plan<WorkResult> {
        let requestBuilder = state.requestBuilder
        let found = changes.model == nil ? state.offers().then { _ in state.finding(id) } : state.finding(id)
        return found.then { list, session in
            let renamed = changes.title.map { requestBuilder.rename(session.id, $0) } ?? .done(session)
            return renamed.then { session in
                let gathered = Gathered(list: list, session: session, isFound: changes.title == nil)
                guard changes.model != nil else { return Self.gather(gathered, state) }
                return requestBuilder.catalogue().then { catalogue in
                    var gathered = gathered
                    gathered.catalogue = catalogue
                    return Self.gather(gathered, state)
                }
            }
        }
    }

    private static func duplicate(_ original: Gathered, _ state: ConversationState) -> Plan<WorkResult> {
        let requestBuilder = state.requestBuilder
        let title = original.session.title
        return requestBuilder.fork(original.session.id).then { fork in
            // OpenCode before 1.2 does not name the original in the title of a copy, so rename the copy.
            let named = fork.title.contains(title) ? .done(fork) : requestBuilder.rename(fork.id, "\(title) (copy)")
            return named.then { session in
                var gathered = original
                gathered.session = session
                gathered.isFound = false
                return gather(gathered, state)
            }
        }
    }

    /// Reads a conversation's newest messages. If the message count is unknown, also counts all messages.
    private static func gather(_ gathered: Gathered, _ state: ConversationState) -> Plan<WorkResult> {
        let session = gathered.session
        var after = state
        after.apply(session)
        let counted = after.count(of: session.id)
        var gathered = gathered
        gathered.revision = state.revision(of: session.id)
        let known = gathered
        return MessagePage.load(session, limit: 30, before: nil, state.requestBuilder).then { page in
            var gathered = known
            gathered.messages = page.entries
            if let count = page.nextCursor == nil ? page.entries.count : counted {
                gathered.survey = Survey(count: count, newest: page.entries.last)
                return .done(.conversation(gathered))
            }
            let read = gathered
            return Survey.load(session, state.requestBuilder).then { survey in
                var gathered = read
                gathered.survey = survey
                return .done(.conversation(gathered))
            }
        }
    }

    /// Prepares a session for a message. Aborts work that is still running, because the event stream of a message
    /// contains only its own answer.
    private func ready(_ id: ConversationID, _ state: ConversationState) -> Plan<WorkResult> {
        let requestBuilder = state.requestBuilder
        return state.catalogueForMessage().then { catalogue in
            return state.finding(id).then { list, session in
                let ready = WorkResult.ready(list, session, catalogue)
                // If another client is aborting the session, OpenCode would report an idle session for a second abort,
                // possibly after the message has arrived. Therefore wait for the end of that abort first. OpenCode may
                // also have refused it, so abort the session if it is still busy afterwards.
                let isBusy = state.isBusy(session.id)
                let isEnding = state.isEnding(session.id)
                return .ended(session: session.id) { isStillBusy in
                    guard isBusy, isStillBusy || !isEnding else { return .done(ready) }
                    return requestBuilder.abort(session.id).then { _ in .done(ready) }
                }
            }
        }
    }

    // MARK: Finishing

    /// Processes the result of the plan, or the reason for its failure.
    package func finished(
        _ result: Swift.Result<WorkResult, ConversationError>, in state: inout ConversationState, at now: Int64
    ) -> Step {
        switch result {
        case .failure(let refusal): return .answer(ConversationAnswer(refusal), [])
        case .success(.models(let catalogue)):
            return answer(.array(catalogue.models.map(ConversationShapes.model)))
        case .success(.listed(let list, let surveys, let revisions, let page)):
            let events = state.apply(list, surveys: surveys, revisions: revisions, at: now)
            let items = page.sessions.compactMap { state.shown($0) }
            return answer(["items": .array(items), "nextCursor": page.nextCursor.map(JSON.string) ?? .null], events)
        case .success(.messages(let list, let session, let entries, let nextCursor)):
            let events = state.apply(list, at: now)
            let written = entries.map { state.written($0, in: session) }
            return answer(
                [
                    "items": .array(written.map(ConversationShapes.message)),
                    "nextCursor": nextCursor.map(JSON.string) ?? .null,
                ], events)
        case .success(.deleted(let list, let session)):
            let events = state.apply(list, at: now)
            return .answer(ConversationAnswer(204, json: nil), events + state.deleted(session, at: now))
        case .success(.conversation(let gathered)): return conversation(gathered, in: &state, at: now)
        case .success(.ready(let list, let session, let catalogue)):
            return stream(list: list, session: session, catalogue: catalogue, in: &state, at: now)
        }
    }

    private func answer(_ json: JSON, status: Int = 200, _ events: [ConversationEvent] = []) -> Step {
        .answer(ConversationAnswer(status, json: json), events)
    }

    private func conversation(_ gathered: Gathered, in state: inout ConversationState, at now: Int64) -> Step {
        let events = state.apply(gathered.list, at: now)
        if let catalogue = gathered.catalogue { state.catalogue = catalogue }
        let session = gathered.session.id
        if gathered.isFound { state.apply(found: gathered.session) } else { state.apply(gathered.session) }
        if let survey = gathered.survey { state.apply(survey, of: session, revision: gathered.revision) }
        var changes: ConversationRequest.Changes?
        var isNew = false
        switch endpoint {
        case .create(let wanted, _):
            changes = wanted
            isNew = true
        case .change(_, let wanted): changes = wanted
        case .duplicate(let id):
            // The copy keeps the chosen model, but is not pinned.
            let model = state.session(id).flatMap { state.chosenModel(of: $0) }
            if let model { state.choose(model: model, for: session) }
        default: break
        }
        if let wanted = changes?.model { state.choose(model: state.catalogue?.model(wanted), for: session) }
        if let isPinned = changes?.isPinned { state.pin(session, isPinned) }
        guard let shown = state.shown(session, messages: gathered.messages) else {
            return .answer(ConversationAnswer(ConversationError.noConversation), events)
        }
        return isNew ? answer(["conversation": shown], status: 201, events) : answer(shown, events)
    }

    private func stream(
        list: SessionList?, session: Session, catalogue: Catalogue, in state: inout ConversationState, at now: Int64
    ) -> Step {
        let events = state.apply(list, at: now)
        state.apply(found: session)
        state.catalogue = catalogue
        guard case .send(_, let text) = endpoint else {
            return .answer(ConversationAnswer(ConversationError.strange), events)
        }
        state.expect(messageID, text, in: session.id, at: now)
        let stream = AnswerStream(state.id(of: session.id), session: session.id, messageID: messageID, at: now)
        let model = state.chosenModel(of: session.id)
        return .stream(
            stream, prompt: state.requestBuilder.prompt(session.id, messageID: messageID, text, model: model), events)
    }

    /// Processes OpenCode's response to the prompt of a stream.
    package static func prompted(
        _ answer: OpenCodeAnswer, _ stream: inout AnswerStream, in state: inout ConversationState, at now: Int64
    ) -> [AnswerStream.Action] {
        guard !answer.isGood else {
            state.accepted(stream.messageID, in: stream.session)
            return []
        }
        state.forget(stream.messageID, in: stream.session)
        return stream.refused(answer.refusal, at: now)
    }
}
