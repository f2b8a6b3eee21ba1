// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Instances
internal import OpenCodeFamilies
internal import Systemd

/// A run of a unit, which systemd calls an invocation.
struct UnitRun: Sendable, Equatable {
    /// The invocation ID from systemd.
    let id: String
    /// The main process; 0 if the process had already ended when the unit was read.
    let process: Int32
    /// The start time of the main process in microseconds since 1970; 0 if unknown.
    let started: UInt64
    /// Whether the run was started without a request from this gateway.
    let isFound: Bool
}

/// The events and actions of the state machine.
extension UnitStateMachine {
    /// An event that the machine handles.
    enum Event: Sendable, Equatable {
        /// The gateway requests a start.
        case startRequested
        /// The manager has accepted the start. The value identifies the job.
        case startAccepted(job: String)
        /// The manager rejected the start. The value is the reason.
        case startRefused(String)
        /// The gateway requests a stop, with SIGTERM or SIGKILL.
        case stopRequested(kills: Bool)
        /// The manager has accepted the stop. The value identifies the job.
        case stopAccepted(job: String)
        /// The manager cannot stop the unit because it is not loaded.
        case stopRefused
        /// The manager has rejected a call that stops or kills the unit, or the call could not be sent. The value is
        /// the reason.
        case stopDenied(String)
        /// A signal has reported some properties. If `isComplete` is true, the properties are consistent with the
        /// properties that were reported earlier.
        case changed(UnitProperties, isComplete: Bool)
        /// All properties of the unit were read.
        case read(UnitProperties)
        /// The connection to the manager is lost. The results of pending requests are unknown.
        case connectionLost
        /// A job of the unit has ended with this result.
        case jobEnded(job: String, result: String)
        /// The run has announced its port in its output. `family` is the API family whose format the announcement has.
        case portNamed(run: String, address: InstanceAddress, family: APIFamily? = nil)
        /// The run has announced a host other than 127.0.0.1 in its output.
        case otherHostNamed(run: String, host: String)
        /// The run has not announced its port in time.
        case portOverdue(run: String)
        /// The run's listening sockets were searched. The address is nil if no listening socket was found.
        case socketsSearched(run: String, address: InstanceAddress?)
    }

    /// An action that the machine's owner performs.
    enum Action: Sendable, Equatable {
        /// Call the manager's method StartUnit.
        case start
        /// Call the manager's method RestartUnit.
        case restart
        /// Call the manager's method StopUnit.
        case stop
        /// Call the manager's method KillUnit with SIGKILL.
        case kill
        /// Call the manager's method ResetFailedUnit.
        case resetFailed
        /// Read all properties of the unit.
        case read
        /// Search for the run's port in its output, and report when the port is overdue.
        case seekPort(UnitRun)
        /// Search the run's sockets.
        case searchSockets(UnitRun)
        /// Report after a delay that the port is still overdue. The delay increases with the number of searches.
        case searchLater(UnitRun, times: Int)
        /// Stop the search for the run's port.
        case stopSeeking(String)
        /// Report this event. Reports that need data from outside the machine have separate actions.
        case report(SupervisedEvent)
        /// Report that a run was launched, with the data of its record.
        case reportLaunch(UnitRun)
        /// Report a run's port, and whether it was found among the run's sockets.
        case reportPort(run: String, address: InstanceAddress, bySockets: Bool, family: APIFamily? = nil)
        /// Report a run's end, with the run's last lines of output.
        case reportEnd(run: String, how: String, next: SupervisedEvent.Next)
    }
}

/// The state of a run, derived from the unit's state.
enum UnitPhase: Sendable, Equatable {
    /// The unit's processes are running.
    case up
    /// The unit's processes are being ended.
    case ending
    /// The run has ended, and systemd will restart the unit after a delay.
    case awaitsRestart
    /// The run has failed, and systemd will not restart the unit.
    case failed
    /// The run has ended, or the unit was never started.
    case inactive
    /// A transient state: the run has ended, but the next state is not known yet.
    case between

    init(_ properties: UnitProperties) {
        switch (properties.activeState, properties.subState) {
        case (_, "auto-restart"): self = .awaitsRestart
        // systemd 254 and later pass through these states before auto-restart. After auto-restart, these versions pass
        // through auto-restart-queued again, with the invocation ID of the next run.
        case (_, "failed-before-auto-restart"), (_, "dead-before-auto-restart"), (_, "auto-restart-queued"):
            self = .between
        case ("deactivating", _): self = .ending
        case ("failed", _): self = .failed
        case ("inactive", _), (nil, _): self = .inactive
        default: self = .up
        }
    }
}
