// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
internal import Projects

/// The events of a project's OpenCode in the format of OpenCode 1's API. The conversations thread reads the events
/// directly from the hub's log.
final class ConversationFeed {
    /// The number of bytes of the log that the feed reads at a time.
    private static let portion = 256 * 1024
    /// The number of bytes of the log that the feed searches for unfinished answers. This number of bytes corresponds
    /// to about 50,000 deltas of text.
    private static let mostReplayed = 16 << 20
    /// The time limit of the replay. If the log does not contain the beginning of a session, the feed queries the
    /// OpenCode 2 instance, which may not respond.
    private static let replayTimeout = Duration.seconds(10)

    private let hub: Mailbox<HubMessage>
    private let name: ProjectName
    /// The reader of the project's log; nil until the start position is known.
    private var reader: TranslatedEventReader?
    /// Whether the reader waits for the result of a query.
    private var isQuerying = false
    private var snapshot: HubSnapshot?
    /// The current run of the instance, and whether a run has ended whose end the feed has not reported yet.
    private var run: UInt64?
    private var hasEnded = false
    /// Whether the feed is reading events from before the subscription.
    private var isReplaying = false

    init(_ name: ProjectName, _ hub: Mailbox<HubMessage>) {
        self.name = name
        self.hub = hub
    }

    func subscribe(for project: isolated ConversationProject) {
        hub.post(
            .subscribe(name) { hubSnapshot, position in
                project.post { $0.feed?.receive(hubSnapshot, position, for: $0) }
            })
    }

    /// Returns whether the hub receives the events of the run to which this route leads.
    func receives(_ route: RoutingTable.Route) -> Bool { snapshot?.receivesEvents(of: route) ?? false }

    /// Updates the project's snapshot. All of the project's events so far are before `position` in the log.
    private func receive(
        _ hubSnapshot: HubSnapshot, _ position: LogPosition, for project: isolated ConversationProject
    ) {
        snapshot = hubSnapshot
        defer { project.resumeCalls() }
        guard reader != nil else { return start(hubSnapshot, position, for: project) }
        if run != hubSnapshot.run {
            if run != nil { hasEnded = true }
            run = hubSnapshot.run
        }
        readEvents(for: project)
    }

    private func start(_ hubSnapshot: HubSnapshot, _ position: LogPosition, for project: isolated ConversationProject) {
        // OpenCode since 1.2 does not store a text before the text is complete, so only the log contains the deltas
        // sent so far.
        let beginning = hubSnapshot.log.beginningOfOpenTurns(before: position, atMost: Self.mostReplayed)
        reader = TranslatedEventReader(hubSnapshot.log, after: beginning ?? position)
        run = hubSnapshot.run
        guard beginning != nil else { return project.startedReceiving() }
        isReplaying = true
        project.later(Self.replayTimeout) { $0.feed?.endReplay(for: $0) }
        readEvents(for: project)
    }

    private func endReplay(for project: isolated ConversationProject) {
        guard isReplaying else { return }
        isReplaying = false
        project.replayed()
    }

    private func readEvents(for project: isolated ConversationProject) {
        while !isQuerying, let batch = reader?.nextBatch(atMost: Self.portion) {
            if !batch.events.isEmpty {
                if isReplaying { project.replay(batch.events) } else { project.receive(batch.events) }
            }
            if let query = batch.query { return send(query, for: project) }
            if batch.isAtEnd { return reachedEnd(for: project) }
        }
    }

    private func send(_ query: TranslationQuery, for project: isolated ConversationProject) {
        isQuerying = true
        hub.post(.query(name, query) { answer in project.post { $0.feed?.answered(answer, for: $0) } })
    }

    private func answered(_ answer: TranslationAnswer, for project: isolated ConversationProject) {
        isQuerying = false
        reader?.resume(answer)
        readEvents(for: project)
    }

    private func reachedEnd(for project: isolated ConversationProject) {
        endReplay(for: project)
        // Report the end of the run only after its last event.
        guard hasEnded else { return }
        hasEnded = false
        project.instanceEnded()
    }
}
