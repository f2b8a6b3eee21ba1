extension Profile {
    /// What differs in the course of a turn.
    struct Turns: Sendable {
        /// One of the three events that tell what a turn has changed.
        enum Summary: Sendable {
            case user, session, changes
        }

        /// How an abort is told, and when it is answered.
        enum Abort: Sendable {
            /// Idle and the answer, then the error, then the message.
            case idleFirst
            /// Idle before and after each of them; the answer after the first idle.
            case idleBetween
            /// The error, idle, the text so far, the message, idle, then the answer.
            case errorFirst
        }

        /// Whether `session.updated` follows `session.created` at once.
        let createdIsUpdated: Bool
        /// Whether a prompt with another model updates the session before anything else.
        let newModelUpdatesSession: Bool
        /// Whether a piece of text comes as `message.part.updated` with the whole text so far and the `delta`; otherwise an
        /// empty part comes first and each piece as `message.part.delta`.
        let streamsWholeText: Bool
        /// Whether reasoning ends only when the text does.
        let reasoningEndsWithText: Bool
        /// Whether white space at the end of a text is taken away.
        let trimsText: Bool
        /// Whether the prompt's summary has a title.
        let titlesPrompt: Bool

        /// The summary events of the turn's beginning, of a further step, of the end.
        let summaryAtStart: [Summary]
        let summaryBetween: [Summary]
        let summaryAtEnd: [Summary]
        /// Whether the last ones come before the session is idle.
        let summaryPrecedesIdle: Bool
        /// Whether `session.diff` tells the changes; in 1.18.33 it is empty.
        let sessionDiffTellsChanges: Bool

        let abort: Abort
        let abortMessage: String
        /// Whether aborting an idle session says again that it is idle.
        let abortsIdleSessions: Bool
        /// Whether a provider's error makes the session idle before its message has it.
        let errorPrecedesMessage: Bool
        /// Whether a written file is told by the watcher too.
        let watchesFiles: Bool
        /// Whether a subagent's call has its title as soon as it runs.
        let titlesTaskAtOnce: Bool
        /// The question before `sleep 1` runs: the pattern's text and what `always` would allow.
        let permissionPatterns: (sleep: String, always: [String])
        /// What writing a file answers, and what a subagent's answer looks like around its text.
        let writeOutput: String
        let taskOutput: @Sendable (_ session: String, _ text: String) -> String
    }
}
