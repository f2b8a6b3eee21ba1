// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The permission requests and forms for which turns wait until a user replies.
final class Pending2: Sendable {
    enum Kind: Sendable {
        case permission, form
    }

    struct Request: Sendable {
        let id: String
        let kind: Kind
        let sessionID: String
        let directory: String
        /// The request in the format of lists and of its event.
        let json: JSON
        /// The reply that ended the wait; nil while the request is open.
        var reply: Reply?

        /// The form in the format of the response about a single form, which includes the form's state.
        var detail: JSON {
            let state: JSON =
                switch reply {
                case nil: ["status": "pending"]
                case .answer(let answer): ["status": "answered", "answer": answer]
                case .permission, .cancelled, .aborted: ["status": "cancelled"]
                }
            return json.adding([("state", state)])
        }
    }

    enum Reply: Sendable {
        /// A decision: `once`, `always` or `reject`.
        case permission(String)
        /// The values of a form, by key.
        case answer(JSON)
        case cancelled
        /// The turn was interrupted while it waited.
        case aborted
    }

    private struct State {
        var requests: [Request] = []
        /// The resources that are permanently allowed.
        var saved: [JSON] = []
    }

    private let state = Monitor(State())

    /// Returns the open requests of a session or of a directory, in the order of their creation.
    func open(_ kind: Kind, session: String? = nil, directory: String? = nil) -> [JSON] {
        state.withLock { state in
            state.requests.filter { request in
                request.kind == kind && request.reply == nil && request.sessionID == session ?? request.sessionID
                    && request.directory == directory ?? request.directory
            }.map(\.json)
        }
    }

    /// Returns a session's request, even if the user has already replied.
    func request(_ kind: Kind, _ id: String, session: String) -> Request? {
        state.withLock { state in
            state.requests.first { $0.id == id && $0.kind == kind && $0.sessionID == session }
        }
    }

    /// Adds a request, so that a user can reply to it.
    func add(_ request: Request) {
        state.withLock { $0.requests.append(request) }
    }

    /// Ends a request with a reply. Returns whether the request was still open.
    ///
    /// - Parameter publish: A function that is called before the waiting turn can continue.
    func settle(_ id: String, _ reply: Reply, publish: () -> Void) -> Bool {
        state.withLock { state in
            guard let index = state.requests.firstIndex(where: { $0.id == id && $0.reply == nil }) else { return false }
            publish()
            state.requests[index].reply = reply
            return true
        }
    }

    /// Aborts a session's open requests, so that the session's turn stops waiting.
    func abort(session: String) {
        state.withLock { state in
            for index in state.requests.indices
            where state.requests[index].sessionID == session && state.requests[index].reply == nil {
                state.requests[index].reply = .aborted
            }
        }
    }

    /// Waits for the reply to a previously added request.
    func wait(for id: String) -> Reply {
        let reply = try? state.wait(for: "a reply", within: .seconds(86_400)) { state in
            state.requests.first { $0.id == id }?.reply
        }
        return reply ?? .aborted
    }

    /// Returns the permanently allowed resources of a project. If `project` is nil, returns the resources of all
    /// projects.
    func saved(project: String?) -> [JSON] {
        state.withLock { $0.saved.filter { project == nil || $0["projectID"]?.text == project } }
    }

    /// Permanently allows an action on resources in a project. Stores each resource only once.
    func save(_ action: String, _ resources: [String], project: String) {
        let now = JSON.integer(Clock.milliseconds)
        for resource in resources where !isSaved(action, resource, project: project) {
            let entry: JSON = [
                "id": .string(Identifier.make("psv")), "projectID": .string(project), "action": .string(action),
                "resource": .string(resource), "time": ["created": now, "updated": now],
            ]
            state.withLock { $0.saved.append(entry) }
        }
    }

    /// Returns whether the action on a resource is permanently allowed in a project.
    func isSaved(_ action: String, _ resource: String, project: String) -> Bool {
        saved(project: project).contains { $0["action"]?.text == action && $0["resource"]?.text == resource }
    }
}
