// SPDX-License-Identifier: Apache-2.0

extension ScopeRoute {
    /// All of OpenCode's routes, from the API documents of 1.0.223, 1.1.11, 1.2.27, 1.18.3, 1.18.33 and 2.0.15, and the
    /// routes that these documents omit. A route that the table does not contain needs the scope `run`.
    ///
    /// Some routes below `/api` exist in both OpenCode 1.18 and OpenCode 2. Therefore, a row may belong to both
    /// families.
    package static let all: [ScopeRoute] =
        instance + sessions + sessionsBelowAPI + prompts + replies + files + providers + lists + screens + shells
        + control + projects + undocumented

    // MARK: Rows

    private static func one(_ scope: Scope, _ content: Content = .unexamined, rows: String...) -> [ScopeRoute] {
        routes(rows, families: [.one], scope: scope, content: content)
    }

    private static func two(_ scope: Scope, _ content: Content = .unexamined, rows: String...) -> [ScopeRoute] {
        routes(rows, families: [.two], scope: scope, content: content)
    }

    private static func both(_ scope: Scope, _ content: Content = .unexamined, rows: String...) -> [ScopeRoute] {
        routes(rows, families: [.one, .two], scope: scope, content: content)
    }

    /// Creates routes from rows that contain a method and a path.
    private static func routes(
        _ rows: [String], families: Set<APIFamily>, scope: Scope, content: Content
    ) -> [ScopeRoute] {
        rows.compactMap { row in
            let words = row.split(separator: " ")
            guard words.count == 2, let method = Method(rawValue: String(words[0])) else {
                assertionFailure("\(row) is not a method and a path")
                return nil
            }
            return ScopeRoute(
                method: method, template: String(words[1]), families: families, scope: scope, content: content)
        }
    }

    // MARK: The instance

    private static let instance =
        one(
            .read,
            rows: "GET /global/health", "GET /event", "GET /global/event", "GET /path", "GET /command", "GET /skill",
            "GET /lsp", "GET /formatter", "GET /mcp", "GET /vcs", "GET /experimental/capabilities",
            "GET /experimental/resource", "GET /experimental/tool", "GET /experimental/tool/ids",
            "GET /project/current", "GET /experimental/workspace/adapter", "GET /experimental/workspace/status")
        // OpenCode 2.0.3 to 2.0.10 report their health at `/api/health` (`HealthPath`).
        + both(
            .read,
            rows: "GET /api/health", "GET /api/event", "GET /api/location", "GET /api/command", "GET /api/skill")
        + two(
            .read,
            rows: "GET /api/info", "GET /api/mcp", "GET /api/mcp/resource", "GET /api/vcs", "GET /api/vcs/base",
            "GET /api/vcs/branch", "GET /api/config/shell", "GET /api/websearch/provider",
            "GET /api/experimental/migration/v1")
        // The name of the user's organisation at OpenCode's vendor. The full-screen program requests this name when it
        // starts (1.18.34).
        + one(.read, rows: "GET /experimental/console")

    // MARK: Sessions

    private static let sessions =
        one(
            .read,
            rows: "GET /session/status", "GET /session/{sessionID}",
            "GET /session/{sessionID}/children", "GET /session/{sessionID}/todo", "GET /session/{sessionID}/diff",
            "GET /session/{sessionID}/message", "GET /session/{sessionID}/message/{messageID}", "GET /permission",
            "GET /question")
        + one(
            .write,
            rows: "POST /session", "DELETE /session/{sessionID}", "PATCH /session/{sessionID}",
            "DELETE /session/{sessionID}/message/{messageID}",
            "DELETE /session/{sessionID}/message/{messageID}/part/{partID}",
            "PATCH /session/{sessionID}/message/{messageID}/part/{partID}", "POST /session/{sessionID}/fork",
            "POST /session/{sessionID}/abort", "POST /session/{sessionID}/revert", "POST /session/{sessionID}/unrevert",
            // Sharing publishes the session on the vendor's site.
            "POST /session/{sessionID}/share", "DELETE /session/{sessionID}/share",
            "POST /experimental/session/{sessionID}/background",
            // The request names the directory to which the session is moved. For keys that are limited to projects, the
            // gateway checks this directory.
            "POST /experimental/control-plane/move-session")

