internal import Instances
internal import Projects
internal import Systemd

/// What the supervisor keeps of one project's unit.
struct SupervisedUnit: Sendable {
    let name: UnitName
    var machine = UnitStateMachine()
    /// The present or last run.
    var lastRun: String?
    /// The present run as it was told, to be told again when its record has come.
    var run: Run?
    /// The end of a run that is still to be told, once its last lines are in the journal.
    var pendingEnd: PendingEnd?

    init(name: UnitName) { self.name = name }
}

/// The end of a run that is told a moment later.
struct PendingEnd: Sendable {
    let run: String
    let how: String
    let next: SupervisedEvent.Next
    /// Ends the wait.
    let timer: EventSource?
}

/// What the supervisor knows of its connection to the manager.
struct ManagerConnection: Sendable {
    /// Why there is none, as a sentence; nil when there is one, or before the first try.
    var unavailable: String?
    /// Whether others were told that there is none.
    var isOutageTold = false
    /// Whether there was one, up to now.
    var isUp = false
    /// Units whose properties are still being read since the connection was made.
    var reading: Set<ProjectName> = []
    /// Whether the list of units is being read, and whether it has to be read once more then.
    var isListing = false
    var listsAgain = false
    /// Whether the manager is reading its configuration again.
    var isReloading = false
}
