// SPDX-License-Identifier: Apache-2.0

@testable import opencode_simulator

extension FlowTable {
    /// The operations on sessions other than prompts.
    static let changes: [Entry] = [
        (
            "talk", 0,
            [
                ("prompt-calls", nil), ("wait-idle", nil), ("session-rename", nil), ("session-fork", nil),
                ("session-context", nil), ("session-diff", nil), ("session-inbox", nil), ("session-shell", nil),
                ("session-command", nil), ("session-compact", idle), ("session-generate", idle),
                ("session-export", nil), ("session-view", nil),
            ]
        ),
        (
            "talk", 0,
            [
                ("session-agent", nil), ("session-agent-unknown", nil), ("session-model", nil),
                ("session-get-switched", nil), ("session-agent-build", nil), ("prompt-switched", nil),
                ("messages-switched", idle),
            ]
        ),
        (
            "edit", 0,
            [
                ("prompt-before-revert", nil), ("prompt-before-revert-1", idle), ("prompt-before-revert-2", idle),
                ("messages-asc", idle), ("messages-next-page", { $0.takeCursor(of: "messages-asc") }),
                ("revert-stage", { $0.takeMessage(of: "prompt-before-revert-1") }),
                ("session-reverted", nil), ("messages-reverted", nil), ("revert-clear", nil),
                ("revert-stage-first", { $0.takeMessage(of: "prompt-before-revert") }),
                ("revert-commit", nil), ("messages-after-commit", nil), ("message-one", nil),
                ("message-missing", nil), ("messages-bad-cursor", nil),
            ]
        ),
        (
            nil, 100,
            [
                ("prompt-to-steer", { try $0.allowShell("ask") }), ("prompt-steer", writing), ("inbox-steer", nil),
                ("messages-steered", idle),
            ]
        ),
        (
            "medium", 20, [("prompt-queue-1", nil), ("prompt-queue-2", nil), ("messages-queued", idle)]
        ),
        (
            "talk", 0,
            [
                ("prompt-before-compaction", nil), ("session-model-compact", idle), ("compact", nil),
                ("messages-compacted", idle),
            ]
        ),
        ("talk", 0, [("session-move", nil)]),
    ]

    /// The flows that request lists of sessions.
    static let lists: [Entry] = [
        (
            "subagent", 0,
            [
                (
                    "prompt-subagent-again",
                    { player in
                        let session = player.names["session"]
                        for _ in 0..<3 { try player.makeUsedSession("compact") }
                        player.names["session"] = session
                    }
                ), ("session-children", idle),
                ("session-roots", nil), ("session-page-1", nil),
                ("session-page-2", { $0.takeCursor(of: "session-page-1") }), ("session-search", nil),
                ("session-bad-cursor", nil), ("messages-of-subagent-turn", nil),
            ]
        )
    ]
}
