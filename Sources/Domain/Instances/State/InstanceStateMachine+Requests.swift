// SPDX-License-Identifier: Apache-2.0

/// The transitions for requests to start or stop an instance.
extension InstanceStateMachine {
    mutating func requestStart() -> [Action] {
        switch phase {
        case .stopped, .failed: return wait() + beginAnew()
        case .restarting: return wait() + [.disarm(.restart)] + beginAnew()
        case .starting, .booting, .probing:
            if isOverdue, let lastError { return [.answerStarts(.failed(InstanceMessage.startFailed(lastError)))] }
            return wait()
        case .ready(let ready): return [.answerStarts(.alreadyRunning(address: ready.address))]
        case .ending(var ending):
            ending.startsAgain = true
            phase = .ending(ending)
            return wait()
        case .stuck(let reason): return [.answerStarts(.failed(InstanceMessage.startFailed(reason)))]
        }
    }

    mutating func requestStop() -> [Action] {
        switch phase {
        case .stopped, .failed: return stopped() + [.answerStops(.stopped)]
        case .restarting(_, _, bySupervisor: false): return [.disarm(.restart)] + stopped() + [.answerStops(.stopped)]
        case .restarting(_, _, bySupervisor: true), .starting, .booting, .probing, .ready:
            return answer(Self.wasStopped) + terminate(Ending())
        case .ending(let ending):
            // If the stop fails, the instance continues at this address.
            phase = .ending(Ending(address: ending.address))
            // If the end was initiated outside the gateway, no deadline is running yet. Ask the server to end, and
            // start the deadline.
            let deadline: [Action] = ending.isOurs ? [] : [.terminate, .arm(.terminate, limits.stop)]
            return answer(Self.wasStopped) + deadline
        case .stuck:
            phase = .ending(Ending())
            return [.kill, .arm(.kill, limits.kill)]
        }
    }

    /// Starts the instance on request and forgets earlier failures.
    mutating func beginAnew() -> [Action] {
        forgetFailures()
        failureBefore = nil
        forgetRun()
        origin = .requested
        phase = .starting
        return [.arm(.start, limits.start), .launch]
    }

    /// Restores the failure that an earlier gateway recorded as the instance's last event.
    mutating func recallFailure(_ reason: String) {
        lastFailure = reason
        phase = .failed(reason: reason)
    }

    mutating func forgetFailures() {
        recovery = Recovery()
        restarts = 0
        lastFailure = nil
    }

    /// Returns the actions that return the result to the waiting callers. Returns no actions if no caller waits.
    mutating func answer(_ answer: StartAnswer) -> [Action] {
        guard hasCallers else { return [] }
        hasCallers = false
        return [.disarm(.answer), .answerStarts(answer)]
    }

    /// Starts the time limit when the first caller begins to wait. The limit applies to all callers.
    private mutating func wait() -> [Action] {
        guard !hasCallers else { return [] }
        hasCallers = true
        return [.arm(.answer, limits.startAnswer)]
    }

    static let wasStopped = StartAnswer.failed(
        InstanceMessage.startFailed("the instance was stopped during its start."))
}
