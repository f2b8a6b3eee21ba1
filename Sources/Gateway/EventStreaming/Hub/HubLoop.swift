// SPDX-License-Identifier: Apache-2.0

package import DirectoryPinning
import Encodings
package import EventHub
package import EventLoop
package import GatewayCore
import HTTPClient
package import Instances
internal import Locking
import Logging
import OpenCodeFamilies
package import Projects

/// A message from another thread to the hub.
package enum HubMessage: Sendable {
    /// The mailboxes of all loops.
    case loops([Mailbox<LoopMessage>])
    case routes(RoutingTable)
    /// The policy for future requests.
    case policy(Policy)
    case sessionIndex(SessionIndexMessage)
    /// A stream has opened this directory in this run.
    case opened(ProjectName, run: UInt64, directory: [UInt8])
    /// A stream on this loop requests its start position, which follows everything that has arrived so far. The number
    /// identifies the request. The project is nil for a stream of all projects' events.
    case requestPosition(ProjectName?, loop: Mailbox<LoopMessage>, number: Int)
    /// An observer on any thread requests the snapshot and the end position of a project. The observer first receives
    /// the current values, and then each change.
    case subscribe(ProjectName, report: HubSubscriber)
    /// A translation needs a fact from the instance. The hub calls `report` on the hub's thread.
    case query(ProjectName, TranslationQuery, report: @Sendable (TranslationAnswer) -> Void)
    /// A request for the number of chunks that have arrived from the instance with this slot.
    case progress(slot: Int, report: @Sendable (UInt64) -> Void)
    /// A function that the hub's thread calls, so that the sender can check whether the thread still runs.
    case answer(@Sendable () -> Void)
    /// The gateway may now use the logs' directory.
    case folderIsFree
    case stop
}

/// Receives a project's snapshot and the position after all its events.
package typealias HubSubscriber = @Sendable (HubSnapshot, LogPosition) -> Void

/// The thread that subscribes to the events of all instances. The hub keeps one stream from each instance open and
/// reads the stream continuously. The hub stores each event in the project's log before it sends the event to a client.
///
/// The object is confined to its thread, like a ``GatewayLoop``.
final class HubLoop: SessionIndexOwner {
    /// The maximum size in bytes of an event that the hub forwards.
    static let largestEvent = 16 << 20

    let loop: EventLoop
    let client: UpstreamClient
    let control: any ProjectControl
    let log: Logger
    let settings: HubSettings
    /// Receives the ends of turns before the streams do.
    let turnEnds: TurnEnds
    private(set) var routes = RoutingTable.empty
    private(set) var policy: Policy
    private(set) lazy var sessionIndex = LoopSessionIndex(self)
    private let snapshots: HubSnapshots
    let index: EventIndex
    /// The reason why the hub must not use the logs' directory yet; nil if the hub may use the directory.
    private(set) var obstacle: String?
    private var mailbox: Mailbox<HubMessage>?
    private var loops: [Mailbox<LoopMessage>] = []
    private var projects: [ProjectName: HubProject] = [:]
    /// The updates that the hub sends to the loops at the end of the event loop's pass.
    private var updates: [EventUpdate] = []
    /// The events of one project that have arrived since the last update in `updates`.
    private var pendingEvents: (project: ProjectName, items: [LogItem], from: LogPosition, to: LogPosition)?
    /// The requests for start positions. The hub responds at the end of the pass. By then, the hub has processed
    /// everything that arrived before the requests.
    private var positionRequests: [(project: HubProject?, loop: Mailbox<LoopMessage>, number: Int)] = []
    private var subscribers: [ProjectName: [HubSubscriber]] = [:]
    /// The projects whose subscribers are called at the end of the pass.
    private var changedProjects: Set<ProjectName> = []
    var progress = ProgressCounts()
    private var isFlushScheduled = false
    /// Whether to enforce the total size limit of all logs at the end of the pass.
    private var isTotalDue = false
    private var trimTimer: LoopTimer?
    private var diskRetry: DiskRetry?
    /// Whether the gateway has logged that the index is in memory.
    private var isIndexInMemory = false

    init(
        _ settings: HubSettings, policy: Policy, control: any ProjectControl, snapshots: HubSnapshots,
        log: Logger, turnEnds: TurnEnds = TurnEnds()
    )
        throws
    {
        self.turnEnds = turnEnds
        loop = try EventLoop()
        client = UpstreamClient(loop: loop)
        client.peerLoss = policy.limits.peerLoss
        self.settings = settings
        self.policy = policy
        self.control = control
        self.snapshots = snapshots
        self.log = log
        index = EventIndex.open(
            settings.folder, limits: LogLimits(bytes: settings.limits.bytes, time: settings.limits.time),
            now: WallClock.milliseconds, obstacle: settings.obstacle)
        obstacle = settings.obstacle
        snapshots.set(index)
    }

