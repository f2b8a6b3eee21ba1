import TestKit

/// What turns wait for until somebody answers: permissions and forms.
final class Pending2: Sendable {
    enum Kind: Sendable {
        case permission, form
    }

    struct Request: Sendable {
        let id: String
        let kind: Kind
        let sessionID: String
        let directory: String
        /// As lists and the event show it.
        let json: JSON
        /// What has ended the waiting; nil while it is waited for.
        var reply: Reply?

        /// A form as it is shown alone: with its state.
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
        /// `once`, `always` or `reject`.
        case permission(String)
        /// A form's values by their keys.
        case answer(JSON)
        case cancelled
        /// The turn was interrupted.
        case aborted
    }

    private struct State {
        var requests: [Request] = []
        /// What was allowed for good.
        var saved: [JSON] = []
    }

    private let state = Monitor(State())

    /// What nobody has answered, in the order in which it was asked: of a session, or of a directory.
    func open(_ kind: Kind, session: String? = nil, directory: String? = nil) -> [JSON] {
        state.withLock { state in
            state.requests.filter { request in
                request.kind == kind && request.reply == nil && request.sessionID == session ?? request.sessionID
                    && request.directory == directory ?? request.directory
            }.map(\.json)
        }
    }

    /// A session's request, answered or not.
    func request(_ kind: Kind, _ id: String, session: String) -> Request? {
        state.withLock { state in
            state.requests.first { $0.id == id && $0.kind == kind && $0.sessionID == session }
        }
    }

    /// Adds a request; it can be answered from now on.
    func add(_ request: Request) {
        state.withLock { $0.requests.append(request) }
    }

    /// Answers a request; whether it was still waited for. `tell` is called before anybody can go on.
    func settle(_ id: String, _ reply: Reply, tell: () -> Void) -> Bool {
        state.withLock { state in
            guard let index = state.requests.firstIndex(where: { $0.id == id && $0.reply == nil }) else { return false }
            tell()
            state.requests[index].reply = reply
            return true
        }
    }

    /// Ends the waiting of a session's turn.
    func abort(session: String) {
        state.withLock { state in
            for index in state.requests.indices
            where state.requests[index].sessionID == session && state.requests[index].reply == nil {
                state.requests[index].reply = .aborted
            }
        }
    }

    /// Waits for the reply to a request that was added.
    func wait(for id: String) -> Reply {
        let reply = try? state.wait(for: "a reply", within: .seconds(86_400)) { state in
            state.requests.first { $0.id == id }?.reply
        }
        return reply ?? .aborted
    }

    /// What was allowed for good, of one project or of all.
    func saved(project: String?) -> [JSON] {
        state.withLock { $0.saved.filter { project == nil || $0["projectID"]?.text == project } }
    }

    /// Allows resources of a project for good, each once.
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

    /// Whether a resource was allowed for good.
    func isSaved(_ action: String, _ resource: String, project: String) -> Bool {
        saved(project: project).contains { $0["action"]?.text == action && $0["resource"]?.text == resource }
    }
}