    private static let sessionsBelowAPI =
        both(
            .read,
            rows: "GET /api/session", "GET /api/session/{sessionID}", "GET /api/session/{sessionID}/context",
            "GET /api/session/{sessionID}/message", "GET /api/session/{sessionID}/message/{messageID}",
            "GET /api/session/{sessionID}/permission", "GET /api/session/{sessionID}/permission/{requestID}",
            "GET /api/permission/request")
        // A saved permission is a rule that allows an agent to act without asking the user. Such rules are part of the
        // configuration, which keys with the scope `read` may also request.
        + both(.read, rows: "GET /api/permission/saved")
        + one(
            .read,
            rows: "GET /api/session/{sessionID}/event", "GET /api/session/{sessionID}/history",
            "GET /api/session/{sessionID}/question", "GET /api/question/request")
        + two(
            .read,
            rows: "GET /api/session/{sessionID}/diff", "GET /api/session/{sessionID}/form",
            "GET /api/session/{sessionID}/form/{formID}", "GET /api/session/{sessionID}/inbox", "GET /api/form",
            "GET /api/experimental/session/stats", "GET /api/experimental/session/{sessionID}/export",
            "GET /api/experimental/session/{sessionID}/log",
            "GET /api/experimental/session/{sessionID}/instructions/entries")
        // This POST request waits until the session is idle. The request has no body, and changes nothing.
        + one(.read, rows: "POST /api/session/{sessionID}/wait")
        + two(.read, rows: "POST /api/experimental/session/{sessionID}/wait")
        + both(
            .write,
            rows: "POST /api/session", "POST /api/session/{sessionID}/agent", "POST /api/session/{sessionID}/model",
            "POST /api/session/{sessionID}/interrupt", "POST /api/session/{sessionID}/revert/stage",
            "POST /api/session/{sessionID}/revert/commit",
            // A client can create its own permission request, which other clients then show to the user.
            "POST /api/session/{sessionID}/permission",
            // A saved permission is a rule. The choice `always` in a reply creates such a rule.
            "DELETE /api/permission/saved/{id}")
        + one(.write, rows: "POST /api/session/{sessionID}/revert/clear")
        + two(
            .write,
            rows: "DELETE /api/session/{sessionID}", "PATCH /api/session/{sessionID}",
            "POST /api/session/{sessionID}/background", "POST /api/session/{sessionID}/fork",
            "POST /api/session/{sessionID}/move", "DELETE /api/session/{sessionID}/revert",
            "DELETE /api/session/{sessionID}/inbox/{inboxID}", "PATCH /api/session/{sessionID}/inbox/{inboxID}",
            // The request marks a session as seen for all clients.
            "POST /api/session/{sessionID}/view", "POST /api/session/{sessionID}/form",
            "PUT /api/experimental/session/{sessionID}/instructions/entries/{key}",
            "DELETE /api/experimental/session/{sessionID}/instructions/entries/{key}",
            "POST /api/experimental/session/import")
        // The request sets the environment of the session's shell commands. A variable such as `PATH` determines which
        // program is executed.
        + two(.run, rows: "PUT /api/session/{sessionID}/environment")

    // MARK: Prompts

    private static let prompts =
        one(
            .write,
            rows: "POST /session/{sessionID}/message", "POST /session/{sessionID}/prompt_async",
            "POST /session/{sessionID}/command", "POST /session/{sessionID}/init",
            "POST /session/{sessionID}/summarize")
        + both(.write, rows: "POST /api/session/{sessionID}/prompt", "POST /api/session/{sessionID}/compact")
        + two(
            .write,
            rows: "POST /api/session/{sessionID}/command", "POST /api/session/{sessionID}/synthetic",
            "POST /api/session/{sessionID}/generate", "POST /api/experimental/session/{sessionID}/skill",
            // These requests use a provider's account without a session.
            "POST /api/experimental/generate", "POST /api/websearch")

    private static let replies =
        one(
            .answer, .reply(.permission(.response)), rows: "POST /session/{sessionID}/permissions/{permissionID}")
        + one(.answer, .reply(.permission(.reply)), rows: "POST /permission/{requestID}/reply")
        // OpenCode 1.18 reads the member `reply`, and OpenCode 2 reads the member `decision`.
        + both(
            .answer, .reply(.permission(.replyOrDecision)),
            rows: "POST /api/session/{sessionID}/permission/{requestID}/reply")
        + one(
            .answer, .reply(.question),
            rows: "POST /question/{requestID}/reply", "POST /api/session/{sessionID}/question/{requestID}/reply")
        + two(.answer, .reply(.form), rows: "POST /api/session/{sessionID}/form/{formID}/reply")
        + one(
            .answer, .reply(.rejection),
            rows: "POST /question/{requestID}/reject", "POST /api/session/{sessionID}/question/{requestID}/reject")
        // In OpenCode 2, a client dismisses a question by cancelling the question's form.
        + two(.answer, .reply(.rejection), rows: "DELETE /api/session/{sessionID}/form/{formID}")

    // MARK: Files

