// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The signals between the thread of a turn and a caller that aborts it.
final class TurnControl: Sendable {
    /// An error that reports the turn's abort.
    struct Aborted: Error {}

    /// A latch that a caller opens to stop the turn. A subagent's turn shares its parent's latch.
    let abort: Latch
    /// A latch that the turn opens when it has published its abort.
    let wasAborted = Latch("the turn to see its abort")
    /// A latch that the turn opens when it can no longer be aborted, because it was aborted or has finished.
    let isSettled = Latch("the turn to settle")

    init(abort: Latch = Latch("an abort")) {
        self.abort = abort
    }

    /// Waits for a time.
    ///
    /// - Throws: ``Aborted`` if the turn is aborted before or during the wait.
    func pause(_ time: Duration) throws(Aborted) {
        if time > .zero ? abort.isOpened(within: time) : abort.isOpen { throw Aborted() }
    }
}
