// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The profile of OpenCode 1.18.33, the default.
    static var newest: Profile {
        Profile(
            version: "1.18.33",
            start: Start(
                warnsWithoutPassword: true, firstRun: [],
                portTaken: ["\u{1b}[91m\u{1b}[1mError: \u{1b}[0mUnexpected error", "", "ServeError"],
                logLine: { "timestamp=\(Clock.iso(Clock.milliseconds)) level=INFO run=00000000 message=\($0)" }),
            framework: .effect, access: .authorizationOrQuery, heartbeat: .seconds(10),
            events: Events(
                haveIdentifiers: true, areSynchronized: true,
                head: [
                    "Cache-Control: no-cache, no-transform", "X-Content-Type-Options: nosniff",
                    "Content-Type: text/event-stream", "Vary: Origin", "x-accel-buffering: no", "Date",
                    "Transfer-Encoding: chunked",
                ],
                catalogue: [
                    "plugin.added", "catalog.updated", "plugin.added", "reference.updated", "integration.updated",
                    "catalog.updated",
                ], disposal: ["catalog.updated", "integration.updated", "reference.updated"]),
            turns: Turns(
                createdIsUpdated: false, newModelUpdatesSession: true, streamsWholeText: false,
                reasoningEndsWithText: false, trimsText: false, titlesPrompt: false,
                summaryAtStart: [.session, .changes, .user], summaryBetween: [.session, .changes, .user],
                summaryAtEnd: [.session, .changes, .user], summaryPrecedesIdle: false,
                sessionDiffContainsChanges: false,
                abort: .errorFirst, abortMessage: "Aborted", abortsIdleSessions: true, errorPrecedesMessage: true,
                watchesFiles: true, titlesTaskAtOnce: true,
                permissionPatterns: ("sleep 1", ["printf *", "sleep *"]), writeOutput: "Wrote file successfully.",
                taskOutput: {
                    "<task id=\"\($0)\" state=\"completed\">\n<task_result>\n\($1)\n</task_result>\n</task>"
                }),
            refusals: Refusals(generation: .third), layouts: layouts, sharesSessions: true, compresses: true,
            terminalsHaveCursors: true, hangsFirstUpgrade: true)
    }

    private static var layouts: Layouts {
        let event = MessageLayouts(
            user: "role time agent model summary id sessionID",
            assistant: """
                id parentID role mode agent path cost tokens modelID providerID time sessionID finish error
                """,
            part: "id messageID sessionID type tool callID state text time hash files",
            stepStart: "id messageID sessionID snapshot type",
            stepFinish: "id reason snapshot messageID sessionID type tokens cost",
            tool: "type tool callID state id sessionID messageID", openState: "title metadata status input raw time",
            state: "status input output error metadata title time", cache: "write read")
        return Layouts(
            sessionCreated: """
                id slug version projectID directory path parentID title agent permission cost tokens time
                """,
            sessionChanged: """
                id slug projectID directory path parentID title agent model version summary cost tokens permission time
                """,
            sessionAnswer: """
                id slug projectID directory path parentID summary cost tokens title agent model version permission time
                """,
            sessionCreatedAnswer: """
                id slug projectID directory path parentID cost tokens title agent model version permission time
                """,
            userAdded: "id role sessionID time agent model",
            userSummarized: "role time agent model id sessionID summary",
            prompt: prompt, event: event, answer: answer(event), list: list, forked: answer(event),
            shellEvent: shell, shellAnswer: list, tokens: "total input output reasoning cache",
            infoProperties: "sessionID info", partProperties: "sessionID part time",
            project: "id worktree vcs time sandboxes",
            currentProject: "id worktree vcs time sandboxes", restriction: "permission pattern action",
            todo: "content status priority",
            change: "file patch additions deletions status", bashMetadata: "output exit truncated",
            taskMetadata: "parentSessionId sessionId model truncated", permissionMetadata: "command",
            providerErrorData: "message statusCode isRetryable responseHeaders responseBody metadata",
            provider: "id name source env options models",
            model: """
                id providerID api name family capabilities cost limit status options headers release_date variants
                """, modelInterface: "id url npm", branch: "branch default_branch",
            configuration: """
                $schema command plugin share autoupdate model small_model username mode agent provider permission
                """, configuredProvider: "name npm options models", command: "name description source template hints")
    }

    private static var prompt: MessageLayouts {
        MessageLayouts(user: "", assistant: "", part: "type text messageID sessionID id", state: "")
    }

    private static func answer(_ event: MessageLayouts) -> MessageLayouts {
        MessageLayouts(
            user: event.user,
            assistant: """
                parentID role mode agent path cost tokens modelID providerID time finish error id sessionID
                """,
            part: """
                reason snapshot type tool callID state text synthetic tokens cost time hash files id sessionID messageID
                """,
            openState: event.openState, state: event.state, cache: "write read")
    }

    private static var list: MessageLayouts {
        MessageLayouts(
            user: "id sessionID role time summary agent model",
            assistant: """
                id sessionID role time error parentID modelID providerID mode agent path cost tokens finish
                """,
            part: """
                id sessionID messageID type callID tool text synthetic state reason snapshot cost tokens time hash files
                """,
            state: "status input raw output error title metadata time")
    }

    private static var shell: MessageLayouts {
        MessageLayouts(
            user: "id sessionID time role agent model",
            assistant: "id sessionID parentID mode agent cost path time role tokens modelID providerID",
            part: "type id messageID sessionID text synthetic tool callID state",
            state: "status time input title metadata output")
    }
}