    private static let files =
        // The names of the project's files, and the changes that a user needs for a review.
        one(
            .read,
            rows: "GET /file", "GET /file/status", "GET /find/file", "GET /find/symbol", "GET /vcs/status",
            "GET /vcs/diff", "GET /vcs/diff/raw")
        + both(.read, rows: "GET /api/fs/find")
        + two(.read, rows: "GET /api/vcs/status", "GET /api/vcs/diff")
        // The contents of files. A project's files may contain a provider's key, for example in `opencode.json` or
        // `.env`. Keys below the scope `run` do not receive provider keys in the configuration. The scope `write` is
        // sufficient here, because a key with this scope can also request a file from the agent.
        + one(.write, rows: "GET /file/content", "GET /find", "POST /vcs/apply")
        + both(.write, rows: "GET /api/fs/read/*")
        // Like a shell, this request lists "parents and siblings outside" the directory (API document of 2.0.15). If
        // the request fails, OpenCode's full-screen program continues.
        + both(.write, rows: "GET /api/fs/list")
        + two(.write, rows: "POST /api/experimental/fs/write")

    // MARK: Providers and configuration

    private static let providers =
        one(.read, .secrets(.configuration), rows: "GET /config", "GET /global/config")
        + one(.read, .secrets(.providers), rows: "GET /config/providers", "GET /provider")
        + one(.read, .secrets(.agents), rows: "GET /agent")
        + two(.read, .secrets(.configurationDocuments), rows: "GET /api/config")
        + both(.read, .secrets(.data), rows: "GET /api/provider", "GET /api/provider/{providerID}", "GET /api/model")
        + two(.read, .secrets(.data), rows: "GET /api/model/default", "GET /api/agent/{agentID}", "GET /api/plugin")
        + both(
            .read, .secrets(.data),
            rows: "GET /api/agent", "GET /api/integration", "GET /api/integration/{integrationID}",
            "GET /api/reference")
        // The available methods of signing in.
        + one(.read, rows: "GET /provider/auth")
        // The e-mail addresses of the accounts.
        + one(.run, rows: "GET /experimental/console/orgs", "POST /experimental/console/switch")
        + one(
            .run,
            rows: "PATCH /config", "PATCH /global/config", "PUT /auth/{providerID}", "DELETE /auth/{providerID}",
            "POST /provider/{providerID}/oauth/authorize", "POST /provider/{providerID}/oauth/callback", "POST /mcp",
            "POST /mcp/{name}/auth", "DELETE /mcp/{name}/auth", "POST /mcp/{name}/auth/callback",
            "POST /mcp/{name}/auth/authenticate", "POST /mcp/{name}/connect", "POST /mcp/{name}/disconnect")
        + both(
            .run,
            rows: "DELETE /api/credential/{credentialID}", "PATCH /api/credential/{credentialID}",
            "POST /api/integration/{integrationID}/connect/key", "POST /api/integration/{integrationID}/connect/oauth")
        // The state of a sign-in is part of the provider's credentials, and may contain the output of a program.
        + one(
            .run,
            rows: "GET /api/integration/attempt/{attemptID}", "DELETE /api/integration/attempt/{attemptID}",
            "POST /api/integration/attempt/{attemptID}/complete")
        + two(
            .run,
            rows: "GET /api/integration/{integrationID}/connect/oauth/{attemptID}",
            "DELETE /api/integration/{integrationID}/connect/oauth/{attemptID}",
            "POST /api/integration/{integrationID}/connect/oauth/{attemptID}/complete",
            "GET /api/integration/{integrationID}/connect/command/{attemptID}",
            "DELETE /api/integration/{integrationID}/connect/command/{attemptID}",
            "POST /api/integration/{integrationID}/connect/command", "POST /api/credential/{credentialID}/activate",
            "PATCH /api/experimental/config", "PUT /api/experimental/mcp/{server}",
            "DELETE /api/experimental/mcp/{server}", "POST /api/experimental/mcp/{server}/connect",
            "POST /api/experimental/mcp/{server}/disconnect", "POST /api/experimental/integration/wellknown",
            "POST /api/plugin/check", "POST /api/plugin/update",
            // The request calls a function of a plug-in. A plug-in can perform any operation.
            "POST /api/rpc/{rpcID}/{method}")

    // MARK: Lists that name other projects

    private static let lists =
        one(.read, .projects(.projects), rows: "GET /project")
        + two(.read, .projects(.projects), rows: "GET /api/project")
        + one(.read, .projects(.sessions), rows: "GET /session", "GET /experimental/session")
        + both(.read, .projects(.activeSessions), rows: "GET /api/session/active")
        + one(
            .read, .projects(.directories),
            rows: "GET /project/{projectID}/directories", "GET /experimental/worktree", "GET /experimental/workspace")
        + two(.read, .projects(.directories), rows: "GET /api/worktree")

    // MARK: Full-screen programs

