/// What a service manager tells, in the order in which it happened.
package enum ManagerEvent: Sendable, Equatable {
    /// The manager can be reached (again); the units that it has loaded.
    case connected([ListedUnit])
    /// It can't be reached any more, or not at the first try; it is tried again until it can.
    case disconnected(BusError)
    /// A unit has changed: what is known of it now. A unit's own kind of properties comes first (`isComplete` is false),
    /// what all units have at once afterwards: only then do both belong together.
    case changed(unit: String, UnitProperties, isComplete: Bool)
    /// A job has ended; `result` is `done`, `failed`, `canceled`, `timeout`, `dependency`, `skipped`, …
    case jobRemoved(job: String, unit: String, result: String)
    /// The manager has forgotten the unit; also said of every unit at each reload.
    case unitRemoved(String)
    /// The manager begins (true) or has ended (false) to read its configuration again.
    case reloading(Bool)
}

/// A unit in the manager's list.
package struct ListedUnit: Sendable, Equatable {
    /// Its name.
    package let name: String
    /// `loaded`, `not-found`, …
    package let loadState: String
    /// `active`, `failed`, …
    package let activeState: String
    /// `running`, `auto-restart`, …
    package let subState: String

    /// A unit in the list.
    package init(name: String, loadState: String, activeState: String, subState: String) {
        self.name = name
        self.loadState = loadState
        self.activeState = activeState
        self.subState = subState
    }
}
