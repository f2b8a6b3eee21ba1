// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Encodings

/// The transitions at the end of a server and at deadlines.
extension InstanceStateMachine {
    /// Ends the running server, first with SIGTERM.
    mutating func terminate(_ ending: Ending) -> [Action] {
        var ending = ending
        ending.address = claimedAddress
        phase = .ending(ending)
        isChecking = false
        return Self.disarmAll + [.terminate, .arm(.terminate, limits.stop)]
    }

    /// Resumes after the supervisor failed to ask the server to end. The machine must determine the server's state
    /// again.
    mutating func endingFailed(_ reason: String) -> [Action] {
        guard case .ending(let ending) = phase, ending.isOurs else { return [] }
        let answers: [Action] = [
            .disarm(.terminate), .disarm(.kill), .answerStops(.failed(InstanceMessage.stopFailed(reason))),
            .arm(.start, limits.start),
        ]
        guard let address = ending.address else {
            phase = .booting
            return answers
        }
        phase = .probing(
            Probing(
                address: address, delay: limits.firstProbeDelay, trouble: "The instance could not be stopped: \(reason)"
            ))
        return answers + [check(address)]
    }

    /// Handles the end of the last process of the instance.
    mutating func ended() -> [Action] {
        guard case .ending(let ending) = phase else { return [] }
        let over: [Action] = [.disarm(.terminate), .disarm(.kill), .answerStops(.stopped)]
        if ending.startsAgain {
            let actions = over + beginAnew()
            failureBefore = ending.isOurs ? nil : ending.failure
            return actions
        }
        guard ending.isOurs, let failure = ending.failure else { return over + stopped() + answer(Self.wasStopped) }
        return over + (ending.recovers ? fail(failure) : failStart(failure))
    }

    mutating func startTimedOut(_ tail: [String]) -> [Action] {
        let reason: String
        let sentence: String
        switch phase {
        case .starting, .booting:
            reason = InstanceMessage.reason(
                "OpenCode did not announce its port within \(limits.start.text(.seconds)).", tail: tail)
            sentence = InstanceMessage.noPort(logCommand.map { "Check logs with: \($0)" } ?? reason)
        case .probing(let probing):
            reason = InstanceMessage.reason(
                "OpenCode announced port \(probing.address.port) but was not healthy within "
                    + "\(limits.start.text(.seconds)): \(probing.trouble)", tail: tail)
            sentence = InstanceMessage.startFailed(reason)
        default: return []
        }
        let answer = answer(.failed(sentence))
        lastFailure = reason
        // The gateway does not end a server that it did not start. The gateway ends a server that has been ready only
        // if unhealthy servers are to be restarted.
        if hasBeenReady ? !limits.restartsUnhealthy : origin == .found {
            isOverdue = true
            return answer
        }
        return answer + terminate(Ending(failure: reason, recovers: origin == .recovery || hasBeenReady))
    }

    mutating func terminationTimedOut() -> [Action] {
        guard case .ending = phase else { return [] }
        return [.kill, .arm(.kill, limits.kill)]
    }

    mutating func killTimedOut() -> [Action] {
        guard case .ending = phase else { return [] }
        let reason =
            "the process did not end within \(limits.kill.text(.seconds)) after SIGKILL, so it hangs in the kernel."
        phase = .stuck(reason: reason)
        return [.answerStops(.failed(InstanceMessage.stopFailed(reason)))]
            + answer(.failed(InstanceMessage.startFailed(reason)))
    }
}
