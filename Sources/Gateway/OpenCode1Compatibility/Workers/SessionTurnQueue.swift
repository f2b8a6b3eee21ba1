// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
import Locking

/// A queue for the locks on sessions. The holder of a lock may set the session's agent and model and send it a prompt.
/// Only one request at a time, on any loop, holds the lock of a session.
final class SessionTurnQueue: Sendable {
    /// A run that waits for the lock of a session.
    private struct Waiter: Sendable {
        let loop: Mailbox<LoopMessage>
        let run: Int
    }

    /// The waiting runs of each session whose lock is held.
    private let waiting = Locked<[String: [Waiter]]>([:])

    /// Acquires the lock of a session. If this returns false, the run receives ``BridgeMessage/turn(_:session:)`` after
    /// it has acquired the lock.
    func acquire(_ session: String, run: Int, of loop: Mailbox<LoopMessage>) -> Bool {
        waiting.withLock { waiting in
            guard waiting[session] != nil else {
                waiting[session] = []
                return true
            }
            waiting[session]?.append(Waiter(loop: loop, run: run))
            return false
        }
    }

    /// Transfers the lock to the run that has waited longest.
    func release(_ session: String) {
        let next = waiting.withLock { waiting -> Waiter? in
            guard var queue = waiting[session], !queue.isEmpty else {
                waiting[session] = nil
                return nil
            }
            let next = queue.removeFirst()
            waiting[session] = queue
            return next
        }
        // If the run no longer exists, its loop passes the lock on.
        if let next { next.loop.post(.feature(BridgeMessage.turn(next.run, session: session))) }
    }
}
