internal import Addresses
internal import Instances
internal import OpenCode
internal import Systemd

/// One invocation of a unit.
struct UnitRun: Sendable, Equatable {
    /// systemd's invocation id.
    let id: String
    /// Its main process; 0 when it was gone before anybody looked.
    let process: Int32
    /// When that was started, microseconds since 1970; 0 when that is unknown.
    let started: UInt64
    /// Whether this gateway has not asked for it.
    let isFound: Bool
}

/// What goes into the machine and what comes out of it.
extension UnitStateMachine {
    /// What happened.
    enum Event: Sendable, Equatable {
        /// The gateway wants it started.
        case startRequested
        /// The manager has made this job of it.
        case startAccepted(job: String)
        /// The manager does not start it; one sentence.
        case startRefused(String)
        /// The gateway wants it ended, by SIGKILL or gently.
        case stopRequested(kills: Bool)
        /// The manager has made this job of it.
        case stopAccepted(job: String)
        /// The manager does not stop it: it is not there.
        case stopRefused
        /// The manager does not let the gateway stop or kill it; one sentence.
        case stopDenied(String)
        /// A signal told some of its properties; `isComplete` when those belong together with the ones before.
        case changed(UnitProperties, isComplete: Bool)
        /// All of its properties were read.
        case read(UnitProperties)
        /// The manager is out of reach: what it worked on for the gateway is lost.
        case connectionLost
        /// A job of the unit has ended.
        case jobEnded(job: String, result: String)
        /// This run's output has announced its port, in this family's words.
        case portNamed(run: String, address: InstanceAddress, family: APIFamily? = nil)
        /// This run's output has announced another host than 127.0.0.1.
        case otherHostNamed(run: String, host: String)
        /// This run should have announced its port long ago.
        case portOverdue(run: String)
        /// This run's listening sockets were looked at; nil when there is none.
        case socketsSearched(run: String, address: InstanceAddress?)
    }

    /// What the owner does.
    enum Action: Sendable, Equatable {
        /// StartUnit.
        case start
        /// RestartUnit.
        case restart
        /// StopUnit.
        case stop
        /// KillUnit with SIGKILL.
        case kill
        /// ResetFailedUnit.
        case resetFailed
        /// Read all of its properties.
        case read
        /// Look for this run's port: in its output, and when that is overdue among its sockets.
        case seekPort(UnitRun)
        /// Look at the sockets of this run.
        case searchSockets(UnitRun)
        /// Look at them again, later each time.
        case searchLater(UnitRun, times: Int)
        /// This run's port is of no interest any more.
        case stopSeeking(String)
        /// Tell of this. What the machine does not know all of has cases of its own below.
        case tell(SupervisedEvent)
        /// Tell that a run was launched, with what its record says.
        case tellLaunch(UnitRun)
        /// Tell of a run's port, and how it was found.
        case tellPort(run: String, address: InstanceAddress, bySockets: Bool, family: APIFamily? = nil)
        /// Tell of a run's end, with its last lines.
        case tellEnd(run: String, how: String, next: SupervisedEvent.Next)
    }
}

/// What a unit's state means for its run.
enum UnitPhase: Sendable, Equatable {
    /// Its processes run.
    case up
    /// They are being ended.
    case ending
    /// It has ended, and systemd starts it again after a pause.
    case awaitsRestart
    /// It has ended badly, and systemd leaves it at that.
    case failed
    /// It has ended, or was never started.
    case inactive
    /// It has ended, and what follows is not said yet: a state of an instant.
    case between

    init(_ properties: UnitProperties) {
        switch (properties.activeState, properties.subState) {
        case (_, "auto-restart"): self = .awaitsRestart
        // systemd 254 and later pass through these on the way to auto-restart, and through the last one on the way out of
        // it, already with the next run's invocation id.
        case (_, "failed-before-auto-restart"), (_, "dead-before-auto-restart"), (_, "auto-restart-queued"):
            self = .between
        case ("deactivating", _): self = .ending
        case ("failed", _): self = .failed
        case ("inactive", _), (nil, _): self = .inactive
        default: self = .up
        }
    }
}
