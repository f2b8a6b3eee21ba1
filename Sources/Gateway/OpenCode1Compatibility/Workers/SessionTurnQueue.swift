// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
import Locking

/// The queue for the exclusive right to set a session's agent and model and to send it a prompt. One request at a time
/// has this right, across all loops.
final class SessionTurnQueue: Sendable {
    /// A run that waits for the right.
    private struct Waiter: Sendable {
        let loop: Mailbox<LoopMessage>
        let run: Int
    }

    /// The waiting runs of each session whose right is taken.
    private let waiting = Locked<[String: [Waiter]]>([:])

    /// Acquires the session. If this returns false, the run receives ``BridgeMessage/turn(_:session:)`` once it has
    /// acquired it.
    func take(_ session: String, run: Int, of loop: Mailbox<LoopMessage>) -> Bool {
        waiting.withLock { waiting in
            guard waiting[session] != nil else {
                waiting[session] = []
                return true
            }
            waiting[session]?.append(Waiter(loop: loop, run: run))
            return false
        }
    }

    /// Transfers the session to the run that has waited longest.
    func give(_ session: String) {
        let next = waiting.withLock { waiting -> Waiter? in
            guard var queue = waiting[session], !queue.isEmpty else {
                waiting[session] = nil
                return nil
            }
            let next = queue.removeFirst()
            waiting[session] = queue
            return next
        }
        // The loop passes it on if the run no longer exists.
        if let next { next.loop.post(.feature(BridgeMessage.turn(next.run, session: session))) }
    }
}
