// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Logging
internal import OpenCodeFamilies
internal import Projects
internal import Systemd

/// The registry's state of one project's instance.
struct Instance {
    /// The project's folder as it was at the last start.
    var folder: ProjectFolder
    var machine: InstanceStateMachine
    /// The supervisor that runs the instance's server, or would start it.
    var supervisor: any Supervisor
    /// The index of the instance in the loops' per-instance counters.
    let slot: Int
    /// The instance's server; nil if none is running.
    var run: Run?
    /// The number of the current run. A different number means a different process, even on the same port.
    var generation: UInt64 = 0
    /// The number of the last announcement of a port by this instance. Later announcements have greater numbers.
    var claim: UInt64 = 0
    /// The API family of the run, and the path of its health check; nil while unknown.
    var family: APIFamily?
    var healthPath: HealthPath?
    /// The process number from a health response. The process is known to belong to the run.
    var processNumber: Int32?
    /// The facts about the run that the supervisor has stored for the next gateway.
    var remembered = InstanceMemory()
    /// The findings about the run's configuration.
    var setup = SetupFindings()
    /// Whether the run rejects requests without its password; nil while unknown.
    var enforcesPassword: Bool?
    /// A warning about the way in which the run's port was found; nil if the run announced its port.
    var portWarning: String?
    /// Whether the gateway has logged that the server works in a folder other than the project's current folder.
    var hasWarnedOfFolder = false
    /// The start of the instance's current state in nanoseconds since 1970.
    var since: Int64
    /// The tracker that selects the states that are recorded as events.
    var historyTracker: HistoryTracker
    /// The result of the queries for the OpenCode project of the instance's folder.
    var project = ProjectQuery()
    var pulse = Pulse()
    var timers: [InstanceStateMachine.Timer: EventSource] = [:]
    var starts: [CheckedContinuation<StartAnswer, Never>] = []
    var stops: [CheckedContinuation<StopAnswer, Never>] = []

    /// Creates the state of an instance.
    ///
    /// - Parameter lastEvent: The last event that earlier gateways have recorded.
    init(
        folder: ProjectFolder, machine: InstanceStateMachine, supervisor: any Supervisor, slot: Int,
        lastEvent: InstanceEvent? = nil
    ) {
        self.folder = folder
        self.machine = machine
        self.supervisor = supervisor
        self.slot = slot
        historyTracker = HistoryTracker(lastEvent: lastEvent)
        since = WallClock.nanoseconds()
    }

    /// Returns the instance's route for requests.
    ///
    /// - Parameter scope: The current directories of the project.
    func route(_ scope: DirectoryScope?, _ openCodeProject: OpenCodeProject?) -> RoutingTable.Route {
        let state = machine.state
        var endpoint: InstanceEndpoint?
        if let address = state.address {
            let authorization = run?.credentials?.authorization(for: family).map { Array($0.utf8) }
            endpoint = InstanceEndpoint(
                address: address, authorization: authorization, generation: generation, slot: slot,
                enforcesPassword: enforcesPassword == true, family: family, version: machine.version)
        }
        return RoutingTable.Route(
            name: folder.name, state: state, endpoint: endpoint, scope: scope ?? folder.scope,
            openCodeProject: openCodeProject,
            stopInitiator: machine.stopInitiator)
    }

    /// Starts a new run, and resets all facts about the previous run.
    mutating func start(_ run: Run, generation: UInt64) {
        self.run = run
        self.generation = generation
        family = run.memory.family
        healthPath = nil
        processNumber = nil
        setup = SetupFindings()
        remembered = run.memory
        enforcesPassword = nil
        portWarning = nil
        hasWarnedOfFolder = false
        project.resetRun()
    }

    /// The facts about the run that the next gateway needs.
    var memory: InstanceMemory {
        InstanceMemory(family: family, restarts: machine.restarts, lastError: machine.lastFailure.map(Self.cut))
    }

    /// Returns a reason that fits into a stored record. The server's last lines of output can make a reason too long.
    static func cut(_ reason: String) -> String {
        let scalars = reason.unicodeScalars
        return String(scalars.prefix(longestError)) + (scalars.count > longestError ? "…" : "")
    }

    /// The maximum length, in Unicode scalars, of an error that is stored for the next gateway.
    private static let longestError = 2_000

    /// Sets the last event that earlier gateways recorded, if the event becomes known late. Has no effect if a newer
    /// event is known.
    mutating func restore(_ event: InstanceEvent) {
        historyTracker.restore(event)
        guard case .ready = machine.state, event.kind == .ready, let run, run.isFound, since == run.started,
            event.time >= run.started
        else { return }
        since = event.time
    }

    /// Sets the time at which the current state began. For a found server, this time is the start of the server, or the
    /// time at which an earlier gateway recorded that the server was ready.
    mutating func stateChanged(now: Int64) {
        if case .ready = machine.state, let run, run.isFound, historyTracker.covers(runSince: run.started),
            let last = historyTracker.last,
            last.kind == .ready
        {
            since = last.time
            return
        }
        switch machine.state {
        case .booting, .probing, .ready:
            if let run, run.isFound, machine.claimedAddress == nil || since == run.started {
                since = run.started
                return
            }
        default: break
        }
        since = now
    }
}

/// The signs of life of an instance: healthy responses, and bytes of proxied responses. The loops count the bytes.
struct Pulse {
    private var lastSign = SuspendingClock.now
    private var count: UInt64?

    /// Resets the byte count for a new health check. The next call of `look` sets the initial count.
    mutating func resetCheck() { count = nil }

    /// Records a healthy response as a sign of life.
    mutating func answered(now: SuspendingClock.Instant = .now) { lastSign = now }

    /// Updates the byte count from the loops' counters.
    ///
    /// - Returns: The time without a sign of life, and whether bytes have arrived since the last call during the
    ///   current health check.
    mutating func look(_ newCount: UInt64, now: SuspendingClock.Instant = .now) -> (quiet: Duration, progressed: Bool) {
        let progressed = count.map { $0 != newCount } ?? false
        count = newCount
        if progressed { lastSign = now }
        return (lastSign.duration(to: now), progressed)
    }
}

/// The findings about a run's configuration, in addition to its health.
struct SetupFindings {
    /// Whether the configuration was requested. The gateway requests it once in each run.
    var isConfigurationRequested = false
    /// The problem with the configuration, as a message.
    var configurationTrouble: String?
    /// Whether the last response listed no model.
    var hasNoModels = false
    /// The progress of the migration of older sessions; nil before the first response.
    var migration: MigrationAnswer?
    /// The queries without a response so far.
    var pendingQueries: Set<SetupQuery> = []
    /// The timer that delays the query for the models.
    var modelsDelay: EventSource?

    /// The warnings for `status`.
    var warnings: [String] {
        [configurationTrouble, hasNoModels ? InstanceMessage.noModels : nil, migration?.warning].compactMap { $0 }
    }
}
