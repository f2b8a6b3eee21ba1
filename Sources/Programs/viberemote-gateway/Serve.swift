// SPDX-License-Identifier: Apache-2.0

import Access
import Audit
import AuditServing
import ConversationServing
import Conversations
import EventHub
import EventLoop
import EventStreaming
import GatewayCore
import GatewayServer
import Glibc
import HTTPServer
internal import Instances
import KeyAdministration
internal import Keys
import Locking
import Logging
internal import Projects
import Settings
import Storage
internal import Supervisors
import Systemd

/// The command `serve`, which creates the control plane and the data plane, runs the control plane on the main thread,
/// and shuts both planes down.
enum Serve {
    private static let failureExitCode: Int32 = 1

    /// Runs the gateway until SIGTERM or SIGINT, and returns the exit code.
    static func run(_ configuration: Configuration, _ sources: SettingSources) -> Int32 {
        do {
            let isUntraceable = ProcessTracing.deny()
            Environment.scrub("VIBE_AUTH_SECRET")
            try ProjectFolderCheck.require(configuration.home)
            // Block the signals before any thread is created, because a thread inherits the mask of its creator.
            try SystemEventLoop.blockSignals([SIGTERM, SIGINT, SIGHUP])
            signal(SIGPIPE, SIG_IGN)
            let inherited = try InheritedDescriptors.acquire()
            let writer = try LogSetUp.writer(configuration)
            defer { writer.close() }
            let log = Logger(sink: writer, level: configuration.logLevel)
            if !isUntraceable { log.warning("other processes of this user can trace the gateway") }
            for notice in configuration.notices { log.warning("a setting needs attention", LogField("reason", notice)) }
            let service = try Service(configuration, sources: sources, inherited: inherited, log: log)
            try service.run()
            log.notice("the gateway has ended")
            return 0
        } catch {
            StandardStreams.writeError("viberemote-gateway: \(error)")
            return failureExitCode
        }
    }
}

/// A running gateway with its control plane and its data plane.
private final class Service: Sendable {
    private let loop: SystemEventLoop
    private let registry: InstanceRegistry
    /// The supervisor that ends child processes of an earlier gateway; nil if this gateway's supervisor
    /// takes over these processes.
    private let leftovers: ProcessSupervisor?
    private let dataPlane: DataPlane
    private let keys: KeyService
    private let audit: AuditService
    private let log: Logger
    private let settings: LiveSettings
    /// The persistent state; nil if it is not available.
    private let store: Store?
    /// The fields of the log line that reports the start of the gateway.
    private let announcement: [LogField]

    init(
        _ configuration: Configuration, sources: SettingSources, inherited: InheritedDescriptors, log: Logger
    ) throws {
        self.log = log
        let settings = LiveSettings(configuration, sources, descriptors: Environment.raiseDescriptorLimit())
        self.settings = settings
        loop = try SystemEventLoop()
        let link = DataPlaneLink()
        let catalogue = ProjectCatalogue(
            loop: loop, home: configuration.home, followsLinks: configuration.projects.followsLinks, logger: log)
        let supervisor = Self.supervisor(configuration, catalogue: catalogue, loop: loop, log: log)
        // If instances run as units, also end child processes of an earlier gateway, so that a project
        // never has two servers.
        leftovers =
            supervisor.outlivesGateway
            ? ProcessSupervisor(loop: loop, setUp: ProcessSetUp(configuration), logger: log) : nil
        let state = StoredHistory.open(StateFile(folder: configuration.stateFolder, migrations: Migration.all), log)
        store = try? state.get()
        registry = InstanceRegistry(
            loop: loop, catalogue: catalogue, supervisors: [supervisor],
            limits: InstanceLimits(configuration.instances, configuration.limits), logger: log,
            links: InstanceRegistry.Links(
                probe: { await link.probe($0) }, progress: { await link.progress(ofSlot: $0) },
                inquire: { await link.send($0) }, publish: { link.publish($0) },
                environmentDigest: { [data = configuration.isolatedData] in
                    InstanceEnvironment.currentDigest(of: $0, home: Environment.homeFolder, data: data)
                },
                history: Self.history(state, configuration: configuration, log: log)))
        let listen = configuration.listen
        guard let address = SocketAddress(host: listen.host, port: listen.port) else {
            throw DataPlaneError(
                description:
                    "\(listen) (--listen) is not an address of this machine. Use one that `ip address` lists, or 0.0.0.0."
            )
        }
        let snapshots = HubSnapshots()
        var setUp = DataPlane.SetUp(
            address: address, threads: configuration.threads,
            policy: settings.policy, log: log,
            control: RegistryControl(registry: registry, snapshots: configuration.events.isHubOn ? snapshots : nil))
        if configuration.events.isHubOn {
            setUp.events = (Self.hubSettings(configuration, state), snapshots)
        }
        let delayedCalls = DelayedCalls(loop, log: log)
        audit = AuditService(
            StateFile.audit(in: configuration.stateFolder),
            limits: AuditLimits(time: configuration.access.auditKeep), log: log,
            delay: { delayedCalls.call(after: $0, $1) })
        setUp.audit = audit
        if configuration.events.isHubOn {
            var chats = ConversationSetUp(
                project: configuration.chat.project, home: configuration.home,
                store: store.map { ConversationStore($0) }, version: GatewayVersion.number)
            chats.audit = audit
            let conversations = try ConversationService(chats, control: setUp.control, log: log)
            setUp.conversations = conversations
            setUp.chat = conversations.chat
        }
        keys = KeyService(
            state.map { KeyStore($0) }, defaults: KeyLimits(configuration), log: log, audit: audit,
            delay: { delayedCalls.call(after: $0, $1) }, publish: { await link.apply($0) })
        setUp.keys = keys
        setUp.userHome = Environment.homeFolder
        setUp.inheritedListeners = inherited.listeners
        setUp.endpointListeners = try Self.endpointListeners(configuration)
        dataPlane = try DataPlane(setUp)
        link.connect(dataPlane)
        announcement = [
            LogField("address", "\(dataPlane.address)"),
            LogField("home", configuration.home),
            LogField("listener", inherited.listeners.isEmpty ? "gateway" : "systemd"),
            LogField("supervisor", supervisor.name), LogField("threads", configuration.threads),
            LogField("libmicrohttpd", DataPlane.serverLibrary),
        ]
    }

