// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
internal import Projects

/// The events of a project's OpenCode in the format of OpenCode 1's API. The conversations' thread reads them from the
/// hub's log directly, without a loop in between.
final class ConversationFeed {
    /// The number of bytes of the log that are read at a time.
    private static let portion = 256 * 1024
    /// The number of bytes of the log that are searched for unfinished answers. They contain about 50,000 deltas of
    /// text.
    private static let mostReplayed = 16 << 20
    /// The time limit of the replay. If the log does not contain the beginning of a session, an OpenCode 2 is queried
    /// for it, and may not respond.
    private static let replayTimeout = Duration.seconds(10)

    private unowned let project: ConversationProject
    private let hub: ConversationHub
    private let name: ProjectName
    /// The reader of the project's log; nil until the start position is known.
    private var reader: TranslatedEventReader?
    /// Whether the reader waits for the result of a query.
    private var isQuerying = false
    private var snapshot: HubSnapshot?
    /// The current run of the instance, and whether a run has ended whose end is not reported yet.
    private var run: UInt64?
    private var hasEnded = false
    /// Whether the events being read were sent before the subscription.
    private var isReplaying = false

    init(_ project: ConversationProject, _ hub: ConversationHub) {
        self.project = project
        self.hub = hub
        name = project.name
    }

    func subscribe() {
        let name = name
        let post = hub.post
        hub.mailbox.post(
            .subscribe(name) { hubSnapshot, position in post { $0.known(name)?.feed?.receive(hubSnapshot, position) } })
    }

    /// Whether the hub receives the events of the run that this route leads to.
    func receives(_ route: RoutingTable.Route) -> Bool { snapshot?.receivesEvents(of: route) ?? false }

    /// Updates the project's snapshot. All of the project's events so far are before `position` in the log.
    private func receive(_ hubSnapshot: HubSnapshot, _ position: LogPosition) {
        snapshot = hubSnapshot
        defer { project.resumeCalls() }
        guard reader != nil else { return start(hubSnapshot, position) }
        if run != hubSnapshot.run {
            if run != nil { hasEnded = true }
            run = hubSnapshot.run
        }
        readEvents()
    }

    private func start(_ hubSnapshot: HubSnapshot, _ position: LogPosition) {
        // OpenCode since 1.2 does not store a text before it is complete, so only the log contains the deltas sent so
        // far.
        let beginning = hubSnapshot.log.beginningOfOpenTurns(before: position, atMost: Self.mostReplayed)
        reader = TranslatedEventReader(hubSnapshot.log, after: beginning ?? position)
        run = hubSnapshot.run
        guard beginning != nil else { return project.startedReceiving() }
        isReplaying = true
        project.coordinator.later(Self.replayTimeout) { [weak self] in self?.endReplay() }
        readEvents()
    }

    private func endReplay() {
        guard isReplaying else { return }
        isReplaying = false
        project.replayed()
    }

    private func readEvents() {
        while !isQuerying, let batch = reader?.nextBatch(atMost: Self.portion) {
            if !batch.events.isEmpty {
                if isReplaying { project.replay(batch.events) } else { project.receive(batch.events) }
            }
            if let query = batch.query { return sendQuery(query) }
            if batch.isAtEnd { return reachedEnd() }
        }
    }

    private func sendQuery(_ query: TranslationQuery) {
        isQuerying = true
        let name = name
        let post = hub.post
        hub.mailbox.post(.query(name, query) { answer in post { $0.known(name)?.feed?.answered(answer) } })
    }

    private func answered(_ answer: TranslationAnswer) {
        isQuerying = false
        reader?.resume(answer)
        readEvents()
    }

    private func reachedEnd() {
        endReplay()
        // Report the end of the run only after its last event.
        guard hasEnded else { return }
        hasEnded = false
        project.instanceEnded()
    }
}

/// The conversations' thread's access to the hub. The hub announces events, and this thread reads them itself.
struct ConversationHub {
    let mailbox: Mailbox<HubMessage>
    /// Runs work on the conversations' thread.
    let post: @Sendable (@escaping ConversationService.Work) -> Void
}
