// SPDX-License-Identifier: Apache-2.0

/// The routes of OpenCode 1 that have no counterpart in OpenCode 2, and the alternatives to these routes.
enum UntranslatedRoutes {
    /// Returns the message for a client that requests a route without a counterpart.
    static func message(for route: OpenCode1Route) -> String {
        alternatives[route] ?? "OpenCode 2 has no counterpart of \(route). Use its own routes below /api."
    }

    /// The messages for routes to which OpenCode 2 has an alternative, and for routes whose purpose does not exist in
    /// OpenCode 2.
    static let alternatives: [OpenCode1Route: String] = {
        var alternatives: [OpenCode1Route: String] = [:]
        for (message, routes) in groups {
            for route in routes { alternatives[route] = message }
        }
        return alternatives
    }()

    private static let groups: [(String, [OpenCode1Route])] = [
        ("OpenCode 2 cannot search for symbols.", [OpenCode1Route(.get, "/find/symbol")]),
        (
            "OpenCode 2 cannot search in files. Use /api/fs/find to find files by name.",
            [OpenCode1Route(.get, "/find")]
        ),
        (
            "OpenCode 2's API cannot share sessions.",
            [
                OpenCode1Route(.post, "/session/{sessionID}/share"),
                OpenCode1Route(.delete, "/session/{sessionID}/share"),
            ]
        ),
        (
            "OpenCode 2 has no such route. Use POST /session/ID/command with the command \"init\".",
            [OpenCode1Route(.post, "/session/{sessionID}/init")]
        ),
        (
            "OpenCode 2 cannot change single messages or parts. Revert messages with POST /api/session/ID/revert/stage.",
            [
                OpenCode1Route(.delete, "/session/{sessionID}/message/{messageID}"),
                OpenCode1Route(.delete, "/session/{sessionID}/message/{messageID}/part/{partID}"),
                OpenCode1Route(.patch, "/session/{sessionID}/message/{messageID}/part/{partID}"),
            ]
        ),
        (
            "OpenCode 2 has no such route. Log in to providers with its own routes below /api/integration.",
            [
                OpenCode1Route(.put, "/auth/{providerID}"), OpenCode1Route(.delete, "/auth/{providerID}"),
                OpenCode1Route(.post, "/provider/{providerID}/oauth/authorize"),
                OpenCode1Route(.post, "/provider/{providerID}/oauth/callback"),
            ]
        ),
        (
            "OpenCode 2 has no such route. Manage MCP servers with its own routes below /api/experimental/mcp.",
            [
                OpenCode1Route(.post, "/mcp"), OpenCode1Route(.post, "/mcp/{name}/auth"),
                OpenCode1Route(.delete, "/mcp/{name}/auth"), OpenCode1Route(.post, "/mcp/{name}/auth/callback"),
                OpenCode1Route(.post, "/mcp/{name}/auth/authenticate"), OpenCode1Route(.post, "/mcp/{name}/connect"),
                OpenCode1Route(.post, "/mcp/{name}/disconnect"),
            ]
        ),
        (
            "OpenCode 2 has no such route. Manage worktrees with its own routes below /api/worktree.",
            [
                OpenCode1Route(.get, "/experimental/worktree"), OpenCode1Route(.post, "/experimental/worktree"),
                OpenCode1Route(.delete, "/experimental/worktree"),
                OpenCode1Route(.post, "/experimental/worktree/reset"),
            ]
        ),
        (
            "OpenCode 2 has no such route. Use its own routes /api/vcs/status and /api/vcs/diff.",
            [
                OpenCode1Route(.get, "/vcs/status"), OpenCode1Route(.get, "/vcs/diff"),
                OpenCode1Route(.get, "/vcs/diff/raw"), OpenCode1Route(.post, "/vcs/apply"),
            ]
        ),
        (
            "OpenCode 2 has no such route. Edit its configuration files.",
            [
                OpenCode1Route(.get, "/global/config"), OpenCode1Route(.patch, "/global/config"),
                OpenCode1Route(.patch, "/config"),
            ]
        ),
        (
            "OpenCode 2's API cannot control its terminal program.",
            [
                OpenCode1Route(.post, "/tui/append-prompt"), OpenCode1Route(.post, "/tui/open-help"),
                OpenCode1Route(.post, "/tui/open-sessions"), OpenCode1Route(.post, "/tui/open-themes"),
                OpenCode1Route(.post, "/tui/open-models"), OpenCode1Route(.post, "/tui/submit-prompt"),
                OpenCode1Route(.post, "/tui/clear-prompt"), OpenCode1Route(.post, "/tui/execute-command"),
                OpenCode1Route(.post, "/tui/show-toast"), OpenCode1Route(.post, "/tui/publish"),
                OpenCode1Route(.post, "/tui/select-session"), OpenCode1Route(.get, "/tui/control/next"),
                OpenCode1Route(.post, "/tui/control/response"),
            ]
        ),
    ]
}
