// SPDX-License-Identifier: Apache-2.0

package import Dialects

/// The server side of the chat protocol for one client, as a state machine that receives the client's messages and
/// returns actions. It has no socket and no clock. The caller performs the actions in order.
package struct ChatSession: Sendable {
    /// An action that the caller performs.
    package enum Action: Sendable {
        /// Send this text message to the client.
        case send([UInt8])
        /// Perform the plan's steps, and pass the result with this number to ``finished(_:_:in:at:random:)``.
        case run(Int, Plan<WorkResult>)
        /// From now on, this client receives the events of the session (``sees(_:)``).
        case watch(session: String)
        /// Publish these events to all clients that watch the session, including this client.
        case publish([ConversationEvent])
        /// Publish these events to all other clients that watch the session. This client receives the same information
        /// in another form.
        case publishToOthers([ConversationEvent])
    }

    /// The result of a plan.
    package enum WorkResult: Sendable {
        /// All conversations, with the surveys of those whose messages were counted.
        case listed(SessionList, [String: Survey], revisions: [String: Int])
        /// The session that was created.
        case created(Session)
        /// The sessions, if they had to be requested, and the newest messages of one session.
        case loaded(SessionList?, Session, Window, revision: Int)
        /// The sessions, if they had to be requested, and the session that was deleted.
        case deleted(SessionList?, String)
        /// A session that is ready to receive a message.
        case prepared(SessionList?, Session, isNew: Bool, Catalogue)
        /// OpenCode has accepted a prompt.
        case prompted
        /// The running work was aborted. The value is the state of the session.
        case broken(ConversationState.Check)
    }

    /// A work item for the client.
    enum Work: Sendable {
        case list
        case new(ConversationID?)
        case load(ConversationID, tries: Int)
        /// A deletion. With `isReported`, the client already knows of the deletion, because the event arrived before
        /// the response.
        case delete(ConversationID, isReported: Bool)
        case user(ConversationID, String, messageID: String)
        case prompt(ConversationID, session: String, messageID: String)
        /// The deletion of a superfluous session.
        case remove
        /// An abort of the running work.
        case cancel

        /// Whether later messages wait for the work item, so that `cancel_generation` applies to it.
        var isAwaited: Bool {
            switch self {
            case .cancel, .remove: false
            case .list, .new, .load, .delete, .user, .prompt: true
            }
        }
    }

    /// The maximum number of messages that wait for the previous one.
    private static let queueLimit = 64

    let version: String
    let refusal: ConversationError?
    var watched: Set<String> = []
    var works: [Int: Work] = [:]
    var queue: [ClientMessage] = []
    /// The number of the message that is being processed.
    var current: Int?
    /// Whether the client has disconnected, so that nothing more is sent to it.
    private var hasEnded = false
    /// Whether the client cancelled the message that is being sent.
    var isCancelled = false
    private var last = 0

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - version: The gateway's version.
    ///   - refusal: The reason why this client has no project, if any.
    package init(version: String, refusal: ConversationError? = nil) {
        self.version = version
        self.refusal = refusal
    }

    /// Returns the actions for a new connection.
    ///
    /// - Parameter catalogue: The known catalogue of the project's OpenCode. It is not requested here.
    package func opened(_ catalogue: Catalogue?) -> [Action] {
        let status = Action.send(ServerMessage.status(catalogue, version: version))
        return [status] + problem(refusal)
    }

    /// Returns whether the client receives the events of a session.
    package func sees(_ session: String) -> Bool { watched.contains(session) }

    /// Sends an event of a session that the client watches.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - texts: The messages that ``ConversationState/chatTexts(_:)`` returns for the event.
    package mutating func receive(_ event: ConversationEvent, _ texts: [[UInt8]]) -> [Action] {
        guard watched.contains(event.session) else { return [] }
        if case .deleted = event.content {
            watched.remove(event.session)
            if let current, case .delete(event.conversation, _) = works[current] {
                works[current] = .delete(event.conversation, isReported: true)
            }
        }
        return texts.map(Action.send)
    }

    /// Handles a disconnected client. Its messages that have an effect are still processed in order. Its queries are
    /// discarded.
    package mutating func clientDisconnected() {
        hasEnded = true
        queue.removeAll { !$0.outlastsClient }
    }

    /// Handles a revoked key. Prompts that OpenCode has accepted remain, but nothing more is sent to OpenCode.
    package mutating func revoke() {
        clientDisconnected()
        queue = []
        if let current, case .user = works[current] { isCancelled = true }
    }

    /// Processes a text message of the client.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - random: A source of random numbers.
    package mutating func receive(
        _ text: [UInt8], in state: inout ConversationState, at now: Int64, random: () -> UInt64
    ) -> [Action] {
        switch ClientMessage.parse(text) {
        case .failure(let problem): return [.send(ServerMessage.error(problem))]
        case .success(.ping): return [.send(ServerMessage.pong())]
        case .success(_) where refusal != nil: return problem(refusal)
        case .success(.cancel(let id)): return cancel(id, &state)
        case .success(let message):
            guard !hasEnded || message.outlastsClient else { return [] }
            guard isOccupied else { return start(message, in: &state, at: now, random: random) }
            guard queue.count < Self.queueLimit else {
                return problem(
                    ConversationError(
                        .failed,
                        "Too many messages are waiting in this chat. Wait for an answer before you send the next message."
                    ))
            }
            queue.append(message)
            return []
        }
    }

    /// Processes the result of a plan, or the reason for its failure.
    package mutating func finished(
        _ number: Int, _ result: Result<WorkResult, ConversationError>, in state: inout ConversationState,
        at now: Int64,
        random: () -> UInt64
    ) -> [Action] {
        guard let work = works.removeValue(forKey: number) else { return [] }
        let isAwaited = number == current
        if isAwaited { current = nil }
        var actions: [Action]
        switch result {
        case .success(let result): actions = finish(work, with: result, in: &state, at: now)
        case .failure(let refusal): actions = refuse(work, with: refusal, in: &state, at: now)
        }
        while !isOccupied, !queue.isEmpty { actions += start(queue.removeFirst(), in: &state, at: now, random: random) }
        return actions
    }

    /// Whether new messages must wait for the previous message, or for the end of aborted work. Otherwise, that end
    /// could arrive after a new message, and would be mistaken for the end of its answer.
    private var isOccupied: Bool {
        current != nil || works.values.contains { if case .cancel = $0 { true } else { false } }
    }

    func problem(_ refusal: ConversationError?) -> [Action] {
        refusal.map { [.send(ServerMessage.error(ClientMessage.Problem($0)))] } ?? []
    }

    /// Registers `work` as running and returns the action that executes `plan`.
    mutating func run(_ work: Work, _ plan: Plan<WorkResult>) -> Action {
        last += 1
        works[last] = work
        if work.isAwaited { current = last }
        return .run(last, plan)
    }
}

extension ConversationState {
    /// Returns the messages that a chat's clients receive for an event. They are the same for all clients.
    package func chatTexts(_ event: ConversationEvent) -> [[UInt8]] {
        switch event.content {
        case .answer(let id, let turnEvent):
            ServerMessage.answer(event.conversation, id: id, turnEvent, servers: catalogue?.servers ?? [])
        case .renamed: []
        case .deleted: [ServerMessage.deleted(event.conversation)]
        }
    }
}
