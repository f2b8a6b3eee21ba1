// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import EventHub
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
import JSONText
import Logging
internal import Projects
internal import Storage
import WebSockets

/// The conversations of one project, with their state, their clients, and the requests to the project's OpenCode.
final class ConversationProject {
    /// The time in milliseconds without an event of an answer after which OpenCode is queried whether it still works on
    /// the answer.
    private static let quiet: Int64 = 30_000

    unowned let coordinator: ConversationCoordinator
    let name: ProjectName
    var state: ConversationState
    var chats: [Int: ConversationChat] = [:]
    var streams: [Int: ConversationStream] = [:]
    private var loadState = LoadState.idle
    /// Whether reading the stored entries has finished, successfully or not.
    private var isLoaded = false
    private var hasFailed = false
    private var receivesEvents = false
    private var waiting: [() -> Void] = []
    private var checking: Set<String> = []
    /// The calls that wait for a route to the instance or for its events, in order.
    private var waitingCalls: [ConversationCall] = []
    /// Plans that wait for the end of an aborted turn in a session.
    private var endWaiters: [Int: (session: String, work: () -> Void)] = [:]
    private let folder: String
    private var commits = CommitQueue()
    /// The events of the project's OpenCode.
    private(set) var feed: ConversationFeed?

    init(_ coordinator: ConversationCoordinator, _ name: ProjectName) {
        self.coordinator = coordinator
        self.name = name
        folder =
            (coordinator.setUp.home.hasSuffix("/") ? coordinator.setUp.home : coordinator.setUp.home + "/")
            + name.string
        state = ConversationState(directory: folder)
    }

    /// Reads the stored entries and subscribes to the events.
    func start() {
        load()
        feed = coordinator.hub.map { ConversationFeed(self, $0) }
        feed?.subscribe()
    }

    // MARK: Storage

    private enum LoadState {
        case idle, underWay, done
    }

    private func load() {
        guard loadState == .idle, let post = coordinator.post else { return }
        loadState = .underWay
        let name = name
        let folder = Array(folder.utf8)
        let store = coordinator.setUp.store
        Task {
            do {
                let entries = try await store?.entries(of: folder) ?? []
                post { $0.known(name)?.loaded(entries) }
            } catch {
                post { $0.known(name)?.failed("\(error)") }
            }
        }
    }

    private func loaded(_ entries: [ConversationTable.Entry]) {
        loadState = .done
        if hasFailed {
            coordinator.log.notice("stored conversations are readable again", LogField("project", name.string))
        }
        state.recall(entries)
        isLoaded = true
        save()
        runWaiting()
    }

    /// Continues without the stored entries and tries to read them again later. Nothing is written before that, because
    /// it would overwrite the stored entries.
    private func failed(_ reason: String) {
        loadState = .idle
        if !hasFailed {
            coordinator.log.error(
                "cannot read stored conversations", LogField("project", name.string),
                LogField("reason", reason))
        }
        hasFailed = true
        isLoaded = true
        runWaiting()
    }

    /// Records that the subscription is active, so that no event of OpenCode is missed from now on.
    func startedReceiving() {
        receivesEvents = true
        runWaiting()
    }

    /// Records that all earlier events of unfinished answers were replayed.
    func replayed() {
        let open = state.endReplay()
        startedReceiving()
        // The log may not contain the end of an answer, so query OpenCode for the end.
        check(open)
    }

    /// Runs the work as soon as the stored entries are known and the subscription is active.
    func whenReady(_ work: @escaping () -> Void) {
        if isLoaded, receivesEvents, waiting.isEmpty { work() } else { waiting.append(work) }
    }

    private func runWaiting() {
        guard isLoaded, receivesEvents else { return }
        let works = waiting
        waiting = []
        for work in works { work() }
    }

    /// Stores the changes once the stored entries are known. Returns whether there were any changes.
    @discardableResult
    func save() -> Bool {
        let changes = state.takeChanges()
        guard !changes.isEmpty, let store = coordinator.setUp.store else { return false }
        store.keep(changes, of: Array(folder.utf8))
        return true
    }

    /// Stores the changes that a client has made. Later messages to clients wait until the changes are committed, so
    /// that the client finds its changes again even if the gateway ends.
    func saveBeforeSending() {
        guard save(), let post = coordinator.post else { return }
        let name = name
        let commit = commits.startCommit()
        coordinator.setUp.store?.flush { post { $0.known(name)?.commits.committed(commit) } }
    }

    /// Sends content to clients, in the order of the calls. The content is determined before the call, and only the
    /// sending may be delayed.
    func send(_ send: @escaping () -> Void) { commits.add(send) }

    // MARK: Events

