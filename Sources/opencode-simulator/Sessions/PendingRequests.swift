import TestKit

/// Permissions and questions that turns wait for, until somebody answers them.
final class PendingRequests: Sendable {
    /// What is asked for.
    enum Kind: Sendable {
        case permission, question
    }

    /// What a turn waits for.
    struct Request: Sendable {
        let id: String
        let kind: Kind
        let sessionID: String
        /// As `GET /permission`, `GET /question` and the event show it.
        let json: JSON
    }

    /// What ends the waiting.
    enum Reply: Sendable {
        /// `once`, `always` or `reject`; questions' answers as they came, nil for a rejected one.
        case permission(String)
        case answers(JSON?)
        /// The turn was aborted.
        case aborted
    }

    private struct State: Sendable {
        var open: [Request] = []
        var replies: [String: Reply] = [:]
    }

    private let state = Monitor(State())

    /// What of one kind nobody has answered, in the order in which it was asked.
    func list(_ kind: Kind) -> [JSON] {
        state.withLock { $0.open.filter { $0.kind == kind }.map(\.json) }
    }

    /// Adds a request; it can be answered from now on.
    func add(_ request: Request) {
        state.withLock { $0.open.append(request) }
    }

    /// Answers a request and returns it; nil when there is none with that id.
    func reply(_ id: String, _ reply: Reply) -> Request? {
        state.withLock { state in
            guard let index = state.open.firstIndex(where: { $0.id == id }) else { return nil }
            state.replies[id] = reply
            return state.open.remove(at: index)
        }
    }

    /// Ends the waiting of a session's turn.
    func abort(session: String) {
        state.withLock { state in
            for request in state.open where request.sessionID == session { state.replies[request.id] = .aborted }
            state.open.removeAll { $0.sessionID == session }
        }
    }

    /// Waits for the reply to a request that was added.
    func wait(for id: String) -> Reply {
        let reply = try? state.wait(for: "a reply", within: .seconds(86_400)) { $0.replies.removeValue(forKey: id) }
        return reply ?? .aborted
    }
}
