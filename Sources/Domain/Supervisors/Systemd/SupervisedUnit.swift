// SPDX-License-Identifier: Apache-2.0

internal import Instances
internal import Projects
internal import Systemd

/// The supervisor's state of one project's unit.
struct SupervisedUnit: Sendable {
    let name: UnitName
    var machine = UnitStateMachine()
    /// The ID of the current or last run.
    var lastRun: String?
    /// The current run as it was reported. The run is reported again when its record becomes available.
    var run: Run?
    /// The end of a run whose last lines may not be in the journal yet. The end is reported after a delay.
    var pendingEnd: PendingEnd?

    init(name: UnitName) { self.name = name }
}

/// The end of a run whose report is delayed.
struct PendingEnd: Sendable {
    let run: String
    let how: String
    let next: SupervisedEvent.Next
    /// The timer that ends the delay.
    let timer: EventSource?
}

/// The state of the supervisor's connection to the manager.
struct ManagerConnection: Sendable {
    /// The reason why there is no connection, as a message; nil while connected, and before the first attempt.
    var unavailable: String?
    /// Whether the outage was reported to the observer.
    var isOutageReported = false
    /// Whether the supervisor is connected to the manager.
    var isUp = false
    /// The units whose properties are being read for the first time on this connection.
    var reading: Set<ProjectName> = []
    /// Whether the list of units is being read, and whether it must be read again after that.
    var isListing = false
    var listsAgain = false
    /// Whether the manager is reloading its configuration.
    var isReloading = false
}
