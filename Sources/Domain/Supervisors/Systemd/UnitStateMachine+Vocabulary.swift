// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Instances
internal import OpenCodeFamilies
internal import Systemd

/// An invocation of a unit.
struct UnitRun: Sendable, Equatable {
    /// The invocation ID from systemd.
    let id: String
    /// The main process; 0 if it had ended before it could be read.
    let process: Int32
    /// The start time of the main process in microseconds since 1970; 0 if unknown.
    let started: UInt64
    /// Whether this gateway did not request the run.
    let isFound: Bool
}

/// The events and actions of the state machine.
extension UnitStateMachine {
    /// An event that the machine handles.
    enum Event: Sendable, Equatable {
        /// The gateway requests a start.
        case startRequested
        /// The manager has accepted the start as this job.
        case startAccepted(job: String)
        /// The manager rejected the start. The value is the reason.
        case startRefused(String)
        /// The gateway requests a stop, with SIGTERM or SIGKILL.
        case stopRequested(kills: Bool)
        /// The manager has accepted the stop as this job.
        case stopAccepted(job: String)
        /// The manager cannot stop the unit because it is not loaded.
        case stopRefused
        /// The manager does not permit the gateway to stop or kill the unit. The value is the reason.
        case stopDenied(String)
        /// A signal has reported some properties. They are consistent with the earlier properties if `isComplete` is
        /// true.
        case changed(UnitProperties, isComplete: Bool)
        /// All properties of the unit were read.
        case read(UnitProperties)
        /// The connection to the manager is lost, and with it the state of all requests.
        case connectionLost
        /// A job of the unit has ended.
        case jobEnded(job: String, result: String)
        /// The run's output has announced its port, in the format of this API.
        case portNamed(run: String, address: InstanceAddress, family: APIFamily? = nil)
        /// The run's output has announced a host other than 127.0.0.1.
        case otherHostNamed(run: String, host: String)
        /// The run should have announced its port long ago.
        case portOverdue(run: String)
        /// The run's listening sockets were searched. The address is nil if none was found.
        case socketsSearched(run: String, address: InstanceAddress?)
    }

    /// An action for the owner.
    enum Action: Sendable, Equatable {
        /// Call StartUnit of the manager.
        case start
        /// Call RestartUnit of the manager.
        case restart
        /// Call StopUnit of the manager.
        case stop
        /// Call KillUnit of the manager with SIGKILL.
        case kill
        /// Call ResetFailedUnit of the manager.
        case resetFailed
        /// Read all properties of the unit.
        case read
        /// Search for the run's port: first in its output, and if that is overdue, among its sockets.
        case seekPort(UnitRun)
        /// Search the sockets of the run.
        case searchSockets(UnitRun)
        /// Search the sockets again, after an increasing delay.
        case searchLater(UnitRun, times: Int)
        /// Stop the search for the run's port.
        case stopSeeking(String)
        /// Report this event. Events with data that the machine does not have are separate cases below.
        case report(SupervisedEvent)
        /// Report that a run was launched, including the data of its record.
        case reportLaunch(UnitRun)
        /// Report a run's port and how it was found.
        case reportPort(run: String, address: InstanceAddress, bySockets: Bool, family: APIFamily? = nil)
        /// Report a run's end with its last lines.
        case reportEnd(run: String, how: String, next: SupervisedEvent.Next)
    }
}

/// The state of a run according to the unit's state.
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
        // systemd 254 and later pass through these states before auto-restart. They also pass through the last one
        // after auto-restart, with the invocation ID of the next run.
        case (_, "failed-before-auto-restart"), (_, "dead-before-auto-restart"), (_, "auto-restart-queued"):
            self = .between
        case ("deactivating", _): self = .ending
        case ("failed", _): self = .failed
        case ("inactive", _), (nil, _): self = .inactive
        default: self = .up
        }
    }
}
