// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import EventLoop
import GatewayCore
internal import Instances
import Logging
import OpenCodeFamilies
internal import Projects

/// A project's events on the hub's thread: the log, and the event stream of the running instance.
final class HubProject: TimerHandler {
    let name: ProjectName
    let log: EventLog
    private unowned let hub: HubLoop
    private let subscribers = HubSnapshot.Subscribers()
    private var run: Run?
    private var upstream = HubSnapshot.Upstream.off
    private var since = WallClock.milliseconds
    private var warnings: [String] = []
    /// The reason for the gap before the next run's generation; nil if there is no gap.
    private var reason: EventGap.Reason?
    /// Whether the index of all projects has a gap after the project's last event.
    private var hasIndexedGap = false
    /// Whether the instance's stream is lost and no other stream has begun since then.
    private var isLost = false
    private var timer: LoopTimer?
    private var encoding: EventEncoding
    /// Whether the run's streams omit the events of directories outside the project.
    private var isPinned = false
    /// The number of the log's newest segment when the total size limit was last enforced.
    private var newestSegment: UInt64 = 0
    /// Whether the gateway has logged that the events are in memory until the disk is usable.
    private var isInMemory = false
    private(set) lazy var snapshot = makeSnapshot()

    /// The log message when events are kept in memory because the disk is unusable.
    static let inMemory = "events are not kept on the disk"
    /// The log message when events that were in memory are on the disk again.
    static let backOnDisk = "events are kept on the disk again"

    /// A run whose events the hub receives.
    private final class Run {
        let route: RoutingTable.Route
        let endpoint: InstanceEndpoint
        let traits: EventStreamTraits
        var state: SubscriptionState
        /// The open streams by their numbers. A second stream exists while the hub checks whether the
        /// first stream is stalled.
        var streams: [Int: UpstreamEventStream] = [:]
        var connected: ConnectedFrame?
        var translatedConnected: ConnectedFrame?
        var opened: Set<[UInt8]> = []

        init(_ route: RoutingTable.Route, _ endpoint: InstanceEndpoint) {
            self.route = route
            self.endpoint = endpoint
            traits = EventStreamTraits(endpoint.family, version: endpoint.version)
            state = SubscriptionState(
                .init(
                    silence: Int64(traits.silence) * 1_000_000_000, settling: Int64(traits.settling) * 1_000_000))
        }
    }

    init(_ hub: HubLoop, _ name: ProjectName) {
        self.hub = hub
        self.name = name
        log = EventLog.open(
            hub.settings.folder, project: name.string, limits: hub.settings.limits, now: WallClock.milliseconds,
            obstacle: hub.obstacle)
        encoding = hub.settings.encoding(name) ?? hub.policy.eventEncoding
        reason = reasonAfterStart
        hasIndexedGap = log.endsInGap
        // If there is an obstacle, the gateway has already logged it.
        if let warning = log.warning, hub.obstacle == nil {
            hub.log.warning(Self.inMemory, LogField("project", name.string), LogField("reason", warning))
        }
        awaitDisk()
    }

    /// The reason for the gap between the stored events of an earlier gateway process and the first run. The reason is
    /// nil if no events were stored. The reason is also nil if the earlier process recorded a gap when it ended,
    /// because that gap has the same cause.
    private var reasonAfterStart: EventGap.Reason? {
        log.summary.last == nil || log.endsInGap ? nil : .gatewayRestarted
    }

    /// Starts to use the logs' directory, which belongs to this gateway now.
    func useFolder() {
        let isNew = log.lastGeneration == 0
        log.useFolder(now: WallClock.milliseconds)
        if isNew {
            reason = reasonAfterStart
            hasIndexedGap = log.endsInGap
        }
        if let warning = log.warning {
            hub.log.warning(Self.inMemory, LogField("project", name.string), LogField("reason", warning))
        }
        awaitDisk()
        publish()
    }

    // MARK: Full disk

    /// Records whether the log waits for the disk. If the log waits, the hub retries the disk.
    private func awaitDisk() {
        isInMemory = log.isWaitingForDisk
        if isInMemory { hub.diskFailed() }
    }

    /// Logs that the event log has moved to memory because the disk is unusable, or that it is on the disk again.
    private func reportStorage() {
        guard log.isWaitingForDisk != isInMemory else { return }
        awaitDisk()
        if isInMemory {
            hub.log.warning(
                Self.inMemory, LogField("project", name.string), LogField("reason", log.warning ?? ""))
        } else {
            hub.log.notice(Self.backOnDisk, LogField("project", name.string))
        }
    }

    /// Writes the events in memory to the disk if the disk is usable again.
    func retryDisk() {
        guard log.isWaitingForDisk else { return }
        log.retryDisk(now: WallClock.milliseconds)
        reportStorage()
        // The logs on the disk may now exceed the total size limit, so enforce this limit.
        if !isInMemory { hub.segmentBegan() }
    }

