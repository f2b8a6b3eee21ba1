// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The permissions and questions that turns wait for until a user answers.
final class PendingRequests: Sendable {
    /// The kind of a request.
    enum Kind: Sendable {
        case permission, question
    }

    /// A request that a turn waits for.
    struct Request: Sendable {
        let id: String
        let kind: Kind
        let sessionID: String
        /// The request in the form of `GET /permission`, `GET /question` and the event.
        let json: JSON
    }

    /// A reply, which ends the wait.
    enum Reply: Sendable {
        /// A decision: `once`, `always` or `reject`. The next case contains the answers to questions as received, or
        /// nil for a rejection.
        case permission(String)
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

    /// Adds a request, which can be answered from now on.
    func add(_ request: Request) {
        state.withLock { $0.open.append(request) }
    }

    /// Answers a request and returns it; nil if there is none with that id.
    func reply(_ id: String, _ reply: Reply) -> Request? {
        state.withLock { state in
            guard let index = state.open.firstIndex(where: { $0.id == id }) else { return nil }
            state.replies[id] = reply
            return state.open.remove(at: index)
        }
    }

    /// Makes a session's turn stop waiting.
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
