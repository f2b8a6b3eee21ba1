// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
import Locking

/// The locks of sessions, which all loops share. Only the request that holds a session's lock may set the session's
/// agent and model and then send a prompt.
final class SessionLocks: Sendable {
    /// A run that waits for a lock.
    private struct Waiter: Sendable {
        let loop: Mailbox<LoopMessage>
        let run: Int
    }

    /// The waiting runs of each locked session.
    private let waiting = Locked<[String: [Waiter]]>([:])

    /// Acquires a session's lock. Returns false if another run holds the lock. The loop then calls
    /// ``BridgeRun/locked(_:)`` as soon as the run has acquired the lock.
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
        // If the run no longer exists, its loop releases the lock again.
        if let next { next.loop.post(.feature(BridgeMessage.locked(run: next.run, session: session))) }
    }
}
