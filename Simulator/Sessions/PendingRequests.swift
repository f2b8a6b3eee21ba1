// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The permission requests and questions for which turns wait until a user replies.
final class PendingRequests: Sendable {
    /// The kind of a request.
    enum Kind: Sendable {
        case permission, question
    }

    /// A request for which a turn waits.
    struct Request: Sendable {
        let id: String
        let kind: Kind
        let sessionID: String
        /// The request in the format of `GET /permission`, of `GET /question` and of the event.
        let json: JSON
    }

    /// A reply, which ends the wait.
    enum Reply: Sendable {
        /// A decision: `once`, `always` or `reject`.
        case permission(String)
        /// The answers to questions as received; nil for a rejection.
        case answers(JSON?)
        /// The turn was aborted while it waited.
        case aborted
    }

    private struct State: Sendable {
        var open: [Request] = []
        var replies: [String: Reply] = [:]
    }

    private let state = Monitor(State())

    /// Returns the open requests of one kind, in the order of their creation.
    func list(_ kind: Kind) -> [JSON] {
        state.withLock { $0.open.filter { $0.kind == kind }.map(\.json) }
    }

    /// Adds a request, so that a user can reply to it.
    func add(_ request: Request) {
        state.withLock { $0.open.append(request) }
    }

    /// Ends a request with a reply, and returns the request; nil if no open request has this id.
    func reply(_ id: String, _ reply: Reply) -> Request? {
        state.withLock { state in
            guard let index = state.open.firstIndex(where: { $0.id == id }) else { return nil }
            state.replies[id] = reply
            return state.open.remove(at: index)
        }
    }

    /// Aborts a session's open requests, so that the session's turn stops waiting.
    func abort(session: String) {
        state.withLock { state in
            for request in state.open where request.sessionID == session { state.replies[request.id] = .aborted }
            state.open.removeAll { $0.sessionID == session }
        }
    }

    /// Waits for the reply to a previously added request.
    func wait(for id: String) -> Reply {
        let reply = try? state.wait(for: "a reply", within: .seconds(86_400)) { $0.replies.removeValue(forKey: id) }
        return reply ?? .aborted
    }
}