    func openMailbox() throws -> Mailbox<HubMessage> {
        let mailbox = try loop.mailbox { [unowned self] (message: HubMessage) in receive(message) }
        self.mailbox = mailbox
        if obstacle != nil { settings.onceFree { mailbox.post(.folderIsFree) } }
        return mailbox
    }

    /// Runs on the calling thread until the loop is stopped.
    func run() throws {
        openStoredLogs()
        let timer = loop.timer(self)
        trimTimer = timer
        loop.arm(timer, after: Self.trimInterval)
        try loop.run()
        // Disk space may have become free, so write the events in memory to the disk before the process ends.
        _ = retryDisk()
        for project in projects.values { project.close() }
        client.stop()
        loop.releaseHandlers()
    }

    /// Opens the logs that earlier gateway processes have stored, so that clients can read their events.
    private func openStoredLogs() {
        guard obstacle == nil else { return }
        for name in EventLog.projects(in: settings.folder) {
            if let name = ProjectName(name) { _ = project(name) }
        }
    }

    private func useFolder() {
        guard obstacle != nil else { return }
        obstacle = nil
        index.useFolder(now: WallClock.milliseconds)
        for project in projects.values { project.useFolder() }
        openStoredLogs()
        if settings.limits.bytes > 0 { log.notice("events are kept on the disk") }
    }

    private func receive(_ message: HubMessage) {
        switch message {
        case .loops(let loops):
            self.loops = loops
            for project in projects.values { publish(.snapshot(project.snapshot)) }
        case .routes(let routes): follow(routes)
        case .policy(let policy):
            self.policy = policy
            client.peerLoss = policy.limits.peerLoss
            for project in projects.values { project.reload() }
        case .sessionIndex(let message): sessionIndex.receive(message)
        case .opened(let name, let run, let directory): projects[name]?.opened(directory, in: run)
        case .requestPosition(let name, let loop, let number):
            let requested = name.map { project($0) }
            for project in requested.map({ [$0] }) ?? Array(projects.values) { project.readArrived() }
            positionRequests.append((requested, loop, number))
            scheduleFlush()
        case .subscribe(let name, let report):
            subscribers[project(name).name, default: []].append(report)
            changedProjects.insert(name)
            scheduleFlush()
        case .query(let name, let query, let report):
            if let project = projects[name] { project.sendQuery(query, report: report) } else { report(.nothing) }
        case .progress(let slot, let report): report(progress[slot])
        case .answer(let report): report()
        case .folderIsFree: useFolder()
        case .stop: loop.stop()
        }
    }

    private func follow(_ routes: RoutingTable) {
        self.routes = routes
        progress.makeRoom(for: routes)
        sessionIndex.follow(routes)
        for project in projects.values where routes.route(to: project.name)?.endpoint == nil {
            project.follow(routes.route(to: project.name))
        }
        for route in routes.reachable { project(route.name).follow(route) }
    }

    private func project(_ name: ProjectName) -> HubProject {
        if let known = projects[name] { return known }
        let project = HubProject(self, name)
        projects[name] = project
        publish(.snapshot(project.snapshot))
        return project
    }

    // MARK: Updates for the loops

    /// Queues an update. At the end of the pass, each loop receives one message with all updates.
    func publish(_ item: EventUpdate) {
        if case .snapshot(let snapshot) = item {
            snapshots.set(snapshot)
            scheduleReport(snapshot.project)
        }
        flushPendingEvents()
        updates.append(item)
        scheduleFlush()
    }

    /// Whether the last queued update is an event of this project, so that another event can be appended to it.
    func hasPendingEvents(_ project: ProjectName) -> Bool { pendingEvents?.project == project }

    /// Queues an event. `from` is the position before the event; nil if ``hasPendingEvents(_:)`` is true.
    func addPending(_ project: ProjectName, _ event: StoredEvent, from: LogPosition?) {
        if let from {
            flushPendingEvents()
            pendingEvents = (project, [.event(event)], from, event.after)
        } else {
            pendingEvents?.items.append(.event(event))
            pendingEvents?.to = event.after
        }
        scheduleFlush()
    }

    private func flushPendingEvents() {
        guard let pending = pendingEvents else { return }
        pendingEvents = nil
        updates.append(.events(pending.project, pending.items, from: pending.from, to: pending.to))
        scheduleReport(pending.project)
    }

