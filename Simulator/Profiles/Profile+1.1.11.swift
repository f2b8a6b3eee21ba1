// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The profile of OpenCode 1.1.11.
    static var oldest: Profile {
        Profile(
            version: "1.1.11",
            start: Start(
                warnsWithoutPassword: false, firstRun: [],
                portTaken: [
                    "\u{1b}[91m\u{1b}[1mError: \u{1b}[0mUnexpected error, check log file at {log} for more details", "",
                    "error: Failed to start server on port {port}", "",
                ],
                logLine: { "INFO  \(Clock.iso(Clock.milliseconds).prefix(19)) +1ms service=default \($0)" }),
            framework: .hono, access: .ignored, heartbeat: .seconds(30),
            events: Events(
                haveIdentifiers: false, areSynchronized: false,
                head: [
                    "Content-Type: text/event-stream", "Cache-Control: no-cache", "Connection: keep-alive",
                    "Vary: Origin", "Date", "Transfer-Encoding: chunked",
                ], catalogue: [], disposal: []),
            turns: Turns(
                createdIsUpdated: true, newModelUpdatesSession: false, streamsWholeText: true,
                reasoningEndsWithText: true, trimsText: true, titlesPrompt: true,
                summaryAtStart: [.user, .session, .changes], summaryBetween: [.user, .session, .changes],
                summaryAtEnd: [.user, .user, .session, .changes], summaryPrecedesIdle: true,
                sessionDiffContainsChanges: true, abort: .idleFirst, abortMessage: "The operation was aborted.",
                abortsIdleSessions: false, errorPrecedesMessage: false, watchesFiles: false, titlesTaskAtOnce: false,
                permissionPatterns: ("sleep", ["printf*", "sleep*"]), writeOutput: "",
                taskOutput: { "\($1)\n\n<task_metadata>\nsession_id: \($0)\n</task_metadata>" }),
            refusals: Refusals(generation: .first), layouts: layouts, sharesSessions: false, compresses: false,
            terminalsHaveCursors: false, resolvesDirectories: false)
    }

    private static var layouts: Layouts {
        let session: Layout = "id version projectID directory parentID title permission time summary"
        let message = MessageLayouts(
            user: "id sessionID role time summary agent model tools",
            assistant:
                "id sessionID role time error parentID modelID providerID mode agent path cost tokens finish",
            part: """
                id sessionID messageID type callID tool state text synthetic reason snapshot cost tokens time hash files
                """,
            state: "status input raw output error title metadata time")
        return Layouts(
            sessionCreated: session, sessionChanged: session, sessionAnswer: session, sessionCreatedAnswer: session,
            userAdded: message.user, userSummarized: message.user, prompt: message, event: message,
            answer: message, list: message, forked: message, shellEvent: message, shellAnswer: .honoShell,
            tokens: "input output reasoning cache", infoProperties: "info", partProperties: "part delta",
            project: "id worktree vcs sandboxes time",
            currentProject: "id worktree vcs sandboxes time", restriction: "permission action pattern",
            todo: "id content status priority",
            change: "file before after additions deletions", bashMetadata: "output exit description truncated",
            taskMetadata: "summary sessionId truncated", permissionMetadata: "",
            providerErrorData: "message statusCode isRetryable responseHeaders responseBody",
            provider: "id name env options source models",
            model: """
                id api status name providerID capabilities cost options limit headers family release_date variants
                """, modelInterface: "id npm", branch: "branch",
            configuration: """
                $schema share autoupdate model small_model provider permission agent mode plugin command username keybinds
                """, configuredProvider: "name npm models options", command: "name description template hints")
    }
}

extension MessageLayouts {
    /// The layouts in the response to `POST /session/ID/shell` in the versions that use Hono.
    static var honoShell: MessageLayouts {
        MessageLayouts(
            user: "", assistant: "id sessionID parentID mode agent cost path time role tokens modelID providerID",
            part: "type id messageID sessionID tool callID state", state: "status time input title metadata output")
    }
}
