// SPDX-License-Identifier: Apache-2.0

/// The routes of OpenCode 1: all of 1.18.33's document except those below `/api`, and the document itself.
enum OpenCode1Routes {
    /// Returns the route for a method and decoded path segments, with the values of its placeholders; nil if OpenCode 1
    /// has no such route.
    static func find(_ method: String, _ path: [String]) -> (route: String, values: [String])? {
        guard let first = path.first, let routes = byBeginning[Beginning(first: first, length: path.count)] else {
            return nil
        }
        // Literal segments take precedence over placeholders: `/session/status` is not a session.
        var best: (route: String, values: [String])?
        for route in routes where route.method == method {
            guard let values = route.values(path), best.map({ values.count < $0.values.count }) ?? true else {
                continue
            }
            best = (route.text, values)
        }
        return best
    }

    /// The first segment and the length of a route's path; the first segment is never a placeholder.
    private struct Beginning: Hashable {
        let first: String
        let length: Int
    }

    private struct Route {
        let text: String
        let method: String
        /// The segments of the path; nil represents a placeholder.
        let segments: [String?]

        func values(_ path: [String]) -> [String]? {
            var values: [String] = []
            for (segment, name) in zip(segments, path) {
                if let segment {
                    guard segment == name else { return nil }
                } else {
                    guard !name.isEmpty else { return nil }
                    values.append(name)
                }
            }
            return values
        }
    }

    private static let byBeginning: [Beginning: [Route]] = {
        let routes = all.split(separator: "\n").compactMap { line -> Route? in
            let words = line.split(separator: " ")
            guard words.count == 2 else { return nil }
            let segments = words[1].split(separator: "/").map { $0.first == "{" ? nil : String($0) }
            return Route(text: String(line), method: String(words[0]), segments: segments)
        }
        return Dictionary(grouping: routes) { route in
            Beginning(first: route.segments[0] ?? "", length: route.segments.count)
        }
    }()

    /// All routes, one per line.
    static let all = """
        PUT /auth/{providerID}
        DELETE /auth/{providerID}
        POST /log
        POST /experimental/control-plane/move-session
        GET /global/health
        GET /global/event
        GET /global/config
        PATCH /global/config
        POST /global/dispose
        POST /global/upgrade
        GET /event
        GET /config
        PATCH /config
        GET /config/providers
        GET /experimental/capabilities
        GET /experimental/console
        GET /experimental/console/orgs
        POST /experimental/console/switch
        GET /experimental/tool
        GET /experimental/tool/ids
        GET /experimental/worktree
        POST /experimental/worktree
        DELETE /experimental/worktree
        POST /experimental/worktree/reset
        GET /experimental/session
        POST /experimental/session/{sessionID}/background
        GET /experimental/resource
        GET /find
        GET /find/file
        GET /find/symbol
        GET /file
        GET /file/content
        GET /file/status
        POST /instance/dispose
        GET /path
        GET /vcs
        GET /vcs/status
        GET /vcs/diff
        GET /vcs/diff/raw
        POST /vcs/apply
        GET /command
        GET /agent
        GET /skill
        GET /lsp
        GET /formatter
        GET /mcp
        POST /mcp
        POST /mcp/{name}/auth
        DELETE /mcp/{name}/auth
        POST /mcp/{name}/auth/callback
        POST /mcp/{name}/auth/authenticate
        POST /mcp/{name}/connect
        POST /mcp/{name}/disconnect
        GET /project
        GET /project/current
        POST /project/git/init
        PATCH /project/{projectID}
        GET /project/{projectID}/directories
        POST /experimental/project/{projectID}/copy/generate-name
        GET /pty/shells
        GET /pty
        POST /pty
        GET /pty/{ptyID}
        PUT /pty/{ptyID}
        DELETE /pty/{ptyID}
        POST /pty/{ptyID}/connect-token
        GET /question
        POST /question/{requestID}/reply
        POST /question/{requestID}/reject
        GET /permission
        POST /permission/{requestID}/reply
        GET /provider
        GET /provider/auth
        POST /provider/{providerID}/oauth/authorize
        POST /provider/{providerID}/oauth/callback
        GET /session
        POST /session
        GET /session/status
        GET /session/{sessionID}
        DELETE /session/{sessionID}
        PATCH /session/{sessionID}
        GET /session/{sessionID}/children
        GET /session/{sessionID}/todo
        GET /session/{sessionID}/diff
        GET /session/{sessionID}/message
        POST /session/{sessionID}/message
        GET /session/{sessionID}/message/{messageID}
        DELETE /session/{sessionID}/message/{messageID}
        POST /session/{sessionID}/fork
        POST /session/{sessionID}/abort
        POST /session/{sessionID}/init
        POST /session/{sessionID}/share
        DELETE /session/{sessionID}/share
        POST /session/{sessionID}/summarize
        POST /session/{sessionID}/prompt_async
        POST /session/{sessionID}/command
        POST /session/{sessionID}/shell
        POST /session/{sessionID}/revert
        POST /session/{sessionID}/unrevert
        POST /session/{sessionID}/permissions/{permissionID}
        DELETE /session/{sessionID}/message/{messageID}/part/{partID}
        PATCH /session/{sessionID}/message/{messageID}/part/{partID}
        POST /sync/start
        POST /sync/replay
        POST /sync/steal
        POST /sync/history
        POST /tui/append-prompt
        POST /tui/open-help
        POST /tui/open-sessions
        POST /tui/open-themes
        POST /tui/open-models
        POST /tui/submit-prompt
        POST /tui/clear-prompt
        POST /tui/execute-command
        POST /tui/show-toast
        POST /tui/publish
        POST /tui/select-session
        GET /tui/control/next
        POST /tui/control/response
        GET /experimental/workspace/adapter
        GET /experimental/workspace
        POST /experimental/workspace
        POST /experimental/workspace/sync-list
        GET /experimental/workspace/status
        DELETE /experimental/workspace/{id}
        POST /experimental/workspace/warp
        POST /experimental/project/{projectID}/copy
        DELETE /experimental/project/{projectID}/copy
        POST /experimental/project/{projectID}/copy/refresh
        GET /pty/{ptyID}/connect
        GET /doc
        """
}
