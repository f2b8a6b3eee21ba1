// SPDX-License-Identifier: Apache-2.0

/// An event from a service manager. Events are delivered in the order of their occurrence.
package enum ManagerEvent: Sendable, Equatable {
    /// The manager is reachable, for the first time or again. The value lists the loaded units.
    case connected([ListedUnit])
    /// The connection to the manager is lost, or the first attempt to connect failed. The client retries until it
    /// succeeds.
    case disconnected(BusError)
    /// A unit has changed; the value contains its current properties.
    ///
    /// For each change, the manager first reports the properties of the unit's type (`isComplete` is false) and
    /// immediately afterwards the properties that all units have. The two parts are consistent only after the second
    /// report.
    case changed(unit: String, UnitProperties, isComplete: Bool)
    /// A job has ended. `result` is `done`, `failed`, `canceled`, `timeout`, `dependency`, `skipped`, …
    case jobRemoved(job: String, unit: String, result: String)
    /// The manager has unloaded the unit. The manager also reports this event for every unit at each reload.
    case unitRemoved(String)
    /// The manager begins to reload its configuration (true), or has finished reloading it (false).
    case reloading(Bool)
}

/// A unit in the manager's list.
package struct ListedUnit: Sendable, Equatable {
    /// The name of the unit.
    package let name: String
    /// The load state: `loaded`, `not-found`, …
    package let loadState: String
    /// The active state: `active`, `failed`, …
    package let activeState: String
    /// The substate: `running`, `auto-restart`, …
    package let subState: String

    /// Creates a list entry with the given states.
    package init(name: String, loadState: String, activeState: String, subState: String) {
        self.name = name
        self.loadState = loadState
        self.activeState = activeState
        self.subState = subState
    }
}
