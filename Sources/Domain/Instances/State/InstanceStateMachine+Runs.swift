// SPDX-License-Identifier: Apache-2.0

internal import Addresses

/// The transitions for the start, announcement and end of servers.
extension InstanceStateMachine {
    /// Stops the timers that are needed only while a server runs.
    static let disarmAll: [Action] = [.disarm(.start), .disarm(.probe), .disarm(.late), .disarm(.steady)]

    mutating func launched(_ new: Run) -> [Action] {
        let id = new.id
        // The supervisor reports each run once, so this event is late.
        guard id != run else { return [] }
        let deadline = Action.arm(.start, limits.start)
        let actions: [Action]
        switch phase {
        case .starting: actions = []
        case .stopped, .failed, .stuck:
            forgetFailures()
            // Restore the facts that an earlier gateway stored for this run.
            restarts = new.memory.restarts
            lastFailure = new.memory.lastError
            origin = .found
            actions = [.disarm(.kill), deadline]
        case .restarting:
            restarts += 1
            origin = .recovery
            actions = [.disarm(.restart), deadline]
        case .booting, .probing, .ready:
            // The supervisor did not report the end of the previous run. Forget that run's port.
            restarts += 1
            origin = new.isFound ? .found : .recovery
            actions = Self.disarmAll + [deadline]
        case .ending(let ending):
            run = id
            // Another program started a new server while the gateway was ending the previous one. The last request to
            // the gateway takes precedence: if it was a stop, the gateway also ends the new server.
            if ending.isOurs, !ending.startsAgain { return [.terminate] }
            origin = ending.startsAgain ? .requested : .found
            failureBefore = ending.isOurs ? nil : ending.failure
            actions = [.disarm(.terminate), .disarm(.kill), .answerStops(.stopped), deadline]
        }
        run = id
        forgetRun()
        phase = .booting
        return actions
    }

    /// Resets all facts about the previous run.
    mutating func forgetRun() {
        version = nil
        hasBeenReady = false
        isOverdue = false
        isChecking = false
        recovery.stage = .fresh
    }

    mutating func launchFailed(_ reason: String) -> [Action] {
        switch phase {
        case .starting where origin == .recovery: return [.disarm(.start)] + fail(reason)
        case .starting: return [.disarm(.start)] + failStart(reason)
        case .ending: return ended()
        default: return []
        }
    }

    mutating func announced(_ id: String, _ address: InstanceAddress) -> [Action] {
        guard id == run, phase == .booting else { return [] }
        phase = .probing(
            Probing(
                address: address, delay: limits.firstProbeDelay,
                trouble: "The instance has not responded to a health check yet."))
        return [check(address)]
    }

    /// Rejects a server that listens on a host other than 127.0.0.1. Other machines may be able to reach the server, or
    /// the gateway may be unable to reach it. The gateway sends no request to the server.
    mutating func announcedElsewhere(_ id: String, _ host: String) -> [Action] {
        guard id == run, phase == .booting else { return [] }
        let reason = InstanceMessage.listensElsewhere(host)
        lastFailure = reason
        let answer = answer(.failed(InstanceMessage.startFailed(reason)))
        guard origin != .found else {
            isOverdue = true
            return answer
        }
        return answer + terminate(Ending(failure: reason))
    }

    mutating func displaced(by name: String) -> [Action] {
        switch phase {
        case .probing(var probing):
            probing.trouble = InstanceMessage.portInUse(probing.address.port, by: name)
            phase = .probing(probing)
            return []
        case .ready(let ready):
            return returnToProbing(ready.address, InstanceMessage.portInUse(ready.address.port, by: name))
        default: return []
        }
    }

    mutating func endsElsewhere(_ id: String) -> [Action] {
        guard id == run else { return [] }
        switch phase {
        case .booting, .probing, .ready:
            phase = .ending(Ending(isOurs: false, address: claimedAddress))
            return Self.disarmAll
        default: return []
        }
    }

    /// Forgets the port of a ready server whose main process has ended. Another process may use the port before all
    /// descendants of the server have ended.
    mutating func mainProcessExited(_ id: String) -> [Action] {
        guard id == run, case .ready = phase else { return [] }
        let reason = "OpenCode exited."
        lastFailure = reason
        phase = .ending(Ending(failure: reason, recovers: true, isOurs: false))
        return Self.disarmAll
    }

    mutating func exited(
        _ id: String, how: String, tail: [String], next: SupervisedEvent.Next
    ) -> [Action] {
        let what: String
        switch phase {
        case .starting:
            // The server ended so quickly that its start was not reported.
            guard id != run else { return [] }
            run = id
            what = " before it announced its port."
        case .restarting(_, _, bySupervisor: true):
            // The supervisor has cancelled the restart, and reports the end of the same run again.
            guard id == run else { return [] }
            what = "."
        case .booting, .probing, .ready, .ending, .stuck:
            guard id == run else { return [] }
            what =
                switch phase {
                case .booting: " before it announced its port."
                case .probing where !hasBeenReady: " before it was ready."
                default: "."
                }
        case .stopped, .failed, .restarting(_, _, bySupervisor: false): return []
        }
        isChecking = false
        if case .stuck = phase { return [.disarm(.kill)] + stopped() }
        let reason = InstanceMessage.reason("OpenCode ended with \(how)\(what)", tail: tail)
        if case .ending(var ending) = phase, ending.isOurs || ending.startsAgain || next == .stopped {
            // If the gateway did not initiate the end, the machine learns only now whether the server was stopped or
            // has failed. Store the failure.
            if !ending.isOurs { ending.failure = next == .stopped ? nil : reason }
            phase = .ending(ending)
            return ended()
        }
        return Self.disarmAll + follow(next, reason)
    }

    /// Handles an end that the gateway did not initiate.
    private mutating func follow(_ next: SupervisedEvent.Next, _ reason: String) -> [Action] {
        switch next {
        case .stopped: return stopped() + answer(Self.wasStopped)
        case .failed:
            // If a requested start fails, its caller receives the failure and can try again. The gateway does not
            // restart the server.
            return origin == .requested && !hasBeenReady ? failStart(reason) : fail(reason)
        case .restarts(let delay):
            lastFailure = reason
            phase = .restarting(reason: reason, delay: delay, bySupervisor: true)
            return answer(.failed(InstanceMessage.startFailed(reason)))
        case .gaveUp: return failStart(reason)
        }
    }

    /// Handles a failure. Schedules a restart if there were not too many failures.
    mutating func fail(_ reason: String) -> [Action] {
        guard let delay = recovery.fail(limits) else {
            let count = recovery.quickFailures
            return failStart(
                "The gateway does not restart the instance after \(count) quick \(count == 1 ? "failure" : "failures") in a row. "
                    + reason)
        }
        lastFailure = reason
        phase = .restarting(reason: reason, delay: delay, bySupervisor: false)
        return [.arm(.restart, delay)] + answer(.failed(InstanceMessage.startFailed(reason)))
    }

    mutating func failStart(_ reason: String) -> [Action] {
        lastFailure = reason
        phase = .failed(reason: reason)
        return answer(.failed(InstanceMessage.startFailed(reason)))
    }

    mutating func stopped() -> [Action] {
        lastFailure = nil
        phase = .stopped
        return []
    }

    mutating func restart() -> [Action] {
        guard case .restarting(_, _, bySupervisor: false) = phase else { return [] }
        forgetRun()
        origin = .recovery
        restarts += 1
        phase = .starting
        return [.arm(.start, limits.start), .launch]
    }
}
