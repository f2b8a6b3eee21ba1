/// Somebody wants the instance ready, or gone.
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
            return answer(Self.wasStopped) + end(Ending())
        case .ending(let ending):
            // Should it be refused, it goes on where it was.
            phase = .ending(Ending(address: ending.address))
            // Somebody else ends it already, without the gateway's deadline.
            let deadline: [Action] = ending.isOurs ? [] : [.terminate, .arm(.terminate, limits.stop)]
            return answer(Self.wasStopped) + deadline
        case .stuck:
            phase = .ending(Ending())
            return [.kill, .arm(.kill, limits.kill)]
        }
    }

    /// A start that somebody asked for: what went wrong before is forgotten.
    mutating func beginAnew() -> [Action] {
        forgetFailures()
        failureBefore = nil
        forgetRun()
        origin = .asked
        phase = .starting
        return [.arm(.start, limits.start), .launch]
    }

    /// An earlier gateway has seen it fail, and nothing has become of it since.
    mutating func recallFailure(_ reason: String) {
        lastFailure = reason
        phase = .failed(reason: reason)
    }

    mutating func forgetFailures() {
        recovery = Recovery()
        restarts = 0
        lastFailure = nil
    }

    /// Gives the waiting callers their answer, if there are any.
    mutating func answer(_ answer: StartAnswer) -> [Action] {
        guard hasCallers else { return [] }
        hasCallers = false
        return [.disarm(.answer), .answerStarts(answer)]
    }

    /// From the first caller on the time runs for all of them.
    private mutating func wait() -> [Action] {
        guard !hasCallers else { return [] }
        hasCallers = true
        return [.arm(.answer, limits.startAnswer)]
    }

    static let wasStopped = StartAnswer.failed(
        InstanceMessage.startFailed("it was stopped while it was starting."))
}
