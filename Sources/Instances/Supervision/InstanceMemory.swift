package import OpenCode

/// What a gateway has learnt of a run that the next gateway could not find out by itself.
package struct InstanceMemory: Sendable, Equatable {
    /// Which of OpenCode's APIs it speaks.
    package var family: APIFamily?
    /// How often it was started again after it had ended by itself, since somebody last asked for it.
    package var restarts: Int
    /// What went wrong last since then; one sentence.
    package var lastError: String?

    /// What was learnt; nothing, at first.
    package init(family: APIFamily? = nil, restarts: Int = 0, lastError: String? = nil) {
        self.family = family
        self.restarts = restarts
        self.lastError = lastError
    }
}
