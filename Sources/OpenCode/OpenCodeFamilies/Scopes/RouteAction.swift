// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// An action in OpenCode that the audit log records.
package enum RouteAction: String, Sendable, CaseIterable {
    /// The request starts the work of a model.
    case prompt
    /// The request ends the running work of a session.
    case abort
    /// The request replies to a permission request.
    case permission
    /// The request replies to a question or rejects it.
    case question
    /// The request runs a command in a shell.
    case shell
    /// The request creates a terminal or connects to one.
    case terminal
    /// The request ends the work of all sessions, and OpenCode loads its configuration again.
    case restart
}

extension ScopeRoute {
    /// The action of a request for this route; nil if the audit log does not record the request. For a GET route, only
    /// the handshake of a WebSocket is the action.
    package var action: RouteAction? {
        switch content {
        case .reply(.permission): .permission
        case .reply: .question
        default: Self.actions["\(method.rawValue) \(template)"]
        }
    }

    /// The actions of the routes that are not replies, for both families.
    static let actions: [String: RouteAction] = {
        let rows: [RouteAction: [String]] = [
            .prompt: [
                "POST /session/{sessionID}/message", "POST /session/{sessionID}/prompt_async",
                "POST /session/{sessionID}/command", "POST /session/{sessionID}/init",
                "POST /session/{sessionID}/summarize", "POST /api/session/{sessionID}/prompt",
                "POST /api/session/{sessionID}/compact", "POST /api/session/{sessionID}/command",
                "POST /api/session/{sessionID}/synthetic", "POST /api/session/{sessionID}/generate",
                "POST /api/experimental/session/{sessionID}/skill", "POST /api/experimental/generate",
                // The full-screen program sends the prompt that it shows.
                "POST /tui/submit-prompt",
            ],
            .abort: ["POST /session/{sessionID}/abort", "POST /api/session/{sessionID}/interrupt"],
            .shell: [
                "POST /session/{sessionID}/shell", "POST /api/session/{sessionID}/shell", "POST /api/shell",
            ],
            .terminal: [
                "POST /pty", "GET /pty/{ptyID}/connect", "POST /api/pty", "GET /api/pty/{ptyID}/connect",
                "POST /api/experimental/session/{sessionID}/terminal",
                "GET /api/experimental/persistent-pty/{ptyID}/connect",
            ],
            .restart: ["POST /instance/dispose", "POST /global/dispose", "POST /api/location/reload"],
        ]
        return Dictionary(uniqueKeysWithValues: rows.flatMap { action, rows in rows.map { ($0, action) } })
    }()

    /// Returns the id of the permission request or the question to which a request for this route replies; nil if the
    /// path is not in its usual form.
    ///
    /// - Parameter target: The target as the instance receives it.
    package func repliedID(in target: ArraySlice<UInt8>) -> String? {
        guard case .reply = content else { return nil }
        let names = template.split(separator: "/")
        let segments = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: ";") }.split(
            separator: UInt8(ascii: "/"))
        // Before the id of the request, a path may contain the id of its session.
        guard names.count == segments.count, let index = names.lastIndex(where: { $0.first == "{" }) else { return nil }
        return String(decoding: PercentEncoding.decode(segments[index]).bytes, as: UTF8.self)
    }
}

extension ReplyBody {
    /// Returns the choice in the body of a reply: `once`, `always` or `reject` for a permission request, and `answered`
    /// or `rejected` for a question. Returns nil if the body contains no such choice.
    ///
    /// The answer to a question can be a free text like a prompt, so it is not a part of the result.
    package func choice(in body: [UInt8]) -> String? {
        switch self {
        case .permission(let choice):
            let found = permissionChoices(in: body, choice)
            return found.count == 1 && Self.choices.contains(found[0]) ? found[0] : nil
        case .question, .form: return "answered"
        case .rejection: return "rejected"
        }
    }

    private static let choices: Set<String> = ["once", "always", "reject"]
}