    private static let screens =
        // These requests prepare a prompt in a full-screen program on the instance's machine, or show something in this
        // program.
        one(
            .write,
            rows: "POST /tui/append-prompt", "POST /tui/submit-prompt", "POST /tui/clear-prompt",
            "POST /tui/open-help", "POST /tui/open-sessions", "POST /tui/open-themes", "POST /tui/open-models",
            "POST /tui/show-toast", "POST /tui/select-session")
        // `execute-command` runs any command of the full-screen program. `publish` can do the same by means of an
        // event.
        + one(.run, rows: "POST /tui/execute-command", "POST /tui/publish")
        // The GET request removes the next request from the full-screen program's queue. Only the program itself sends
        // these requests.
        + one(.run, rows: "GET /tui/control/next", "POST /tui/control/response")

    // MARK: Shells and terminals

    private static let shells =
        one(
            .run,
            rows: "POST /session/{sessionID}/shell", "POST /pty", "PUT /pty/{ptyID}", "DELETE /pty/{ptyID}",
            "POST /pty/{ptyID}/connect-token",
            // A terminal's WebSocket accepts commands.
            "GET /pty/{ptyID}/connect",
            // The command line of a terminal may contain a secret. No program sends these requests when it starts.
            "GET /pty", "GET /pty/{ptyID}")
        // The names of the installed shells.
        + one(.read, rows: "GET /pty/shells")
        + both(
            .run,
            rows: "GET /api/pty", "POST /api/pty", "GET /api/pty/{ptyID}", "PUT /api/pty/{ptyID}",
            "DELETE /api/pty/{ptyID}", "GET /api/pty/{ptyID}/connect", "POST /api/pty/{ptyID}/connect-token")
        + two(
            .run,
            rows: "POST /api/session/{sessionID}/shell", "POST /api/shell", "DELETE /api/shell/{id}",
            // The command's output.
            "GET /api/shell/{id}", "GET /api/shell/{id}/output",
            "GET /api/experimental/persistent-pty/{ptyID}", "PUT /api/experimental/persistent-pty/{ptyID}",
            "DELETE /api/experimental/persistent-pty/{ptyID}", "GET /api/experimental/persistent-pty/{ptyID}/connect",
            "POST /api/experimental/persistent-pty/{ptyID}/connect-token",
            // The contents of a terminal's screen.
            "GET /api/experimental/persistent-pty/{ptyID}/snapshot",
            "GET /api/experimental/session/{sessionID}/terminal/read",
            "POST /api/experimental/session/{sessionID}/terminal", "POST /api/experimental/persistent-pty/handoff",
            "POST /api/experimental/persistent-pty/shutdown")
        // The running commands and terminals, without their output. OpenCode 2's full-screen program requests both
        // lists when it starts (2.0.15). An agent's commands are also part of the agent's messages.
        + two(.read, rows: "GET /api/shell", "GET /api/experimental/session/{sessionID}/terminal")

    // MARK: Control of the instance

    private static let control =
        one(
            .run,
            rows: "POST /log", "POST /instance/dispose", "POST /global/dispose", "POST /global/upgrade",
            "POST /sync/start", "POST /sync/replay", "POST /sync/steal",
            // This POST request changes nothing, but returns the events of all sessions in the database.
            "POST /sync/history")
        + two(
            .run,
            rows: "POST /api/location/reload",
            // The list of open directories also contains the directories of other projects.
            "GET /api/debug/location", "DELETE /api/debug/location")

    private static let projects =
        // A project's settings contain a command that OpenCode runs when it creates a worktree.
        one(.run, rows: "PATCH /project/{projectID}", "POST /project/git/init")
        + two(.run, rows: "PATCH /api/project/{projectID}")
        + one(
            .run,
            rows: "POST /experimental/worktree", "DELETE /experimental/worktree", "POST /experimental/worktree/reset",
            "POST /experimental/workspace", "DELETE /experimental/workspace/{id}",
            "POST /experimental/workspace/sync-list", "POST /experimental/workspace/warp",
            "POST /experimental/project/{projectID}/copy", "DELETE /experimental/project/{projectID}/copy",
            "POST /experimental/project/{projectID}/copy/generate-name",
            "POST /experimental/project/{projectID}/copy/refresh")
        + two(.run, rows: "POST /api/worktree", "DELETE /api/worktree", "POST /api/worktree/refresh")

    // MARK: Routes without a description

    /// The routes that no recorded document describes.
    static let undocumented =
        // The API documents themselves, and the web app with its files (recorded from 1.18.33 and 2.0.15).
        one(.read, rows: "GET /doc") + two(.read, rows: "GET /openapi.json")
        + both(.read, rows: "GET /", "GET /assets/*", "GET /_assets/*")
        // The pairing of OpenCode 2.1 and later. The response contains the instance's password, so the gateway rejects
        // these requests for every key. In code that does not examine the content, the scope `admin` has the same
        // effect.
        + two(.admin, .pairing, rows: "POST /api/pair", "GET /auth/connect/{code}")
}
