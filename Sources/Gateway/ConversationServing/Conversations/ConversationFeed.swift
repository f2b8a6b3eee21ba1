// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import EventStreaming
import GatewayCore
internal import Instances
internal import Projects

/// The events of a project's OpenCode in OpenCode 1's API. The conversations' thread reads them as soon as the hub has
/// them, without a loop in between.
final class ConversationFeed {
    private static let portion = 256 * 1024
    /// The number of bytes of the log that are searched for unfinished answers: some 50,000 deltas of text.
    private static let mostReplayed = 16 << 20
    /// The time limit of the replay. An OpenCode 2 receives a request about a session whose beginning the log does not
    /// contain, and it may not answer.
    private static let replayTimeout = Duration.seconds(10)

    private unowned let project: ConversationProject
    private let hub: ConversationHub
    private let name: ProjectName
    /// Nil until the start position is known.
    private var cursor: EventCursor?
    private var log: EventLog?
    private var isReading = false
    private var newsWaits = false
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

    /// Whether the hub receives the events of the run that this route leads to.
    func receives(_ route: RoutingTable.Route) -> Bool { snapshot?.hears(route) ?? false }

    /// Updates the project's snapshot. All of the project's events so far are before `place` in the log.
    private func receive(_ view: HubSnapshot, _ place: LogPosition) {
        snapshot = view
        defer { project.resumeCalls() }
        guard cursor != nil else { return start(view, place) }
        if run != view.run {
            if run != nil { hasEnded = true }
            run = view.run
        }
        read()
    }

    private func start(_ view: HubSnapshot, _ place: LogPosition) {
        // OpenCode since 1.2 does not store a text before it is complete, so only the log contains the deltas sent so
        // far.
        let beginning = view.log.beginningOfOpenTurns(before: place, atMost: Self.mostReplayed)
        var cursor = EventCursor(
            .now, now: beginning ?? place, project: name.string, shape: .item(name.string), isChunked: false,
            selector: EventSelector())
        cursor.isOpenCode1Compatible = true
        self.cursor = cursor
        log = view.log
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
        newsWaits = true
        while newsWaits, !isReading, let cursor {
            isReading = true
            newsWaits = false
            let name = name
            let post = hub.post
            let order = ReadingOrder(stream: 0, log: log, cursor: cursor, connected: [], limit: Self.portion) { read in
                post { $0.known(name)?.feed?.received(read) }
            }
            if let reading = hub.reader.read(order) { take(reading) }
        }
    }

    /// Receives the result of an asynchronous read.
    private func received(_ reading: EventLogReadResult) {
        take(reading)
        if newsWaits { read() }
    }

    private func take(_ reading: EventLogReadResult) {
        isReading = false
        var cursor = reading.cursor
        let lines = reading.batch.bytes
        cursor.sent(lines.count, of: reading.batch)
        self.cursor = cursor
        if !lines.isEmpty {
            if isReplaying { project.replay(lines) } else { project.heard(lines) }
        }
        newsWaits = newsWaits || !reading.batch.isAtEnd
        if reading.batch.isAtEnd { endReplay() }
        // The end of the run is reported after its last event.
        if hasEnded, !newsWaits {
            hasEnded = false
            project.instanceEnded()
        }
    }
}

/// The conversations' thread's access to the hub: the hub announces events, and this thread reads them itself.
final class ConversationHub {
    let mailbox: Mailbox<HubMessage>
    let reader: EventLogReader
    let board: HubSnapshots
    /// Runs work on the conversations' thread.
    let post: @Sendable (@escaping ConversationService.Work) -> Void

    init(
        _ mailbox: Mailbox<HubMessage>, snapshots board: HubSnapshots,
        post: @escaping @Sendable (@escaping ConversationService.Work) -> Void
    ) {
        self.mailbox = mailbox
        self.board = board
        self.post = post
        reader = EventLogReader(board, hub: mailbox)
        reader.post = { log, question, answer in post { $0.hub?.reader.answered(log, query: question, answer: answer) }
        }
    }
}
