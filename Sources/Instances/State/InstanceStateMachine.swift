package import Addresses

/// One instance's life as a pure value: it takes what happened and returns what is to be done.
///
///     stopped → starting → booting → probing → ready ⇄ busy, unhealthy → stopping → stopped
///                  ↑ ↘ failed (a start that was asked for)  ↓ ends by itself
///                  └──────────────── restarting ←───────────┘      restarting → failed (too often)
///
/// At most one server exists at any time: a start that comes while an old one still ends waits for its end. What is
/// said of an older run than the current one is ignored, and so is the outcome of an older health check.
package struct InstanceStateMachine: Sendable {
    enum Phase: Equatable {
        case stopped
        case failed(reason: String)
        /// Nothing runs. The gateway starts it again after `delay`, or the supervisor does by itself.
        case restarting(reason: String, delay: Duration?, bySupervisor: Bool)
        case starting
        case booting
        case probing(Probing)
        case ready(Ready)
        case ending(Ending)
        /// Not even SIGKILL ended it. Nothing else is started for its folder before it is gone.
        case stuck(reason: String)
    }

    /// An address is known; nobody has answered there yet as this instance should.
    struct Probing: Equatable {
        var address: InstanceAddress
        var delay: Duration
        /// Why it is not ready.
        var trouble: String
    }

    /// It has been found healthy.
    struct Ready: Equatable {
        enum Level: Equatable {
            case fine, busy
            case unhealthy(reason: String)
        }
        var address: InstanceAddress
        var level = Level.fine
        /// Whether the present health check is slow.
        var isLate = false
    }

    /// It is on its way out.
    struct Ending: Equatable {
        /// Why it has to end, when nobody asked for that.
        var failure: String?
        /// Whether it is to be restarted after that failure.
        var recovers = false
        /// Whether somebody wants it back once it is gone.
        var startsAgain = false
        /// Whether the gateway ends it, and not somebody else.
        var isOurs = true
        /// Its address, should it go on after all.
        var address: InstanceAddress?
    }

    /// Where the current run comes from.
    enum Origin: Equatable {
        /// Somebody asked for it.
        case asked
        /// It was there already, or somebody else started it.
        case found
        /// It follows one that ended by itself.
        case recovery
    }

    let limits: InstanceLimits
    /// The command that shows the instance's log, when that is not the gateway's own.
    var logCommand: String?
    var phase = Phase.stopped
    var origin = Origin.asked
    /// Whether somebody waits for a start.
    var hasCallers = false
    /// Whether the current run has been ready.
    var hasBeenReady = false
    /// Whether a found server had its time to become ready; it is not the gateway's to end.
    var isOverdue = false
    /// The number of the last health check, and whether its outcome is waited for.
    var lastCheck: UInt64 = 0
    var isChecking = false
    var recovery = Recovery()
    /// The id of the current or last run.
    var run: String?

    /// OpenCode's version, as the current run said it.
    package internal(set) var version: String?
    /// How often it was started again after it had ended by itself, since somebody last asked for it.
    package internal(set) var restarts = 0
    /// The last failure since somebody last asked for it.
    package internal(set) var lastFailure: String?
    /// Why the run ended by itself whose end the current start has waited for; nil where it was stopped, or there was none.
    package internal(set) var failureBefore: String?

    /// The machine of an instance that does not run. `logCommand` is what a failed start without a port points at; with
    /// nil it shows the last lines itself.
    package init(limits: InstanceLimits, logCommand: String? = nil) {
        self.limits = limits
        self.logCommand = logCommand
    }

    /// The state as others see it.
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

    /// What is wrong with it now, or what went wrong last since somebody asked for it.
    package var lastError: String? {
        switch phase {
        case .probing(let probing): probing.trouble
        case .ready(let ready):
            if case .unhealthy(let reason) = ready.level { reason } else { lastFailure }
        case .stuck(let reason): reason
        default: lastFailure
        }
    }

    /// Whether something of it exists, or is about to.
    package var isActive: Bool {
        switch phase {
        case .stopped, .failed: false
        default: true
        }
    }

    /// The address that the current run says is its own, whether it has been found healthy there or not.
    package var claimedAddress: InstanceAddress? {
        switch phase {
        case .probing(let probing): probing.address
        case .ready(let ready): ready.address
        default: nil
        }
    }

    /// The id of the current run; nil when nothing runs.
    package var currentRun: String? {
        switch phase {
        case .booting, .probing, .ready, .ending, .stuck: run
        case .stopped, .failed, .restarting, .starting: nil
        }
    }

    /// Whether the outcome of the health check with this number still counts.
    package func isWaiting(for number: UInt64) -> Bool { isChecking && number == lastCheck }

    /// Takes one event; returns what to do about it.
    package mutating func handle(_ event: Event) -> [Action] {
        let before = state
        var actions = act(on: event)
        // Others see the new state before anybody acts on an answer.
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
        case .exited(let run, let how, let tail, let next): exited(run, how, tail, next)
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
