// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The properties of a turn in which the versions differ.
    struct Turns: Sendable {
        /// One of the three events that report a turn's changes.
        enum Summary: Sendable {
            case user, session, changes
        }

        /// The order of an abort's events and its response.
        enum Abort: Sendable {
            /// The idle event, the response, the error, and then the message.
            case idleFirst
            /// An idle event, the response, the error, another idle event, the message, and then a third idle event.
            case idleBetween
            /// The error, an idle event, the text so far, the message, another idle event, and then the response.
            case errorFirst
        }

        /// Whether `session.updated` immediately follows `session.created`.
        let createdIsUpdated: Bool
        /// Whether a prompt with another model first updates the session.
        let newModelUpdatesSession: Bool
        /// Whether a delta of text is a `message.part.updated` with the whole text so far and the `delta`. If not, the
        /// server first publishes an empty part, and then publishes each delta as `message.part.delta`.
        let streamsWholeText: Bool
        /// Whether the reasoning ends only at the end of the text.
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
        /// Whether `session.diff` contains the changes. The value is false for 1.18.33.
        let sessionDiffContainsChanges: Bool

        let abort: Abort
        let abortMessage: String
        /// Whether aborting an idle session publishes its idle status again.
        let abortsIdleSessions: Bool
        /// Whether the session becomes idle before its message contains a provider's error.
        let errorPrecedesMessage: Bool
        /// Whether the file watcher also reports a written file.
        let watchesFiles: Bool
        /// Whether a subagent's tool call has its title as soon as the call runs.
        let titlesTaskAtOnce: Bool
        /// The permission request for `sleep 1`: the pattern's text and the patterns that `always` would allow.
        let permissionPatterns: (sleep: String, always: [String])
        /// The output of the tool that writes a file, and the tool output that contains a subagent's text.
        let writeOutput: String
        let taskOutput: @Sendable (_ session: String, _ text: String) -> String
    }
}