    /// Returns the configured listeners other than the gateway's own listener.
    private static func endpointListeners(_ configuration: Configuration) throws -> [EndpointListener] {
        let chat = configuration.chat
        let wanted: [(EndpointListener.Purpose, String, ListenAddress?)] = [
            (.chat, "--chat-listen", chat.listen), (.conversations, "--conversations-listen", chat.conversations),
        ]
        return try wanted.compactMap { purpose, setting, listen in
            guard let listen else { return nil }
            guard let address = SocketAddress(host: listen.host, port: listen.port) else {
                throw DataPlaneError(
                    description:
                        "\(listen) (\(setting)) is not an address of this machine. Use one that `ip address` lists, or 0.0.0.0."
                )
            }
            return EndpointListener(purpose, setting: setting, address: address, isOpen: chat.isOpen)
        }
    }

    /// Returns the hub's settings. The hub stores events on the disk only if this gateway has locked the state file,
    /// because the lock's owner owns the whole state directory.
    private static func hubSettings(
        _ configuration: Configuration, _ state: Result<Store, StorageError>
    ) -> HubSettings {
        var hub = HubSettings(configuration, folder: configuration.stateFolder)
        switch state {
        case .failure(let error): hub.obstacle = error.description
        case .success(let store):
            hub.obstacle = store.obstacle?.description
            hub.onceFree = { body in if store.isOpen(orElse: body) { body() } }
        }
        hub.encoding = { project in
            let encoding = try? InstanceEnvironment.load(project: project, home: Environment.homeFolder, base: [:])
                .eventEncoding
            return encoding.flatMap { EventEncoding(rawValue: $0) }
        }
        return hub
    }

    private static func history(
        _ state: Result<Store, StorageError>, configuration: Configuration, log: Logger
    ) -> any InstanceHistory {
        switch state {
        case .success(let store): StoredHistory(store, home: configuration.home, log: log)
        case .failure(let error): NoInstanceHistory(reason: error.description)
        }
    }

    private static func supervisor(
        _ configuration: Configuration, catalogue: ProjectCatalogue, loop: SystemEventLoop, log: Logger
    ) -> any Supervisor {
        let environment = Environment.variables
        let access = ManagerAccess(ManagerScope(configuration.scope), environment: environment)
        let selection = SupervisorSelection(configuration, access)
        switch selection.kind {
        case .process:
            log.notice("instances will run as child processes", LogField("reason", selection.reason))
            return ProcessSupervisor(loop: loop, setUp: ProcessSetUp(configuration), logger: log)
        case .systemd:
            log.notice("instances will run as systemd units", LogField("reason", selection.reason))
            let recordStores = InstanceRecordStore.unitLocations(
                environment: environment, userHome: Environment.homeFolder)
            let memories = InstanceRecordStore.memories(environment: environment, userHome: Environment.homeFolder)
            return SystemdSupervisor(loop: loop, access: access, logger: log, memories: memories) { project, run in
                recordStores.lazy.compactMap { recordStore in
                    recordStore.read(project) {
                        log.warning("cannot use an instance record", LogField("reason", "\($0)"))
                    }
                }.first { $0.run == run }
            } folders: {
                catalogue.assumeIsolated { (try? $0.folders().map(\.name)) ?? [] }
            }
        }
    }

    /// Runs the control plane until a signal has shut the gateway down.
    func run() throws {
        let lifecycle = Lifecycle(
            loop: loop, registry: registry, dataPlane: dataPlane, keys: keys, audit: audit, log: log, settings: settings
        )
        let failure = Locked<(any Error)?>(nil)
        Task {
            await lifecycle.watchSignals()
            do {
                try await open(lifecycle)
            } catch {
                failure.withLock { $0 = error }
                await lifecycle.giveUp()
            }
        }
        try loop.run()
        dataPlane.stop()
        audit.close()
        store?.close()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Accepts clients, and announces the addresses, as soon as the projects and the running instances are known.
    /// Clients wait until then, because an earlier response could be wrong, and a project could get a second server.
    private func open(_ lifecycle: Lifecycle) async throws {
        try await leftovers?.endLeftovers()
        try await registry.open()
        await keys.open()
        audit.keepLimits()
        guard await !lifecycle.isEnding else { return }
        try await dataPlane.accept()
        log.log(.notice, "the gateway listens", fields: announcement)
        StandardStreams.writeLine("viberemote-gateway listening on http://\(dataPlane.address)")
        for listener in dataPlane.endpointListeners {
            log.notice(
                "an additional listener is open", LogField("setting", listener.setting),
                LogField("address", "\(listener.address)"), LogField("chat_open", listener.isOpen ? "on" : "off"))
            StandardStreams.writeLine("viberemote-gateway \(listener.announcement)")
        }
        ServiceNotifier.ready(status: "Listening on http://\(dataPlane.address)")
    }
}