    // MARK: Runs

    /// Applies the project's route, which may have changed.
    func follow(_ route: RoutingTable.Route?) {
        guard let route, let endpoint = route.endpoint else {
            guard run != nil else { return }
            let isEnding = route.map { $0.state == .stopping || $0.state == .stopped } ?? true
            return endRun(isEnding || route?.stopInitiator != nil ? .stopped : .instanceRestarted)
        }
        guard run?.endpoint.generation != endpoint.generation else { return }
        endRun(.instanceRestarted)
        let next = Run(route, endpoint)
        run = next
        if let reason { index(reason) }
        log.beginGeneration(now: WallClock.milliseconds, after: reason)
        reason = nil
        encoding = hub.settings.encoding(name) ?? hub.policy.eventEncoding
        isPinned = hub.policy.pinsDirectories
        change(to: .waiting)
        perform(next.state.on(.begin, at: MonotonicTime.now.nanoseconds))
    }

    private func endRun(_ reason: EventGap.Reason) {
        guard let run else { return }
        for stream in run.streams.values { stream.close() }
        self.run = nil
        recordGap(reason)
        isLost = false
        warnings = []
        timer?.disarm()
        change(to: .off)
        hub.publish(.lost(name))
    }

    /// Applies the settings after a reload.
    func reload() {
        encoding = hub.settings.encoding(name) ?? hub.policy.eventEncoding
        if run != nil, isPinned != hub.policy.pinsDirectories {
            // A stream determines at its beginning which events it omits, so the new setting requires a new stream.
            endRun(.upstreamLost)
            return follow(hub.routes.route(to: name))
        }
        publish()
    }

    /// Closes all streams, because the gateway is shutting down.
    func close() {
        for stream in run?.streams.values ?? [:].values { stream.close() }
        run = nil
        if let timer { hub.loop.cancel(timer) }
        timer = nil
    }

    /// Reads the bytes that have arrived from the instance, including those that the loop has not reported yet.
    func readArrived() {
        // Iterate over a copy, because reading may end a stream.
        for stream in run.map({ Array($0.streams.values) }) ?? [] { stream.readArrived() }
    }

    /// Records that a stream has opened a directory.
    func opened(_ directory: [UInt8], in generation: UInt64) {
        guard let run, run.endpoint.generation == generation, run.opened.insert(directory).inserted else { return }
        publish()
    }

    // MARK: Subscription

    private func on(_ event: SubscriptionState.Event) {
        guard let run else { return }
        perform(run.state.on(event, at: MonotonicTime.now.nanoseconds))
    }

    private func perform(_ actions: [SubscriptionState.Action]) {
        for action in actions {
            guard let run else { return }
            switch action {
            case .open(let number):
                run.streams[number] = UpstreamEventStream(
                    self, hub: hub, route: run.route, endpoint: run.endpoint, traits: run.traits, number: number)
            case .close(let number): run.streams.removeValue(forKey: number)?.close()
            case .follow(let number):
                if !warnings.isEmpty {
                    warnings = []
                    publish()
                }
                if isLost { recordGap(.upstreamLost) }
                isLost = false
                run.streams[number]?.follow()
            case .announce: change(to: .connected)
            case .lost:
                // Record the gap only after another stream has begun. If the instance's process has ended instead,
                // `endRun(_:)` records the gap with the reason for that end.
                isLost = true
                change(to: .waiting)
                hub.publish(.lost(name))
            case .warn:
                // If the instance has refused the stream, keep that warning, because it is more specific.
                if warnings.isEmpty { warn(Self.streamNotStarted) }
            }
        }
        arm()
    }

    private func arm() {
        guard let deadline = run?.state.deadline else {
            timer?.disarm()
            return
        }
        let timer = timer ?? hub.loop.timer(self)
        self.timer = timer
        hub.loop.arm(timer, at: MonotonicTime(nanoseconds: deadline))
    }

    func timerFired(_ timer: LoopTimer) { on(.due) }

    // MARK: Reports of the streams

    func opened(_ number: Int) { on(.opened(number)) }

    /// Records that the instance has refused the stream, for the reason in `sentence`.
    func refused(_ number: Int, _ sentence: String) {
        run?.streams[number] = nil
        if warnings != [sentence] { warn(sentence) }
        on(.refused(number))
    }

    private func warn(_ sentence: String) {
        warnings = [sentence]
        publish()
        hub.log.warning(
            "no events from the instance", LogField("project", name.string), LogField("reason", sentence))
    }

    private static let streamNotStarted =
        "OpenCode does not begin the event stream that the gateway requested. This project's event streams are on hold until that stream begins. Check OpenCode's log."

