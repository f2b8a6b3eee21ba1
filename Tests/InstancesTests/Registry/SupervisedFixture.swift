// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import Systemd
import TemporaryHomes

/// A supervisor that a test controls.
actor FakeSupervisor: Supervisor {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated let name: String
    nonisolated let outlivesGateway: Bool
    /// The last memory that the registry asked the supervisor to store for each project.
    nonisolated let memories = Locked<[ProjectName: InstanceMemory]>([:])
    /// The numbers of each project's processes in their own namespace. The numbers of a project without an entry are
    /// unknown.
    nonisolated let processes = Locked<[ProjectName: Set<Int32>]>([:])
    /// The calls that the supervisor received, such as `start alpha`.
    nonisolated let calls = Locked<[String]>([])

    private let loop: SystemEventLoop
    private let found: [(ProjectName, SupervisedEvent)]
    private weak var observer: (any SupervisorObserver)?

    init(
        _ loop: SystemEventLoop, name: String = "fake", outlivesGateway: Bool,
        found: [(ProjectName, SupervisedEvent)] = []
    ) {
        self.loop = loop
        self.name = name
        self.outlivesGateway = outlivesGateway
        self.found = found
    }

    nonisolated func logCommand(of project: ProjectName) -> String? { "journalctl --user -u opencode@\(project)" }

    func open(_ observer: any SupervisorObserver) async throws(LaunchError) {
        self.observer = observer
        for (project, event) in found { observer.supervised(project, event) }
    }

    nonisolated func start(_ folder: ProjectFolder) { record("start \(folder.name)") }
    nonisolated func terminate(_ project: ProjectName) { record("terminate \(project)") }
    nonisolated func kill(_ project: ProjectName) { record("kill \(project)") }
    nonisolated func tail(of project: ProjectName) -> [String] { ["tail of \(project)"] }

    nonisolated func remember(_ memory: InstanceMemory, of project: ProjectName) {
        memories.withLock { $0[project] = memory }
    }
    /// The working directories of the servers.
    nonisolated let folders = Locked<[ProjectName: (identity: FolderIdentity, path: String)]>([:])

    nonisolated func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? {
        folders.withLock { $0[project] }
    }

    nonisolated func hasProcess(_ number: Int32, of project: ProjectName) -> Bool? {
        processes.withLock { $0[project] }.map { $0.contains(number) }
    }

    /// Reports events to the registry.
    func report(_ project: ProjectName, _ events: SupervisedEvent...) {
        for event in events { observer?.supervised(project, event) }
    }

    /// Reports that the supervisor is unreachable, or reachable again.
    func report(unavailable reason: String?) { observer?.supervisorChanged(unavailable: reason) }

    private nonisolated func record(_ call: String) { calls.withLock { $0.append(call) } }
}

/// The results of health checks by port.
final class FakePorts: Sendable {
    typealias Answer = @Sendable (HealthQuery) -> HealthFinding

    /// The number of health checks.
    let probes = Locked(0)
    private let answers = Locked<[UInt16: Answer]>([:])

    /// Returns the response of the server on the port.
    func answer(_ probe: HealthQuery) -> HealthFinding {
        probes.withLock { $0 += 1 }
        return answers.withLock { $0[probe.address.port] }?(probe) ?? .silent(reason: "No server listens.")
    }

    /// Starts a server on the port.
    func listen(on port: UInt16, _ answer: @escaping Answer) { answers.withLock { $0[port] = answer } }
}

/// The table that was published last.
final class LastTable: Sendable {
    let table = Locked(RoutingTable.empty)
}

/// A registry whose servers are simulated by the test.
final class SupervisedFixture: Sendable {
    let home: TemporaryHome
    let registry: InstanceRegistry
    let supervisor: FakeSupervisor
    /// The supervisor of the projects in `other`. Its servers end with the gateway.
    let other: FakeSupervisor
    let lines = RecordedLines()
    let ports = FakePorts()
    let lastTable = LastTable()
    private let loop: SystemEventLoop
    private let ended: AsyncStream<Void>
    private let tables: AsyncStream<RoutingTable>

