// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
internal import Projects

/// The events of a project's OpenCode in OpenCode 1's API. The conversations' thread reads them from the hub's log
/// directly, without a loop in between.
final class ConversationFeed {
    /// The number of bytes of the log that are read at a time.
    private static let portion = 256 * 1024
    /// The number of bytes of the log that are searched for unfinished answers. They contain about 50,000 deltas of
    /// text.
    private static let mostReplayed = 16 << 20
    /// The time limit of the replay. If the log does not contain the beginning of a session, an OpenCode 2 is asked
    /// about it, and may not answer.
    private static let replayTimeout = Duration.seconds(10)

    private unowned let project: ConversationProject
    private let hub: ConversationHub
    private let name: ProjectName
    /// The reader of the project's log; nil until the start position is known.
    private var reader: TranslatedEventReader?
    /// Whether the reader waits for the answer to a query.
    private var isAsking = false
    private var snapshot: HubSnapshot?
    /// The current run of the instance, and whether a run has ended since.
    private var run: UInt64?
    private var hasEnded = false
    /// Whether the events being read were sent before the subscription.
    private var isReplaying = false

    init(_ project: ConversationProject, _ hub: ConversationHub) {
        self.project = project
        self.hub = hub
        name = project.name
    }

    func begin() {
        let name = name
        let post = hub.post
        hub.mailbox.post(.follow(name) { view, place in post { $0.known(name)?.feed?.receive(view, place) } })
    }

    /// Returns whether the hub receives the events of the run that this route leads to.
    func receives(_ route: RoutingTable.Route) -> Bool { snapshot?.hears(route) ?? false }

    /// Updates the project's snapshot.
    ///
    /// - Parameter place: The position in the log after all events of the project so far.
    private func receive(_ view: HubSnapshot, _ place: LogPosition) {
        snapshot = view
        defer { project.resumeCalls() }
        guard reader != nil else { return start(view, place) }
        if run != view.run {
            if run != nil { hasEnded = true }
            run = view.run
        }
        read()
    }

    private func start(_ view: HubSnapshot, _ place: LogPosition) {
        // OpenCode since 1.2 does not store a text before it is complete, so only the log contains the deltas that were
        // sent so far.
        let beginning = view.log.beginningOfOpenTurns(before: place, atMost: Self.mostReplayed)
        reader = TranslatedEventReader(view.log, after: beginning ?? place)
        run = view.run
        guard beginning != nil else { return project.listens() }
        isReplaying = true
        project.coordinator.later(Self.replayTimeout) { [weak self] in self?.endReplay() }
        read()
    }

    private func endReplay() {
        guard isReplaying else { return }
        isReplaying = false
        project.replayed()
    }

    private func read() {
        while !isAsking, let batch = reader?.nextBatch(atMost: Self.portion) {
            if !batch.events.isEmpty {
                if isReplaying { project.replay(batch.events) } else { project.receive(batch.events) }
            }
            if let query = batch.query { return ask(query) }
            if batch.isAtEnd { return reachedEnd() }
        }
    }

    private func ask(_ query: TranslationQuery) {
        isAsking = true
        let name = name
        let post = hub.post
        hub.mailbox.post(.ask(name, query) { answer in post { $0.known(name)?.feed?.answered(answer) } })
    }

    private func answered(_ answer: TranslationAnswer) {
        isAsking = false
        reader?.resume(answer)
        read()
    }

    private func reachedEnd() {
        endReplay()
        // The end of the run is reported after its last event.
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
