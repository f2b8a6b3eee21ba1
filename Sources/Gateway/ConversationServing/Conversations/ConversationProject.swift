// SPDX-License-Identifier: Apache-2.0

import Conversations
import EventHub
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
import Logging
internal import Projects
internal import Storage

/// The conversations of one project, with their state, their clients, and the requests to the project's OpenCode.
///
/// The actor's executor is the conversations thread, and all its tasks run there. The thread's other objects call the
/// actor through `assumeIsolated`.
actor ConversationProject {
    /// The objects that all projects of the thread share.
    struct Context: Sendable {
        let setUp: ConversationSetUp
        let executor: LoopExecutor
        let control: any ProjectControl
        let log: Logger
        /// Runs work on the thread, after all work that was posted earlier.
        let post: @Sendable (@escaping ConversationService.Work) -> Void
        var limits = Limits()
    }

    /// The time limits of the tasks.
    struct Limits: Sendable {
        /// The maximum time until the stored entries are read and the subscription is active. After this time, the
        /// gateway serves clients without the entries or the events.
        var start = Duration.seconds(30)
        /// The maximum time from the result of a start until the routing table contains the instance.
        var route = Duration.seconds(1)
        /// The maximum time until the hub receives the instance's events. A prompt that is sent earlier could cause
        /// events that the hub misses. After this time, the gateway sends the request in any case, and finds the answer
        /// through periodic checks.
        var events = Duration.seconds(10)
    }

    /// The number of milliseconds without an event of an answer after which the gateway queries whether OpenCode still
    /// works on the answer.
    private static let quiet: Int64 = 30_000

    nonisolated let name: ProjectName
    nonisolated let context: Context
    nonisolated var unownedExecutor: UnownedSerialExecutor { context.executor.asUnownedSerialExecutor() }

    /// The state. Each change resumes the tasks whose condition the new state meets.
    var state: ConversationState {
        didSet { if suspended.includesStateWaits { resumeMetConditions() } }
    }

    var limits: Limits
    var suspended = SuspendedTasks()
    /// Whether the thread is about to end, so that no task is suspended any more.
    private(set) var hasEnded = false
    var chats: [Int: Chat] = [:]
    var streams: [Int: AnswerClient] = [:]
    /// The mailboxes of the loops, which send the requests to OpenCode.
    var loops: [Mailbox<LoopMessage>]
    var routes: RoutingTable
    var commits = CommitQueue()
    /// The events of the project's OpenCode.
    private(set) var feed: ConversationFeed?

    private let folder: String
    private var loadState = LoadState.idle
    /// Whether reading the stored entries has finished, successfully or not.
    private var isLoaded = false
    private var hasFailed = false
    private var receivesEvents = false
    private var waitingWork: [() -> Void] = []
    private var checking: Set<String> = []
    private var count = 0

    init(_ name: ProjectName, _ context: Context, loops: [Mailbox<LoopMessage>], routes: RoutingTable) {
        self.name = name
        self.context = context
        limits = context.limits
        self.loops = loops
        self.routes = routes
        let home = context.setUp.home
        folder = (home.hasSuffix("/") ? home : home + "/") + name.string
        state = ConversationState(directory: folder)
    }

    /// Runs work of this project on the thread, after all work that was posted earlier. Any thread
    /// may call this method.
    nonisolated func post(_ work: @escaping @Sendable (isolated ConversationProject) -> Void) {
        context.post { _ in self.assumeIsolated(work) }
    }

    /// Runs work of this project on the thread after a delay.
    @discardableResult
    func later(_ delay: Duration, _ work: @escaping @Sendable (isolated ConversationProject) -> Void)
        -> LoopExecutor.DelayedCall
    {
        context.executor.call(after: delay) { self.assumeIsolated(work) }
    }

    /// Returns a new number for a task or a stream.
    func nextNumber() -> Int {
        count += 1
        return count
    }

    // MARK: Start and end

    /// Reads the stored entries and subscribes to the events.
    func start(_ hub: Mailbox<HubMessage>?) {
        load()
        feed = hub.map { ConversationFeed(name, $0) }
        feed?.subscribe(for: self)
        later(limits.start) { $0.startedLate() }
    }

    /// Ends all tasks, because the thread is about to end.
    func end() {
        hasEnded = true
        waitingWork = []
        streams = [:]
        for number in suspended.numbers(where: { _ in true }) { resume(number, .ended) }
    }

    private func startedLate() {
        isLoaded = true
        receivesEvents = true
        runWaitingWork()
    }

    /// Records that the subscription is active, so that no event of OpenCode is missed from now on.
    func startedReceiving() {
        receivesEvents = true
        runWaitingWork()
    }

    /// Runs the work as soon as the stored entries are known and the subscription is active.
    func whenReady(_ work: @escaping () -> Void) {
        if isReady, waitingWork.isEmpty { work() } else { waitingWork.append(work) }
    }

    var isReady: Bool { isLoaded && receivesEvents }

    private func runWaitingWork() {
        guard isReady else { return }
        let works = waitingWork
        waitingWork = []
        for work in works { work() }
        let waiting = suspended.numbers { if case .start = $0 { true } else { false } }
        for number in waiting { resume(number, .event) }
    }

    // MARK: Storage

    private enum LoadState {
        case idle, underWay, done
    }

    private func load() {
        guard loadState == .idle else { return }
        loadState = .underWay
        startReading(Array(folder.utf8))
    }

    /// Starts the task that reads the stored entries. The task does not run on the conversations thread.
    private nonisolated func startReading(_ folder: [UInt8]) {
        let store = context.setUp.store
        Task {
            do {
                let entries = try await store?.entries(of: folder) ?? []
                post { $0.loaded(entries) }
            } catch {
                post { $0.failed("\(error)") }
            }
        }
    }

    private func loaded(_ entries: [ConversationTable.Entry]) {
        loadState = .done
        if hasFailed {
            context.log.notice("stored conversations are readable again", LogField("project", name.string))
        }
        state.recall(entries)
        isLoaded = true
        save()
        runWaitingWork()
    }

    /// Continues without the stored entries and tries to read them again later. The gateway writes nothing before it
    /// has read the entries, because a write would overwrite them.
    private func failed(_ reason: String) {
        loadState = .idle
        if !hasFailed {
            context.log.error(
                "cannot read stored conversations", LogField("project", name.string),
                LogField("reason", reason))
        }
        hasFailed = true
        isLoaded = true
        runWaitingWork()
    }

    /// Stores the changes once the stored entries are known. Returns whether there were any changes.
    @discardableResult
    func save() -> Bool {
        let changes = state.takeChanges()
        guard !changes.isEmpty, let store = context.setUp.store else { return false }
        store.keep(changes, of: Array(folder.utf8))
        return true
    }

    /// Stores the changes that a client has made. Later messages to clients wait until the changes are committed, so
    /// that the client finds its changes again even if the gateway ends.
    func commit() {
        guard save() else { return }
        let commit = commits.startCommit()
        context.setUp.store?.flush { self.post { $0.commits.committed(commit) } }
    }

    // MARK: Events

    /// Applies OpenCode's events to the project's conversations and chats.
    func receive(_ events: [TranslatedEvent]) {
        for event in events {
            switch event {
            case .event(let event): publish(state.receive(event, at: now), except: nil)
            case .gap: check(state.missed())
            }
        }
        save()
        for pending in state.removePendingEnds() {
            later(.milliseconds(Abort.patience)) { project in
                project.publish(project.state.stopWaiting(pending, at: project.now), except: nil)
                project.save()
            }
        }
    }

    /// Processes events from before the subscription.
    func replay(_ events: [TranslatedEvent]) {
        for event in events {
            switch event {
            case .event(let event): state.replay(event, at: now)
            case .gap(let gap): state.replayGap(endsTurns: gap.reason.endsTurns)
            }
        }
    }

    /// Records that all earlier events of unfinished answers were replayed.
    func replayed() {
        let open = state.endReplay()
        startedReceiving()
        // The log may not contain the end of an answer, so query OpenCode for the end.
        check(open)
    }

    /// Records that the instance's run is over.
    func instanceEnded() {
        let reason =
            "OpenCode of project \(name.string) ended before the answer was complete. "
            + "Check the conversation before you send the message again."
        publish(state.instanceEnded(reason, at: now), except: nil)
        save()
    }

    /// Records that a client of OpenCode is about to abort the work of a session.
    func expectAbort(of session: String) { state.expectAbort(of: session) }

    /// Sets a new routing table.
    func follow(_ table: RoutingTable) {
        routes = table
        resumeCalls()
    }

    /// Performs the periodic work of the project.
    func tick() {
        load()
        commits.tick()
        for number in streams.keys.sorted() { wakeStream(number) }
        check(state.quiet(for: Self.quiet, at: now))
    }

    private func check(_ sessions: [String]) {
        for session in sessions where checking.insert(session).inserted {
            let check = state.check(session)
            _ = Task.immediate(executorPreference: executor) {
                if let events = try? await self.finish(check, for: .gateway) { self.publish(events, except: nil) }
                self.checking.remove(session)
                self.save()
            }
        }
    }
}
