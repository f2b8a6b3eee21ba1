internal import Clocks
internal import Logging
internal import OpenCode
internal import Projects
internal import Systemd

/// What the registry keeps of one project's instance.
struct Instance {
    /// The folder as it was at the last start.
    var folder: ProjectFolder
    var machine: InstanceStateMachine
    /// Who runs its server, or would start it.
    var supervisor: any Supervisor
    /// Its place in what the loops count for each instance.
    let slot: Int
    /// Its server, while there is one.
    var run: Run?
    /// The number of that run: another number is another process, even on the same port.
    var generation: UInt64 = 0
    /// The number of its last announcement of a port; a later one has a greater number.
    var claim: UInt64 = 0
    /// Which of OpenCode's APIs the run speaks, and where it tells whether it is ready; nil while that is not known.
    var family: APIFamily?
    var healthPath: HealthPath?
    /// The number under which a process of the run was found to see itself, as its health answer had said.
    var processNumber: Int32?
    /// What the next gateway would know of the run.
    var remembered = InstanceMemory()
    /// How it is set up, as far as that was asked.
    var setup = SetupFindings()
    /// Whether the run lets nobody in without its password; nil while that is not known.
    var enforcesPassword: Bool?
    /// How the run's port was found, when it was not announced.
    var portWarning: String?
    /// Whether the log says that its server works in another folder than its project's.
    var hasWarnedOfFolder = false
    /// Since when it is in its state: nanoseconds since 1970.
    var since: Int64
    /// What of its states is written down.
    var notes: EventNotes
    /// Which project its folder is to OpenCode, as far as that was asked.
    var project = ProjectQuestion()
    var pulse = Pulse()
    var timers: [InstanceStateMachine.Timer: EventSource] = [:]
    var starts: [CheckedContinuation<StartAnswer, Never>] = []
    var stops: [CheckedContinuation<StopAnswer, Never>] = []

    /// `past`: the last event that earlier gateways have written down.
    init(
        folder: ProjectFolder, machine: InstanceStateMachine, supervisor: any Supervisor, slot: Int,
        past: InstanceEvent? = nil
    ) {
        self.folder = folder
        self.machine = machine
        self.supervisor = supervisor
        self.slot = slot
        notes = EventNotes(past: past)
        since = WallClock.nanoseconds()
    }

    /// The way to it as requests see it; `scope`: the project's directories as they are now.
    func route(_ scope: DirectoryScope?, _ own: OwnProject?) -> RoutingTable.Route {
        let state = machine.state
        var endpoint: InstanceEndpoint?
        if let address = state.address {
            let authorization = run?.credentials?.authorization(for: family).map { Array($0.utf8) }
            endpoint = InstanceEndpoint(
                address: address, authorization: authorization, generation: generation, slot: slot,
                enforcesPassword: enforcesPassword == true, family: family, version: machine.version)
        }
        return RoutingTable.Route(
            name: folder.name, state: state, endpoint: endpoint, scope: scope ?? folder.scope, ownProject: own,
            ender: machine.ender)
    }

    /// A new run: nothing that was known of the one before holds.
    mutating func begin(_ run: Run, generation: UInt64) {
        self.run = run
        self.generation = generation
        family = run.memory.family
        (healthPath, processNumber) = (nil, nil)
        setup = SetupFindings()
        remembered = run.memory
        enforcesPassword = nil
        portWarning = nil
        hasWarnedOfFolder = false
        project.runBegins()
    }

    /// What was learnt of the run.
    var memory: InstanceMemory {
        InstanceMemory(family: family, restarts: machine.restarts, lastError: machine.lastFailure.map(Self.cut))
    }

    /// A reason, which with the last lines of output can be longer than a record may be.
    static func cut(_ reason: String) -> String {
        let scalars = reason.unicodeScalars
        return String(scalars.prefix(longestError)) + (scalars.count > longestError ? "…" : "")
    }

    /// Unicode scalars of an error that the next gateway gets to know.
    private static let longestError = 2_000

    /// What earlier gateways have written down last is known only now: it counts where nothing newer does.
    mutating func recall(_ past: InstanceEvent) {
        notes.recall(past)
        guard case .ready = machine.state, past.kind == .ready, let run, run.isFound, since == run.started,
            past.time >= run.started
        else { return }
        since = past.time
    }

    /// Its state is another one from now on. A server that was found has been what it is since it was started, or since an
    /// earlier gateway has seen it become so.
    mutating func stateChanged(now: Int64) {
        if case .ready = machine.state, let run, run.isFound, notes.knows(runSince: run.started), let last = notes.last,
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

/// Signs of life of one instance: healthy answers, and bytes of proxied answers, which the loops count.
struct Pulse {
    private var lastSign = SuspendingClock.now
    private var count: UInt64?

    /// A health check goes out: bytes count from the next look on.
    mutating func checkBegins() { count = nil }

    /// It was found healthy.
    mutating func answered(now: SuspendingClock.Instant = .now) { lastSign = now }

    /// The loops have counted to `newCount`. For how long there was no sign of life, and whether bytes came since the
    /// last look at the present health check.
    mutating func look(_ newCount: UInt64, now: SuspendingClock.Instant = .now) -> (quiet: Duration, progressed: Bool) {
        let progressed = count.map { $0 != newCount } ?? false
        count = newCount
        if progressed { lastSign = now }
        return (lastSign.duration(to: now), progressed)
    }
}

/// What is known of how a run is set up, besides its health.
struct SetupFindings {
    /// Whether its configuration was asked for: once in a run.
    var isConfigurationAsked = false
    /// Why that can't be used, as a sentence.
    var configurationTrouble: String?
    /// Whether it had no model when it was last asked.
    var hasNoModels = false
    /// How far it has taken over older sessions; nil before it was asked.
    var migration: MigrationAnswer?
    /// Questions that are under way.
    var asking: Set<SetupQuestion> = []
    /// Until the models are asked for.
    var modelsDelay: EventSource?

    /// What `status` says.
    var warnings: [String] {
        [configurationTrouble, hasNoModels ? InstanceMessage.noModels : nil, migration?.warning].compactMap { $0 }
    }
}
