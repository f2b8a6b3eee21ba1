package import Dialects

/// One client of the chat protocol: what it says comes in, what is to be done goes out. It has no socket and no clock:
/// whoever has them does the actions in their order.
package struct ChatSession: Sendable {
    /// What is to be done.
    package enum Action: Sendable {
        /// Send a text message.
        case send([UInt8])
        /// Take the plan's steps, and give what comes of it to ``finished(_:_:in:at:random:)`` with this number.
        case run(Int, Plan<Result>)
        /// From here on this client sees what is told of the session (``sees(_:)``).
        case watch(session: String)
        /// This is to be told to everybody who sees the session, this client included.
        case tell([Told])
        /// This is to be told to everybody else who sees the session: this client gets it in another form.
        case tellOthers([Told])
    }

    /// What came of a plan.
    package enum Result: Sendable {
        /// All conversations, and those among them that were counted.
        case listed(SessionList, [String: Survey], revisions: [String: Int])
        /// A session was made.
        case created(Session)
        /// The sessions, where they had to be asked for, and the newest messages of one.
        case loaded(SessionList?, Session, Window, revision: Int)
        /// The sessions, where they had to be asked for; one of them is gone.
        case deleted(SessionList?, String)
        /// A session that a message can be sent to.
        case prepared(SessionList?, Session, isNew: Bool, Catalogue)
        /// OpenCode has taken a prompt.
        case prompted
        /// What ran was broken off.
        case broken(ConversationState.Check)
    }

    /// What the client waits for.
    enum Work: Sendable {
        case list
        case new(ConversationID?)
        case load(ConversationID, tries: Int)
        /// `isTold`: the client knows already that it is gone, for its event came before the answer.
        case delete(ConversationID, isTold: Bool)
        case user(ConversationID, String, messageID: String)
        case prompt(ConversationID, session: String, messageID: String)
        /// A session that nobody needs is deleted.
        case remove
        /// What runs is broken off.
        case cancel

        /// Whether it is what other messages wait behind, and what `cancel_generation` looks at.
        var isAwaited: Bool {
            switch self {
            case .cancel, .remove: false
            case .list, .new, .load, .delete, .user, .prompt: true
            }
        }
    }

    /// Messages that wait for the one before at most.
    private static let queueLimit = 64

    let version: String
    let refusal: Refusal?
    var watched: Set<String> = []
    var works: [Int: Work] = [:]
    var queue: [ClientMessage] = []
    /// The message that is worked on.
    var current: Int?
    /// Whether the client has gone: nobody reads answers any more.
    private var hasEnded = false
    /// Whether the message that is being sent was broken off meanwhile.
    var isCancelled = false
    private var last = 0

    /// `version`: the gateway's; `refusal`: why there is no project for this client, where there is none.
    package init(version: String, refusal: Refusal? = nil) { (self.version, self.refusal) = (version, refusal) }

    /// The client is there. `catalogue`: what is known of the project's OpenCode; nothing is asked for it.
    package func opened(_ catalogue: Catalogue?) -> [Action] {
        let status = Action.send(ServerMessage.status(catalogue, version: version))
        return [status] + (refusal.map { [.send(ServerMessage.error(ClientMessage.Problem($0)))] } ?? [])
    }

    /// Whether it sees what is told of a session.
    package func sees(_ session: String) -> Bool { watched.contains(session) }

    /// Something was told of a session that it sees; `texts` as ``ConversationState/chatTexts(_:)`` gives them.
    package mutating func tell(_ told: Told, _ texts: [[UInt8]]) -> [Action] {
        guard watched.contains(told.session) else { return [] }
        if case .deleted = told.content {
            watched.remove(told.session)
            if let current, case .delete(told.conversation, _) = works[current] {
                works[current] = .delete(told.conversation, isTold: true)
            }
        }
        return texts.map(Action.send)
    }

    /// The client has gone. What it has said so that something becomes of it is still done, in its order; what it only
    /// wanted to know is not.
    package mutating func end() {
        hasEnded = true
        queue.removeAll { !$0.outlastsClient }
    }

    /// The client's key does not count any more. What OpenCode has been given stays; nothing more of it is done.
    package mutating func revoke() {
        end()
        queue = []
        if let current, case .user = works[current] { isCancelled = true }
    }

    /// A text message of the client. `now`: milliseconds since 1970; `random`: any numbers.
    package mutating func receive(
        _ text: [UInt8], in book: inout ConversationState, at now: Int64, random: () -> UInt64
    ) -> [Action] {
        switch ClientMessage.read(text) {
        case .failure(let problem): return [.send(ServerMessage.error(problem))]
        case .success(.ping): return [.send(ServerMessage.pong())]
        case .success(_) where refusal != nil: return problem(refusal)
        case .success(.cancel(let id)): return cancel(id, &book)
        case .success(let message):
            guard !hasEnded || message.outlastsClient else { return [] }
            guard isOccupied else { return begin(message, &book, now, random) }
            guard queue.count < Self.queueLimit else {
                return problem(Refusal(.failed, "Too many messages wait: send the next when one was answered."))
            }
            queue.append(message)
            return []
        }
    }

    /// What came of a plan, or why nothing came of it.
    package mutating func finished(
        _ number: Int, _ result: Swift.Result<Result, Refusal>, in book: inout ConversationState, at now: Int64,
        random: () -> UInt64
    ) -> [Action] {
        guard let work = works.removeValue(forKey: number) else { return [] }
        let isAwaited = number == current
        if isAwaited { current = nil }
        var actions: [Action]
        switch result {
        case .success(let result): actions = finish(work, result, &book, now)
        case .failure(let refusal): actions = refuse(work, refusal, &book, now)
        }
        while !isOccupied, !queue.isEmpty { actions += begin(queue.removeFirst(), &book, now, random) }
        return actions
    }

    /// Whether messages wait: for the one before, or until what runs was broken off. The end of that may be heard after
    /// a new message otherwise, and would be taken for the end of its answer.
    private var isOccupied: Bool {
        current != nil || works.values.contains { if case .cancel = $0 { true } else { false } }
    }

    func problem(_ refusal: Refusal?) -> [Action] {
        refusal.map { [.send(ServerMessage.error(ClientMessage.Problem($0)))] } ?? []
    }

    /// Begins a work.
    mutating func run(_ work: Work, _ plan: Plan<Result>) -> Action {
        last += 1
        works[last] = work
        if work.isAwaited { current = last }
        return .run(last, plan)
    }
}

extension ConversationState {
    /// What a chat's clients are sent of something that was told: one for all of them.
    package func chatTexts(_ told: Told) -> [[UInt8]] {
        switch told.content {
        case .answer(let id, let event):
            ServerMessage.answer(told.conversation, id: id, event, servers: catalogue?.servers ?? [])
        case .renamed: []
        case .deleted: [ServerMessage.deleted(told.conversation)]
        }
    }
}