    private func scheduleReport(_ name: ProjectName) {
        if !subscribers.isEmpty, subscribers[name] != nil { changedProjects.insert(name) }
    }

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfPass(self)
    }

    // MARK: Session index

    /// The time limit for a query about a session. The limit is short, because events wait for the instance's response.
    let lookupTimeout = Duration.milliseconds(500)

    var hasUnread: Bool { mailbox?.hasUnread ?? false }

    var sessionIndexPost: (@Sendable (SessionIndexMessage) -> Void)? {
        guard let mailbox else { return nil }
        return { mailbox.post(.sessionIndex($0)) }
    }

    func broadcast(_ message: SessionIndexMessage) {
        for loop in loops { loop.post(.feature(message)) }
        sessionIndex.receive(message)
    }

    // MARK: Retention

    private static let trimInterval = Duration.seconds(60)

    /// Removes events that are too old, and events beyond the total size limit.
    private func trim() {
        let now = WallClock.milliseconds
        for project in projects.values { project.log.trim(now: now) }
        index.trim(now: now, oldest: 0)
        enforceTotal(keepsNewest: false)
    }

    /// Schedules a check of the total size, because a log has a new segment.
    func segmentBegan() {
        isTotalDue = true
        scheduleFlush()
    }

    // MARK: Full disk

    /// Retries the disk every 5 s while a log is in memory, even if no new events arrive.
    func diskFailed() {
        let retry = diskRetry ?? DiskRetry(self)
        diskRetry = retry
        retry.arm()
    }

    /// Writes the events in memory to the disk if the disk is usable again. Returns whether a log is still in memory.
    fileprivate func retryDisk() -> Bool {
        var isWaiting = false
        for project in projects.values {
            project.retryDisk()
            isWaiting = isWaiting || project.log.isWaitingForDisk
        }
        if index.isWaitingForDisk { index.retryDisk(now: WallClock.milliseconds) }
        reportIndexStorage()
        return isWaiting || index.isWaitingForDisk
    }

    private func reportIndexStorage() {
        let isInMemory = index.isWaitingForDisk
        guard isInMemory != isIndexInMemory else { return }
        isIndexInMemory = isInMemory
        // Use a field other than `project`, because a project may be named `all_projects`.
        let allProjects = LogField("scope", "all_projects")
        if isInMemory {
            log.warning(HubProject.inMemory, allProjects, LogField("reason", index.warning ?? ""))
            diskFailed()
        } else {
            log.notice(HubProject.backOnDisk, allProjects)
        }
    }

    private func enforceTotal(keepsNewest: Bool) {
        isTotalDue = false
        let names = Array(projects.keys)
        let plan = RetentionPlan.removals(
            names.map { projects[$0]?.log.segments ?? [] }, total: settings.total,
            keepsNewest: keepsNewest)
        for (name, count) in zip(names, plan) where count > 0 { projects[name]?.log.removeOldest(count) }
    }
}

extension HubLoop: PassHandler {
    func passEnded() {
        isFlushScheduled = false
        flushPendingEvents()
        reportIndexStorage()
        if isTotalDue { enforceTotal(keepsNewest: true) }
        // Call the subscribers before the loops receive their updates. The subscribers send their results to the loops,
        // and loops that are busy with the updates would delay these results.
        for name in changedProjects {
            guard let project = projects[name] else { continue }
            for report in subscribers[name] ?? [] { report(project.snapshot, project.log.end) }
        }
        changedProjects.removeAll(keepingCapacity: true)
        if !updates.isEmpty {
            let updates = self.updates
            self.updates.removeAll(keepingCapacity: true)
            for loop in loops { loop.post(.feature(EventStreamMessage.updates(updates))) }
        }
        for request in positionRequests {
            let position = request.project?.log.end ?? index.end
            request.loop.post(.feature(EventStreamMessage.position(number: request.number, position)))
        }
        positionRequests.removeAll(keepingCapacity: true)
    }
}

extension HubLoop: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        trim()
        loop.arm(timer, after: Self.trimInterval)
    }
}

/// The timer that retries the disk while a log is in memory.
private final class DiskRetry: TimerHandler {
    /// The interval between attempts, which is the same as for `state.db`.
    private static let interval = Duration.seconds(5)

    private unowned let hub: HubLoop
    private var timer: LoopTimer?

    init(_ hub: HubLoop) { self.hub = hub }

    /// Starts the timer unless it is running.
    func arm() {
        guard timer == nil else { return }
        let timer = hub.loop.timer(self)
        self.timer = timer
        hub.loop.arm(timer, after: Self.interval)
    }

    func timerFired(_ timer: LoopTimer) {
        if hub.retryDisk() {
            hub.loop.arm(timer, after: Self.interval)
        } else {
            hub.loop.cancel(timer)
            self.timer = nil
        }
    }
}
