import TestKit

/// What the thread of a turn and whoever aborts it tell each other.
final class TurnControl: Sendable {
    /// Opened by whoever wants the turn to stop.
    let abort = Latch("an abort")
    /// Opened by the turn when it has published that it was aborted.
    let wasAborted = Latch("the turn to see its abort")
    /// Opened by the turn when it can be aborted no more: it was, or it has finished.
    let isSettled = Latch("the turn to settle")
}