    /// Applies the project's events to its conversations and chats.
    func receive(_ events: [TranslatedEvent]) {
        let now = coordinator.now
        for event in events {
            switch event {
            case .event(let event): publish(state.receive(event, at: now))
            case .gap: check(state.missed())
            }
        }
        save()
        for held in state.removePendingEnds() {
            coordinator.later(.milliseconds(Abort.patience)) { [self] in
                publish(state.stopWaiting(held, at: coordinator.now))
                save()
                resumeEndWaiters()
            }
        }
        resumeEndWaiters()
    }

    /// Processes events from before the subscription.
    func replay(_ events: [TranslatedEvent]) {
        let now = coordinator.now
        for event in events {
            switch event {
            case .event(let event): state.replay(event, at: now)
            case .gap(let gap): state.replayGap(endsTurns: gap.reason.endsTurns)
            }
        }
    }

    /// Records that the instance's run is over.
    func instanceEnded() {
        let reason =
            "OpenCode of project \(name.string) ended before the answer was complete. "
            + "Check the conversation before you send the message again."
        publish(state.instanceEnded(reason, at: coordinator.now))
        save()
        resumeEndWaiters()
    }

    /// Sends events to all clients that they concern, except the chat with the number `one`.
    func publish(_ events: [ConversationEvent], except one: Int? = nil) {
        guard !events.isEmpty else { return }
        let now = coordinator.now
        for event in events {
            let lines = chats.values.filter { $0.number != one }.compactMap { $0.receive(event) }
            if !lines.isEmpty {
                let frames = state.chatTexts(event).map(Frame.text)
                if !frames.isEmpty { send { ChatLine.send(frames, over: lines) } }
            }
            for stream in Array(streams.values) { stream.receive(event, at: now) }
        }
    }

    /// Performs the periodic work of the project.
    func tick() {
        let now = coordinator.now
        load()
        commits.tick()
        for stream in Array(streams.values) { stream.wake(at: now) }
        check(state.quiet(for: Self.quiet, at: now))
    }

    private func check(_ sessions: [String]) {
        for session in sessions where checking.insert(session).inserted {
            run(state.check(session), for: .gateway) { [self] result in
                checking.remove(session)
                guard case .success(let check) = result else { return }
                publish(state.checked(check, at: coordinator.now))
                save()
            }
        }
    }

    // MARK: Plans

    /// Runs the steps of a plan.
    func run<Value>(
        _ plan: Plan<Value>, for initiator: RequestInitiator,
        _ done: @escaping (Result<Value, ConversationError>) -> Void
    ) {
        switch plan {
        case .pause(let milliseconds, let next):
            coordinator.later(.milliseconds(milliseconds)) { [self] in run(next(), for: initiator, done) }
        case .aborting(let session, let next):
            state.abort(session)
            run(next(), for: initiator, done)
        case .ended(let session, let next):
            afterEnd(in: session) { [self] in run(next(state.isBusy(session)), for: initiator, done) }
        case .store(let catalogue, let next):
            state.catalogue = catalogue
            run(next(), for: initiator, done)
        case .done(let value): done(.success(value))
        case .refused(let refusal): done(.failure(refusal))
        case .send(let request, let next):
            call(request, for: initiator) { [self] answer in run(next(answer), for: initiator, done) }
        }
    }

    /// Records that a client of OpenCode is about to abort the work of a session.
    func expectAbort(of session: String) { state.expectAbort(of: session) }

    /// Calls `work` after the aborted turn of a session has ended, or after ``Abort/patience``.
    private func afterEnd(in session: String, _ work: @escaping () -> Void) {
        guard state.isEnding(session) else { return work() }
        let number = coordinator.number()
        endWaiters[number] = (session, work)
        coordinator.later(.milliseconds(Abort.patience)) { [self] in
            guard endWaiters[number] != nil else { return }
            publish(state.stopWaitingForEnd(of: session, at: coordinator.now))
            save()
            resumeEndWaiters()
        }
    }

    private func resumeEndWaiters() {
        for number in endWaiters.keys.sorted() {
            guard let waiter = endWaiters[number], !state.isEnding(waiter.session) else { continue }
            endWaiters[number] = nil
            waiter.work()
        }
    }

    // MARK: Calls

    /// Sends a request to the project's OpenCode.
    ///
    /// - Parameter answered: Called on this thread with the response.
    func call(_ request: ClientRequest, for initiator: RequestInitiator, _ answered: @escaping (OpenCodeAnswer) -> Void)
    {
        ConversationCall(self, request, for: initiator, answered: answered).attempt()
    }
    /// Retains a call until ``resumeCalls()`` or ``resume(_:)``.
    func wait(_ call: ConversationCall) { waitingCalls.append(call) }

    /// Resumes the waiting calls, because the routing table or the project's snapshot has changed.
    func resumeCalls() {
        let calls = waitingCalls
        waitingCalls = []
        for call in calls { call.attempt() }
    }

    /// Resumes a call whose time limit has passed.
    func resume(_ call: ConversationCall) {
        waitingCalls.removeAll { $0 === call }
        call.attempt()
    }
}
