import TestKit

/// What the thread of a turn and whoever aborts it tell each other.
final class TurnControl: Sendable {
    /// A turn was aborted.
    struct Aborted: Error {}

    /// Opened by whoever wants the turn to stop. A subagent's turn has its parent's.
    let abort: Latch
    /// Opened by the turn when it has published that it was aborted.
    let wasAborted = Latch("the turn to see its abort")
    /// Opened by the turn when it can be aborted no more: it was, or it has finished.
    let isSettled = Latch("the turn to settle")

    init(abort: Latch = Latch("an abort")) {
        self.abort = abort
    }

    /// Lets time pass; throws when the turn is aborted before or meanwhile.
    func pause(_ time: Duration) throws(Aborted) {
        if time > .zero ? abort.isOpened(within: time) : abort.isOpen { throw Aborted() }
    }
}
