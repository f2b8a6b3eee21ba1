import EventLoop
import Locking

/// Whose turn it is to set a session's agent and model and to send it a prompt: one request's at a time, over all loops.
final class SessionTurnQueue: Sendable {
    /// Who waits.
    private struct Waiter: Sendable {
        let loop: Mailbox<LoopMessage>
        let run: Int
    }

    /// Those who wait for each session whose turn somebody has.
    private let waiting = Locked<[String: [Waiter]]>([:])

    /// Takes the turn; false: the run hears of it by ``BridgeMessage/turn(_:session:)`` once it has it.
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

    /// Gives the turn to whoever has waited for longest.
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
        // Who is no longer there gives it on.
        if let next { next.loop.post(.bridge(.turn(next.run, session: session))) }
    }
}