    init(
        projects: [String] = ["alpha", "beta"], limits: InstanceLimits = InstanceLimits(),
        outlivesGateway: Bool = true, found: [(ProjectName, SupervisedEvent)] = [],
        ofOther: [ProjectName] = [], foundByOther: [(ProjectName, SupervisedEvent)] = [],
        digest: @escaping @Sendable (ProjectName) -> String? = { _ in nil },
        healthy: [UInt16: String] = [:], settles: Duration = .zero,
        inquire: @escaping @Sendable (InstanceQuery) async -> InstanceReply? = { _ in nil },
        history: any InstanceHistory = NoInstanceHistory(reason: "none")
    ) async throws {
        let home = try TemporaryHome()
        for project in projects { try home.makeFolder(project) }
        let loop = try SystemEventLoop()
        let (tables, published) = AsyncStream.makeStream(of: RoutingTable.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let supervisor = FakeSupervisor(loop, outlivesGateway: outlivesGateway, found: found)
        let other = FakeSupervisor(loop, name: "other", outlivesGateway: false, found: foundByOther)
        let (ports, lastTable) = (ports, lastTable)
        let logger = Logger(sink: lines, level: .debug)
        var limits = limits
        limits.found = settles
        registry = InstanceRegistry(
            loop: loop, catalogue: ProjectCatalogue(loop: loop, home: home.path, followsLinks: false, logger: logger),
            supervisors: ofOther.isEmpty && foundByOther.isEmpty ? [supervisor] : [supervisor, other],
            chooseSupervisor: { ofOther.contains($0) ? "other" : nil }, limits: limits, logger: logger,
            links: InstanceRegistry.Links(
                probe: { ports.answer($0) }, inquire: inquire,
                publish: { table in
                    lastTable.table.withLock { $0 = table }
                    published.yield(table)
                },
                environmentDigest: digest, history: history))
        self.home = home
        self.loop = loop
        self.supervisor = supervisor
        self.other = other
        self.tables = tables
        self.ended = ended
        for (port, password) in healthy { listen(on: port, password) }
        Thread {
            try? loop.run()
            end.finish()
        }.start()
        try await registry.open()
    }

    /// Starts a server with this password on a port.
    func listen(on port: UInt16, _ password: String, enforces: Bool? = true) {
        ports.listen(on: port) { probe in
            guard enforces == false || probe.credentials?.password == password else {
                return .unauthorized(reason: "It says 401.")
            }
            return .healthy(version: "1.18.33", enforcesPassword: probe.checksPassword ? enforces : nil)
        }
    }

    func tearDown() async {
        await registry.shutdown()
        loop.stop()
        for await _ in ended {}
    }

    /// Returns the first matching route of a project, beginning with the last requested table.
    func route(to name: ProjectName, where isWanted: (RoutingTable.Route) -> Bool) async -> RoutingTable.Route? {
        for await table in tables {
            if let route = table.route(forSegment: name.bytes[...]), isWanted(route) { return route }
        }
        return nil
    }

    /// Waits until an instance is in the state.
    func reaches(_ state: InstanceState, _ name: ProjectName = .alpha) async -> Bool {
        guard await route(to: name, where: { $0.state == state }) != nil else { return false }
        // The route is published in the middle of a step of the registry. The rest of the step is complete when
        // `status` returns.
        _ = await registry.status(name)
        return true
    }

    static func run(
        _ id: String, found: Bool = false, digest: String? = nil, memory: InstanceMemory = InstanceMemory(),
        credentials: InstanceCredentials? = nil, folder: FolderIdentity? = nil
    ) -> Run {
        Run(
            id: id, processIdentifier: 4711,
            credentials: credentials ?? InstanceCredentials(password: "password of \(id)"),
            started: 1_795_294_023_000_000_000, isFound: found, environmentDigest: digest,
            folder: folder, memory: memory)
    }
}

extension SupervisedEvent {
    /// Returns the event that reports the end of a run's server.
    static func exited(_ run: String, _ next: Next) -> SupervisedEvent {
        .exited(run: run, how: "signal SIGKILL", tail: ["boom"], next: next)
    }
}