    func received(_ number: Int) {
        // The state usually only records the time. The state acts if there is a second stream or
        // the deadline has passed.
        on(.received(number))
    }

    func connected(_ number: Int) { on(.connected(number)) }

    func ended(_ number: Int) {
        run?.streams[number] = nil
        on(.ended(number))
    }

    // MARK: Events

    /// Handles a frame of the followed stream.
    func receive(_ frame: FrameReader.Frame, _ sessionIndex: EventSessionIndex?) {
        guard let run else { return }
        switch frame {
        case .other(let bytes): hub.publish(.comment(name, bytes))
        case .tooLarge:
            hub.log.warning(
                "an event was omitted because it is too large", LogField("project", name.string),
                LogField("limit_bytes", HubLoop.largestEvent))
            recordGap(.tooLarge)
            publish()
        case .event(let data):
            var skeleton = EventSkeleton(line: data.span, family: run.endpoint.family ?? .one)
            if skeleton.isConnected {
                run.connected = ConnectedFrame(data, payload: skeleton.payload)
                if run.endpoint.family == .two {
                    run.translatedConnected = ConnectedFrame(translating: data)
                }
                return publish()
            }
            guard !skeleton.isHeartbeat else {
                return hub.publish(.heartbeat(name, ConnectedFrame(data, payload: skeleton.payload)))
            }
            if skeleton.directory == nil, let session = skeleton.session, let sessionIndex,
                case .directory(let directory)? = sessionIndex.sessions[session]
            {
                skeleton.directory = directory
            }
            let from = hub.hasPendingEvents(name) ? nil : log.end
            recordTurn(skeleton, data.span, of: run)
            let event = log.append(skeleton, line: data.span, time: WallClock.milliseconds)
            _ = hub.index.append(name.string, event.id, time: event.time)
            hasIndexedGap = false
            hub.addPending(name, event, from: from)
            checkSegment(of: event.after)
            if skeleton.isDispose, let directory = skeleton.directory {
                run.opened.remove(directory)
                publish()
                hub.publish(.disposed(name, directory: directory, event.id))
            }
            if skeleton.isShutdown, let directory = skeleton.directory {
                hub.publish(.disposed(name, directory: directory, event.id))
            }
        }
    }

    /// Reports an event that begins or ends a turn of an OpenCode 2 instance to ``TurnEnds``. Call this method before
    /// the event is in the log, because a stream may read the log at any time.
    private func recordTurn(_ skeleton: EventSkeleton, _ line: borrowing Span<UInt8>, of run: Run) {
        guard run.endpoint.family == .two, let session = skeleton.session,
            let mark = TurnBoundary(skeleton, payload: line)
        else { return }
        hub.turnEnds.record(mark, of: session, name, at: log.nextID)
    }

    /// Records a gap after the last event in the log and in the index of all projects.
    private func recordGap(_ reason: EventGap.Reason) {
        hub.turnEnds.recordGap(name)
        log.append(gap: reason, time: WallClock.milliseconds)
        index(reason)
        checkSegment(of: log.end)
    }

    /// Records a gap after the last event in the index of all projects.
    private func index(_ reason: EventGap.Reason) {
        hub.index.append(
            name.string, EventGap(reason, from: log.end.last, to: nil), time: WallClock.milliseconds,
            isRepeated: hasIndexedGap)
        hasIndexedGap = true
    }

    /// Enforces `--event-keep-total` if the log has begun a segment. Only a new segment takes more disk space.
    private func checkSegment(of end: LogPosition) {
        guard end.segmentNumber != newestSegment else { return }
        newestSegment = end.segmentNumber
        reportStorage()
        hub.segmentBegan()
    }

    // MARK: Queries of translations

    /// Queries the running instance for a fact that a translation needs.
    ///
    /// - Parameter report: Called once, on this thread.
    func sendQuery(_ query: TranslationQuery, report: @escaping (TranslationAnswer) -> Void) {
        guard let run, run.endpoint.family == .two else { return report(.nothing) }
        let directory = run.route.scope?.workingDirectory ?? [UInt8(ascii: "/")]
        TranslationLookup.start(query, at: run.endpoint, in: directory, with: hub.client, report: report)
    }

    // MARK: Updates for the loops

    private func change(to upstream: HubSnapshot.Upstream) {
        if self.upstream != upstream { since = WallClock.milliseconds }
        self.upstream = upstream
        publish()
    }

    private func publish() {
        snapshot = makeSnapshot()
        hub.publish(.snapshot(snapshot))
    }

    private func makeSnapshot() -> HubSnapshot {
        HubSnapshot(
            project: name, log: log, upstream: upstream, since: since, run: run?.endpoint.generation,
            connected: run?.connected, translatedConnected: run?.translatedConnected, opened: run?.opened ?? [],
            encoding: encoding, warnings: warnings, subscribers: subscribers)
    }
}
