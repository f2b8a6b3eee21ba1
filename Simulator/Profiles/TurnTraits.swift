// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The differences in the course of a turn.
    struct Turns: Sendable {
        /// One of the three events that report a turn's changes.
        enum Summary: Sendable {
            case user, session, changes
        }

        /// The order of an abort's events and its response.
        enum Abort: Sendable {
            /// The idle event and the response, then the error, then the message.
            case idleFirst
            /// An idle event before and after each of them. The response follows the first idle event.
            case idleBetween
            /// The error, an idle event, the text so far, the message, another idle event, then the response.
            case errorFirst
        }

        /// Whether `session.updated` immediately follows `session.created`.
        let createdIsUpdated: Bool
        /// Whether a prompt with another model updates the session before anything else.
        let newModelUpdatesSession: Bool
        /// Whether a delta of text is a `message.part.updated` with the whole text so far and the `delta`. Otherwise,
        /// an empty part comes first, and each delta is a `message.part.delta`.
        let streamsWholeText: Bool
        /// Whether reasoning does not end until the text does.
        let reasoningEndsWithText: Bool
        /// Whether trailing white space of a text is removed.
        let trimsText: Bool
        /// Whether the prompt's summary has a title.
        let titlesPrompt: Bool

        /// The summary events at the beginning of the turn, before a further step, and at the end.
        let summaryAtStart: [Summary]
        let summaryBetween: [Summary]
        let summaryAtEnd: [Summary]
        /// Whether the summary events at the end precede the session's idle event.
        let summaryPrecedesIdle: Bool
        /// Whether `session.diff` contains the changes. In 1.18.33 it is empty.
        let sessionDiffTellsChanges: Bool

        let abort: Abort
        let abortMessage: String
        /// Whether aborting an idle session publishes its idle status again.
        let abortsIdleSessions: Bool
        /// Whether, after a provider's error, the session becomes idle before its message contains the error.
        let errorPrecedesMessage: Bool
        /// Whether the file watcher also reports a written file.
        let watchesFiles: Bool
        /// Whether a subagent's call has its title as soon as it runs.
        let titlesTaskAtOnce: Bool
        /// The permission request for `sleep 1`: the pattern's text and the patterns that `always` would allow.
        let permissionPatterns: (sleep: String, always: [String])
        /// The output of writing a file, and the output of a subagent around its text.
        let writeOutput: String
        let taskOutput: @Sendable (_ session: String, _ text: String) -> String
    }
}
