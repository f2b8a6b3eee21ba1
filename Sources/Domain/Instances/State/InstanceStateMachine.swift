// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// The life cycle of an instance as a pure value. The machine handles events and returns the actions to perform.
///
///     stopped → starting → booting → probing → ready ⇄ busy, unhealthy → stopping → stopped
///                  ↑ ↘ failed (a requested start)           ↓ ends by itself
///                  └──────────────── restarting ←───────────┘      restarting → failed (too often)
///
/// At most one server exists at any time. If a start is requested while an old server is ending, the start waits for
/// the end of that server. The machine ignores events of earlier runs and results of earlier health checks.
package struct InstanceStateMachine: Sendable {
    enum Phase: Equatable {
        case stopped
        case failed(reason: String)
        /// No server is running. The gateway, or the supervisor itself, restarts the server after `delay`.
        case restarting(reason: String, delay: Duration?, bySupervisor: Bool)
        case starting
        case booting
        case probing(Probing)
        case ready(Ready)
        case ending(Ending)
        /// The server has not ended after SIGKILL. No other server is started for the folder until this server has
        /// ended.
        case stuck(reason: String)
    }

    /// The state of an instance whose address is known, but whose health no check has confirmed yet.
    struct Probing: Equatable {
        var address: InstanceAddress
        var delay: Duration
        /// The reason why the instance is not ready.
        var trouble: String
    }

    /// The state of an instance that has been found healthy.
    struct Ready: Equatable {
        enum Level: Equatable {
            case fine, busy
            case unhealthy(reason: String)
        }
        var address: InstanceAddress
        var level = Level.fine
        /// Whether the current health check is slow.
        var isLate = false
    }

    /// The state of an instance that is ending, on request or by itself.
    struct Ending: Equatable {
        /// The reason for the end if it was not requested.
        var failure: String?
        /// Whether the instance will be restarted after the failure.
        var recovers = false
        /// Whether a new start was requested while the instance is ending.
        var startsAgain = false
        /// Whether the gateway ends the instance. If the value is false, the instance ends by itself or another program
        /// ends it.
        var isOurs = true
        /// The address at which the instance continues if it does not end.
        var address: InstanceAddress?
    }

    /// The origin of the current run.
    enum Origin: Equatable {
        /// A client requested the run.
        case requested
        /// The run already existed, or was started outside the gateway.
        case found
        /// The run follows a run that ended by itself.
        case recovery
    }

    let limits: InstanceLimits
    /// The command that shows the instance's log; nil if the output is in the gateway's own log.
    var logCommand: String?
    var phase = Phase.stopped
    var origin = Origin.requested
    /// Whether callers wait for a start.
    var hasCallers = false
    /// Whether the current run has been ready.
    var hasBeenReady = false
    /// Whether the gateway must not end the server, although it was not ready in time or listens on a wrong host.
    var isOverdue = false
    /// The number of the last health check, and whether its result is pending.
    var lastCheck: UInt64 = 0
    var isChecking = false
    var recovery = Recovery()
    /// The ID of the current or last run.
    var run: String?

    /// OpenCode's version as reported by the current run.
    package internal(set) var version: String?
    /// The number of restarts after unrequested ends, since the last requested start.
    package internal(set) var restarts = 0
    /// The last failure since the last requested start.
    package internal(set) var lastFailure: String?
    /// The reason why the run before the current start ended by itself; nil if it was stopped or if there was none.
    package internal(set) var failureBefore: String?

    /// Creates the machine of an instance that does not run.
    ///
    /// - Parameter logCommand: The command that the message names if a started server announces no port. If the value
    ///   is nil, the message contains the server's last lines of output.
    package init(limits: InstanceLimits, logCommand: String? = nil) {
        self.limits = limits
        self.logCommand = logCommand
    }

    /// The state that clients and other components see.
    package var state: InstanceState {
        switch phase {
        case .stopped: .stopped
        case .failed(let reason), .stuck(let reason): .failed(reason: reason)
        case .restarting(let reason, let delay, _): .restarting(reason: reason, delay: delay)
        case .starting: .starting
        case .booting: .booting
        case .probing(let probing): .probing(address: probing.address)
        case .ready(let ready):
            switch ready.level {
            case .fine: .ready(address: ready.address)
            case .busy: .busy(address: ready.address)
            case .unhealthy(let reason): .unhealthy(address: ready.address, reason: reason)
            }
        case .ending(let ending):
            if ending.startsAgain {
                .starting
            } else if let reason = ending.failure {
                ending.recovers ? .restarting(reason: reason, delay: nil) : .failed(reason: reason)
            } else {
                .stopping
            }
        }
    }

    /// The current problem, or the last failure since the last requested start.
    package var lastError: String? {
        switch phase {
        case .probing(let probing): probing.trouble
        case .ready(let ready):
            if case .unhealthy(let reason) = ready.level { reason } else { lastFailure }
        case .stuck(let reason): reason
        default: lastFailure
        }
    }

    /// Whether any process of the instance exists or is expected soon.
    package var isActive: Bool {
        switch phase {
        case .stopped, .failed: false
        default: true
        }
    }

    /// The address that the current run has announced, whether the run is healthy or not.
    package var claimedAddress: InstanceAddress? {
        switch phase {
        case .probing(let probing): probing.address
        case .ready(let ready): ready.address
        default: nil
        }
    }

    /// The ID of the current run; nil if no server is running.
    package var currentRun: String? {
        switch phase {
        case .booting, .probing, .ready, .ending, .stuck: run
        case .stopped, .failed, .restarting, .starting: nil
        }
    }

    /// Returns whether the result of the health check with this number is still relevant.
    package func isWaiting(for number: UInt64) -> Bool { isChecking && number == lastCheck }

    /// Handles one event and returns the actions to perform.
    package mutating func handle(_ event: Event) -> [Action] {
        let before = state
        var actions = act(on: event)
        // Publish the new state first, so that a caller that acts on a result finds the new state.
        if state != before { actions.insert(.publish, at: 0) }
        return actions
    }

    private mutating func act(on event: Event) -> [Action] {
        switch event {
        case .startRequested: requestStart()
        case .stopRequested: requestStop()
        case .supervised(let event): act(on: event)
        case .displaced(let name): displaced(by: name)
        case .probed(let number, let outcome): probed(number, outcome)
        case .measured(let quiet, let progressed): measured(quiet, progressed)
        case .fired(let timer, let tail): fired(timer, tail)
        }
    }

    private mutating func act(on event: SupervisedEvent) -> [Action] {
        switch event {
        case .launched(let run): launched(run)
        case .launchFailed(let reason): launchFailed(reason)
        case .stopFailed(let reason): endingFailed(reason)
        case .announced(let run, let address, _, _): announced(run, address)
        case .announcedElsewhere(let run, let host): announcedElsewhere(run, host)
        case .ending(let run): endsElsewhere(run)
        case .mainProcessExited(let run): mainProcessExited(run)
        case .exited(let run, let how, let tail, let next): exited(run, how: how, tail: tail, next: next)
        }
    }

    private mutating func fired(_ timer: Timer, _ tail: [String]) -> [Action] {
        switch timer {
        case .start: startTimedOut(tail)
        case .answer: answer(.pending(state))
        case .probe: checkHealth()
        case .late: healthIsLate()
        case .steady: becameSteady()
        case .restart: restart()
        case .terminate: terminationTimedOut()
        case .kill: killTimedOut()
        }
    }
}
