// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances

/// A sequence of events that leads from stopped to a state. The current run is `a`.
enum Origin: CaseIterable {
    case stopped, failed
    case starting, booting, probing, ready, checking, slow, busy, unhealthy
    /// The server was found running and was not requested.
    case foundBooting, foundReady
    /// The server was found running, but was not ready in time.
    case overdue
    /// The server crashed after it had been ready, and the gateway restarts it.
    case restarting, recovering
    /// The server crashed, and the supervisor restarts it.
    case restartingBySupervisor
    case stopping, stoppingAndStartingAgain
    /// The server is being stopped from outside the gateway.
    case stoppingElsewhere
    /// The main process has ended by itself, but its descendants still run.
    case mainProcessGone
    /// The main process has ended by itself, and a new start was requested.
    case crashedAndStartingAgain
    /// The server was not ready in time, and is being ended.
    case timedOut
    /// Not even SIGKILL has ended the server.
    case stuck

    typealias Event = InstanceStateMachine.Event

    var events: [Event] {
        switch self {
        case .stopped: []
        case .failed: Self.starting.events + [.launchFailed(reason: "no.")]
        case .starting: [.startRequested]
        case .booting: Self.starting.events + [.launched(run: "a")]
        case .probing: Self.booting.events + [.announced(run: "a", address: .loopback(4096))]
        case .ready: Self.probing.events + [.probed(1, .healthy(version: "1.18.33"))]
        case .checking: Self.ready.events + [.fired(.probe)]
        case .slow: Self.checking.events + [.fired(.late)]
        case .busy: Self.slow.events + [.measured(quiet: .seconds(3), progressed: true)]
        case .unhealthy: Self.slow.events + [.measured(quiet: .seconds(60), progressed: false)]
        case .foundBooting: [.launched(run: "a", isFound: true)]
        case .foundReady:
            Self.foundBooting.events + [
                .announced(run: "a", address: .loopback(4096)), .probed(1, .healthy(version: "1.18.33")),
            ]
        case .overdue:
            Self.foundBooting.events + [
                .announced(run: "a", address: .loopback(4096)), .probed(1, .unhealthy(reason: "It says 500.")),
                .fired(.start),
            ]
        case .restarting: Self.ready.events + [Self.exit(.failed)]
        case .recovering: Self.restarting.events + [.fired(.restart)]
        case .restartingBySupervisor: Self.ready.events + [Self.exit(.restarts(after: .seconds(5)))]
        case .stopping: Self.ready.events + [.stopRequested]
        case .stoppingAndStartingAgain: Self.stopping.events + [.startRequested]
        case .stoppingElsewhere: Self.ready.events + [.ending(run: "a")]
        case .mainProcessGone: Self.ready.events + [.mainProcessExited(run: "a")]
        case .crashedAndStartingAgain: Self.mainProcessGone.events + [.startRequested]
        case .timedOut: Self.booting.events + [.fired(.start)]
        case .stuck: Self.stopping.events + [.fired(.terminate), .fired(.kill)]
        }
    }

    static func exit(_ next: SupervisedEvent.Next) -> Event {
        .exited(run: "a", how: "exit status 1", tail: ["boom"], next: next)
    }

    /// The number of the last health check.
    var check: UInt64 {
        switch self {
        case .checking, .slow, .busy, .unhealthy: 2
        default: 1
        }
    }

    /// Returns a machine after this sequence of events.
    func machine(_ limits: InstanceLimits = .tested, logCommand: String? = nil) -> InstanceStateMachine {
        var machine = InstanceStateMachine(limits: limits, logCommand: logCommand)
        for event in events { _ = machine.handle(event) }
        return machine
    }
}

extension InstanceLimits {
    /// The default limits with a start timeout of 30 s.
    static var tested: InstanceLimits {
        var limits = InstanceLimits()
        limits.start = .seconds(30)
        return limits
    }
}

/// One example of each possible event.
enum Stimulus: CaseIterable {
    case startRequested, stopRequested
    case launched, launchFailed, stopFailed, announced, announcedElsewhere, displaced, endsElsewhere, mainProcessExited
    case exitedStopped, exitedFailed, exitedRestarts, exitedGaveUp
    case healthy, unhealthyAnswer, unauthorized, silent, quiet, progressed
    case startTimer, answerTimer, probeTimer, lateTimer, steadyTimer, restartTimer, terminateTimer, killTimer

    func event(at origin: Origin) -> InstanceStateMachine.Event {
        switch self {
        case .startRequested: .startRequested
        case .stopRequested: .stopRequested
        case .launched: .launched(run: "b")
        case .launchFailed: .launchFailed(reason: "no.")
        case .stopFailed: .stopFailed(reason: "denied.")
        case .announced: .announced(run: "a", address: .loopback(4096))
        case .announcedElsewhere: .announcedElsewhere(run: "a", host: "0.0.0.0")
        case .displaced: .displaced(by: "beta")
        case .endsElsewhere: .ending(run: "a")
        case .mainProcessExited: .mainProcessExited(run: "a")
        case .exitedStopped: Origin.exit(.stopped)
        case .exitedFailed: Origin.exit(.failed)
        case .exitedRestarts: Origin.exit(.restarts(after: .seconds(5)))
        case .exitedGaveUp: Origin.exit(.gaveUp)
        case .healthy: .probed(origin.check, .healthy(version: "1"))
        case .unhealthyAnswer: .probed(origin.check, .unhealthy(reason: "It says 500."))
        case .unauthorized: .probed(origin.check, .unauthorized(reason: "It says 401."))
        case .silent: .probed(origin.check, .silent(reason: "It says nothing."))
        case .quiet: .measured(quiet: .seconds(60), progressed: false)
        case .progressed: .measured(quiet: .seconds(3), progressed: true)
        case .startTimer: .fired(.start, tail: ["migrating"])
        case .answerTimer: .fired(.answer)
        case .probeTimer: .fired(.probe)
        case .lateTimer: .fired(.late)
        case .steadyTimer: .fired(.steady)
        case .restartTimer: .fired(.restart)
        case .terminateTimer: .fired(.terminate)
        case .killTimer: .fired(.kill)
        }
    }
}

/// The events of a supervisor that the table uses.
extension InstanceStateMachine.Event {
    static func launched(run: String, isFound: Bool = false, memory: InstanceMemory = InstanceMemory()) -> Self {
        .supervised(
            .launched(
                Run(
                    id: run, processIdentifier: nil, credentials: nil, started: 0, isFound: isFound, memory: memory)))
    }

    static func launchFailed(reason: String) -> Self { .supervised(.launchFailed(reason: reason)) }
    static func stopFailed(reason: String) -> Self { .supervised(.stopFailed(reason: reason)) }

    static func announced(run: String, address: InstanceAddress) -> Self {
        .supervised(.announced(run: run, address: address))
    }

    static func announcedElsewhere(run: String, host: String) -> Self {
        .supervised(.announcedElsewhere(run: run, host: host))
    }

    static func ending(run: String) -> Self { .supervised(.ending(run: run)) }
    static func mainProcessExited(run: String) -> Self { .supervised(.mainProcessExited(run: run)) }

    static func exited(run: String, how: String, tail: [String], next: SupervisedEvent.Next) -> Self {
        .supervised(.exited(run: run, how: how, tail: tail, next: next))
    }
}
