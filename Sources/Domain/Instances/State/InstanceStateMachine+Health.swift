// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Encodings

/// Health checks before and after the instance becomes ready.
extension InstanceStateMachine {
    /// The time limit for a health check of a server that is still starting.
    private static let startingTimeout = Duration.seconds(5)

    /// Returns the action that checks this address. From now on, the machine ignores the results of all earlier checks.
    mutating func check(_ address: InstanceAddress) -> Action {
        lastCheck += 1
        isChecking = true
        // Only one check runs at a time. A check without a response must therefore last until the instance counts as
        // unhealthy.
        let timeout = if case .ready = phase { limits.unhealthy } else { Self.startingTimeout }
        return .probe(number: lastCheck, address: address, timeout: timeout)
    }

    mutating func checkHealth() -> [Action] {
        guard !isChecking else { return [] }
        switch phase {
        case .probing(let probing): return [check(probing.address)]
        case .ready(var ready):
            ready.isLate = false
            phase = .ready(ready)
            return [check(ready.address), .arm(.late, limits.slowHealth)]
        default: return []
        }
    }

    mutating func probed(_ number: UInt64, _ finding: HealthFinding) -> [Action] {
        guard isWaiting(for: number) else { return [] }
        isChecking = false
        switch phase {
        case .probing(let probing): return probedWhileStarting(probing, finding)
        case .ready(let ready): return probedWhileReady(ready, finding)
        default: return []
        }
    }

    private mutating func probedWhileStarting(_ before: Probing, _ finding: HealthFinding) -> [Action] {
        var probing = before
        switch finding {
        case .healthy(let version, _, _, _):
            self.version = version
            hasBeenReady = true
            isOverdue = false
            phase = .ready(Ready(address: probing.address))
            let address = probing.address
            return [.disarm(.start), .arm(.probe, limits.healthInterval)] + waitUntilSteady()
                + answer(origin == .found ? .alreadyRunning(address: address) : .started(address: address))
        case .unhealthy(let reason), .unauthorized(let reason), .silent(let reason):
            let delay = isOverdue ? limits.healthInterval : probing.delay
            probing.trouble = reason
            probing.delay = min(probing.delay * 2, limits.longestProbeDelay)
            phase = .probing(probing)
            return [.arm(.probe, delay)]
        }
    }

    private mutating func probedWhileReady(_ before: Ready, _ finding: HealthFinding) -> [Action] {
        var ready = before
        let next: [Action] = [.disarm(.late), .arm(.probe, limits.healthInterval)]
        switch finding {
        case .healthy(let version, _, _, _):
            self.version = version
            ready.level = ready.isLate ? .busy : .fine
            phase = .ready(ready)
            return next
        case .unhealthy(let reason):
            ready.level = .unhealthy(reason: reason)
            ready.isLate = false
            phase = .ready(ready)
            return next + [.measure]
        case .silent:
            ready.isLate = true
            phase = .ready(ready)
            return next + [.measure]
        case .unauthorized(let reason):
            // The instance accepted this password earlier, so a different server is responding at the address.
            return returnToProbing(ready.address, reason)
        }
    }

    /// Returns a ready instance to probing, because a different server may listen on its port. The gateway forwards no
    /// request until the instance has passed a health check again.
    mutating func returnToProbing(_ address: InstanceAddress, _ trouble: String) -> [Action] {
        lastFailure = trouble
        isChecking = false
        phase = .probing(Probing(address: address, delay: limits.firstProbeDelay, trouble: trouble))
        return [
            .disarm(.late), .disarm(.steady), .arm(.start, limits.start), .arm(.probe, limits.firstProbeDelay),
        ]
    }

    mutating func healthIsLate() -> [Action] {
        guard case .ready(var ready) = phase, isChecking else { return [] }
        ready.isLate = true
        phase = .ready(ready)
        return [.measure, .arm(.late, limits.slowHealth)]
    }

    mutating func measured(_ quiet: Duration, _ progressed: Bool) -> [Action] {
        guard case .ready(var ready) = phase else { return [] }
        if quiet >= limits.unhealthy {
            let reason =
                "The instance responded to no health check and sent no data for \(limits.unhealthy.text(.seconds))."
            lastFailure = reason
            if limits.restartsUnhealthy { return terminate(Ending(failure: reason, recovers: true)) }
            ready.level = .unhealthy(reason: reason)
        } else if progressed, ready.isLate {
            ready.level = .busy
        }
        phase = .ready(ready)
        return []
    }

    mutating func becameSteady() -> [Action] {
        guard case .ready = phase else { return [] }
        recovery.stage = recovery.stage == .fresh ? .proven : .steady
        return waitUntilSteady()
    }

    private func waitUntilSteady() -> [Action] {
        switch recovery.stage {
        case .fresh: [.arm(.steady, limits.quickFailure)]
        case .proven: [.arm(.steady, max(.zero, limits.longestRestartDelay - limits.quickFailure))]
        case .steady: []
        }
    }
}
