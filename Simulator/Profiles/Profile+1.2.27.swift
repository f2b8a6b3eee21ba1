// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The profile of OpenCode 1.2.27.
    static var middle: Profile {
        Profile(
            version: "1.2.27",
            start: Start(
                warnsWithoutPassword: true,
                firstRun: [
                    "Performing one time database migration, may take a few minutes...", "sqlite-migration:done",
                    "Database migration complete.",
                ],
                portTaken: [
                    "\u{1b}[91m\u{1b}[1mError: \u{1b}[0mUnexpected error, check log file at {log} for more details", "",
                    "Failed to start server on port {port}",
                ],
                logLine: { "INFO  \(Clock.iso(Clock.milliseconds).prefix(19)) +1ms service=default \($0)" }),
            framework: .hono, access: .authorization, heartbeat: .seconds(10),
            events: Events(
                haveIdentifiers: false, areSynchronized: false,
                head: [
                    "X-Content-Type-Options: nosniff", "Content-Type: text/event-stream", "Cache-Control: no-cache",
                    "Connection: keep-alive", "Vary: Origin", "X-Accel-Buffering: no", "Date",
                    "Transfer-Encoding: chunked",
                ], catalogue: [], disposal: []),
            turns: Turns(
                createdIsUpdated: true, newModelUpdatesSession: false, streamsWholeText: false,
                reasoningEndsWithText: true, trimsText: true, titlesPrompt: false,
                summaryAtStart: [.session, .user, .changes], summaryBetween: [.session, .user, .changes],
                summaryAtEnd: [.session, .user, .changes], summaryPrecedesIdle: false, sessionDiffContainsChanges: true,
                abort: .idleBetween, abortMessage: "The operation was aborted.", abortsIdleSessions: true,
                errorPrecedesMessage: true, watchesFiles: true, titlesTaskAtOnce: false,
                permissionPatterns: ("sleep 1", ["printf *", "sleep *"]), writeOutput: "Wrote file successfully.",
                taskOutput: {
                    "task_id: \($0) (for resuming to continue this task if needed)\n\n<task_result>\n\($1)\n</task_result>"
                }),
            refusals: Refusals(generation: .second), layouts: layouts, sharesSessions: true, compresses: false,
            terminalsHaveCursors: true)
    }

    private static var layouts: Layouts {
        let created: Layout = "id slug version projectID directory parentID title permission time"
        let changed: Layout = "id slug projectID directory parentID title version summary permission time"
        let event = MessageLayouts(
            user: "id sessionID role time summary agent model tools",
            assistant:
                "id sessionID role time error parentID modelID providerID mode agent path cost tokens finish",
            part: """
                id sessionID messageID type callID tool state text synthetic reason snapshot cost tokens time hash files
                """,
            state: "status input raw output error title metadata time")
        let stored = MessageLayouts(
            user: "role time summary agent model tools id sessionID",
            assistant:
                "role time error parentID modelID providerID mode agent path cost tokens finish id sessionID",
            part: """
                type callID tool state text synthetic reason snapshot cost tokens time hash files id sessionID messageID
                """,
            state: event.state)
        return Layouts(
            sessionCreated: created, sessionChanged: changed, sessionAnswer: changed, sessionCreatedAnswer: created,
            userAdded: event.user, userSummarized: event.user, prompt: event, event: event, answer: stored,
            list: stored, forked: event, shellEvent: event, shellAnswer: .honoShell,
            tokens: "total input output reasoning cache",
            infoProperties: "info", partProperties: "part", project: "id worktree vcs time sandboxes",
            currentProject: "id worktree vcs sandboxes time", restriction: "permission pattern action",
            todo: "id content status priority", change: "file before after additions deletions status",
            bashMetadata: "output exit description truncated", taskMetadata: "sessionId model truncated",
            permissionMetadata: "",
            providerErrorData: "message statusCode isRetryable responseHeaders responseBody metadata",
            provider: "id name env options source models",
            model: """
                id api status name providerID capabilities cost options limit headers family release_date variants
                """, modelInterface: "id npm", branch: "branch",
            configuration: """
                $schema share autoupdate model small_model provider permission agent mode plugin command username
                """, configuredProvider: "name npm models options", command: "name description source template hints")
    }
}
