// SPDX-License-Identifier: Apache-2.0

import TestKit

@testable import opencode_simulator

/// The recorded flows, with the steps of each.
enum FlowTable {
    typealias Preparation = RecordedFlow.Preparation
    typealias Entry = (model: String?, pace: Int, steps: [(String, Preparation?)])

    /// The requests that were sent before the agents and models of the folder were loaded.
    static let early: Set<String> = ["agents", "models", "model-default", "providers", "vcs"]

    static let idle: Preparation = { try $0.waitForIdle() }
    private static let requested: Preparation = { try $0.wait(for: "permission.asked") }
    private static let formed: Preparation = { try $0.wait(for: "form.created") }
    static let writing: Preparation = { try $0.wait(for: "session.text.delta") }

    private static let used: Preparation = { player in
        try player.makeSessions()
        let (session, home) = (try player.newSession("talk"), player.simulator.home.path)
        try player.simulator.post("/api/session/\(session)/move", #"{"directory":"\#(home)/other.app"}"#)
        try player.newSession("talk")
        try player.simulator.post("/api/session", #"{"location":{"directory":"\#(home)/goes"}}"#)
    }

    static let flows: [Entry] = turns + requests + changes + lists + [worktree, terminal, folder]

    private static let turns: [Entry] = [
        ("talk", 0, [("prompt-talk", nil), ("messages-after-talk", idle), ("session-after-talk", nil)]),
        ("think", 0, [("prompt-think", nil)]),
        ("edit", 0, [("prompt-edit", nil)]),
        ("subagent", 0, [("prompt-subagent", nil)]),
        ("unauthorized", 0, [("prompt-unauthorized", nil)]),
        ("cutoff", 0, [("prompt-cutoff", nil)]),
        ("big", 0, [("prompt-big", nil)]),
        ("medium", 0, [("prompt-medium", nil)]),
        ("fast", 0, [("prompt-fast", nil), ("prompt-fast", idle), ("prompt-fast", idle), ("prompt-fast", idle)]),
        ("slow", 0, [("prompt-slow", nil), ("wait-slow", nil)]),
        ("talk", 20, [("wait-busy", { try $0.prompt() })]),
        (
            "ratelimit", 20,
            [
                ("prompt-ratelimit", nil), ("active-retrying", { try $0.wait(for: "session.retry.scheduled") }),
                ("interrupt-retrying", nil),
            ]
        ),
        (
            "long", 100,
            [
                ("prompt-long", nil), ("active-busy", writing), ("prompt-while-busy", nil), ("inbox-while-busy", nil),
                ("interrupt", nil), ("interrupt-idle", { try $0.wait(for: "session.execution.interrupted") }),
                ("session-remove", nil),
            ]
        ),
        (
            "talk", 0,
            [
                ("prompt-no-text", nil), ("prompt-parts-as-1", nil), ("prompt-missing-session", nil),
                ("session-create-unknown-model", nil),
                ("prompt-unknown-model", { $0.takeSession(of: "session-create-unknown-model") }),
            ]
        ),
        (
            "long", 100,
            [
                (
                    "session-after-stop",
                    { player in
                        try player.prompt("hi")
                        try writing(player)
                        try player.restartServer()
                    }
                ),
                ("active-after-stop", nil), ("messages-after-stop", nil),
            ]
        ),
        (
            "talk", 0,
            [
                ("prompt-other-location", { try $0.newSession("talk", in: "other.app") }),
                (
                    "second-server-reads-firsts-session",
                    { player in
                        try player.waitForIdle()
                        try player.changeServer(in: "other.app")
                    }
                ), ("second-server-prompts-firsts-session", nil),
            ]
        ),
    ]

    private static let requests: [Entry] = [
        (
            "tools", 0,
            [
                ("prompt-tools", nil), ("permissions-pending-tools", requested), ("session-permissions-tools", nil),
                ("active-while-asking-tools", nil), ("permission-once", nil), ("permission-once-again", nil),
            ]
        ),
        (
            "ask", 0,
            [
                ("prompt-ask", nil), ("permissions-pending-ask", requested), ("session-permissions-ask", nil),
                ("active-while-asking-ask", nil), ("permission-reject", nil), ("permission-reject-again", nil),
            ]
        ),
        (
            "tools", 0,
            [
                ("prompt-always", nil), ("permissions-pending-always", requested), ("session-permissions-always", nil),
                ("active-while-asking-always", nil), ("permission-always", nil), ("permission-always-again", nil),
                (
                    "prompt-tools-after-always",
                    { player in
                        try player.waitForIdle()
                        try player.newSession("tools")
                    }
                ),
                ("permissions-saved", idle),
            ]
        ),
        (
            "question", 0,
            [
                ("prompt-question", nil), ("forms-pending", formed), ("session-forms-pending", nil),
                ("form-reply-bad", nil), ("form-reply", nil),
            ]
        ),
        (
            "question", 0,
            [
                ("prompt-question-cancelled", nil), ("form-cancel", formed), ("form-cancel-again", nil),
                ("form-settled", nil),
            ]
        ),
    ]

    /// This flow is slow, because lists are requested before the session has its title. No step waits for the end of
    /// the turn.
    private static let worktree: Entry = (
        nil, 2_500,
        [
            ("location-again", nil), ("worktree-create", nil), ("worktree-list", nil), ("worktree-location", nil),
            ("session-move-to-worktree", { try $0.newSession("talk") }),
            ("session-after-move", nil), ("prompt-in-worktree", nil), ("session-list-project", nil),
            ("session-list-directory-of-worktree", nil), ("session-move-back", nil), ("worktree-refresh", nil),
            ("worktree-remove", nil), ("worktree-remove-again", nil),
        ]
    )

    private static let terminal: Entry = (
        nil, 0,
        [
            ("pty-create", nil), ("pty-list-one", nil), ("pty-resize", nil), ("pty-connect-token", nil),
            ("pty-connect-token-without-header", nil), ("pty-connect-token-foreign-origin", nil),
            ("pty-connect-without-upgrade", nil), ("pty-delete", nil),
        ]
    )

    private static let folder: Entry = (
        nil, 0,
        [
            ("folder-there", nil), ("folder-gone", { FileTree.remove($0.simulator.directory) }),
            ("folder-gone-session", nil),
        ]
    )

    /// The preparation of each exchange that belongs to no flow.
    static let before: [String: Preparation] = [
        "session-list-all": { try $0.makeSessions() },
        "session-list-here": { try $0.makeSessions() },
        "session-list-limit": { try $0.makeSessions() },
        "head-session": { try $0.makeSessions() },
        "password-right": used,
        "password-query-token": used,
        "broken-config-models": {
            try $0.simulator.home.write("{ this is not json", to: ".config/opencode/opencode.json")
        },
        "[OPENCODE_SERVER_PASSWORD, as 1 has it] opencode:correct horse": used,
        "[both, different] opencode:correct horse": used,
        "[a user name, as 1 has it] opencode:correct horse": used,
        "projects": { _ = try $0.simulator.get("/api/location") },
        "project-list-two": { player in
            let home = player.simulator.home
            try Repository.make(at: try home.makeDirectory("other.app"))
            for folder in ["\(home.path)/other.app", try home.makeDirectory("goes"), "/"] {
                _ = try player.simulator.get("/api/location?location[directory]=\(folder)")
            }
            try player.simulator.post("/api/session", #"{"location":{"directory":"/no/such/dir"}}"#)
        },
    ]
}
