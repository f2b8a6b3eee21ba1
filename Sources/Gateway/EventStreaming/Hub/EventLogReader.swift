// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import EventLoop
import GatewayCore
import Projects

/// A request of a stream to read from a log.
struct ReadingOrder: Sendable {
    /// The number of the stream on its loop.
    let stream: Int
    /// The log of the project; nil to read the events of all projects.
    let log: EventLog?
    /// The project that the log belongs to.
    var name: ProjectName?
    var cursor: EventCursor
    /// The frame that OpenCode's clients receive after a gap.
    let connected: [UInt8]
    /// The approximate number of bytes to read.
    let limit: Int
    /// Receives the result if it is not available immediately.
    let report: @Sendable (EventLogReadResult) -> Void
}

/// The result of a read for a stream.
package struct EventLogReadResult: Sendable {
    let stream: Int
    /// The position after the batch.
    let cursor: EventCursor
    /// The frames that were read.
    let batch: EventBatch
    /// Whether a request waits for the progress of the stream (``TurnEnds/came(_:_:to:ended:held:)``).
    var isWatched = false
}

/// A reader of logs that queries instances for facts that their events do not contain. It is confined to one thread,
/// which may wait for a disk.
final class EventLogReader {
    private struct Inquiry: Hashable {
        let log: ObjectIdentifier
        let question: TranslationQuery
    }

    private var tracks = EncodedStreams()
    private let board: HubSnapshots
    private let hub: Mailbox<HubMessage>
    private let turnEnds: TurnEnds
    /// Sends an answer back to the reader's thread, to ``answered(_:query:answer:)``.
    var post: (@Sendable (EventLog, TranslationQuery, TranslationAnswer) -> Void)?
    private var asked: Set<Inquiry> = []
    /// The requests that wait for an answer, by their logs.
    private var waiting: [ObjectIdentifier: [ReadingOrder]] = [:]

    /// Creates a reader of the logs that the hub publishes.
    init(_ board: HubSnapshots, hub: Mailbox<HubMessage>, turnEnds: TurnEnds) {
        self.board = board
        self.hub = hub
        self.turnEnds = turnEnds
    }

    /// Returns the events that are available now. Returns nil if an instance must be queried first; the events are then
    /// reported later.
    func read(_ order: ReadingOrder) -> EventLogReadResult? {
        var cursor = order.cursor
        var batch: EventBatch
        var isWatched = false
        if let log = order.log {
            if cursor.isEncoded {
                (batch, isWatched) = readFormed(&cursor, from: log, for: order)
            } else {
                batch = cursor.nextBatch(log, atMost: order.limit, connected: order.connected)
            }
            if let question = batch.query, batch.bytes.isEmpty {
                wait(order, on: log, for: question)
                return nil
            }
        } else if let index = board.index {
            batch = cursor.readAll(index, &tracks, atMost: order.limit, now: WallClock.milliseconds) { name in
                ProjectName(name).flatMap { board.view($0)?.log }
            }
        } else {
            return nil
        }
        return EventLogReadResult(stream: order.stream, cursor: cursor, batch: batch, isWatched: isWatched)
    }

    /// Reads encoded frames, up to the end of a turn whose answer is pending.
    private func readFormed(
        _ cursor: inout EventCursor, from log: EventLog, for order: ReadingOrder
    ) -> (batch: EventBatch, isWatched: Bool) {
        let now = WallClock.milliseconds
        guard cursor.isOpenCode1Compatible, let name = order.name, turnEnds.isWatched(name) else {
            let batch = cursor.nextEncodedBatch(
                log, &tracks, atMost: order.limit, connected: order.connected, now: now)
            return (batch, false)
        }
        var held: MonotonicTime?
        var batch = cursor.nextEncodedBatch(
            log, &tracks, atMost: order.limit, connected: order.connected, now: now,
            isBlocked: { session, frame in
                held = turnEnds.hold(session, of: name, before: frame)
                return held != nil
            },
            added: { turnEnds.events($0, of: name, after: $1) })
        if batch.blockedFrame != nil, let held {
            batch.deadline = now + max(0, (held - .now).milliseconds) + 1
        }
        return (batch, true)
    }

    /// Reads again for the order after an answer has arrived.
    private func wait(_ order: ReadingOrder, on log: EventLog, for question: TranslationQuery) {
        let name = ObjectIdentifier(log)
        waiting[name, default: []].append(order)
        guard asked.insert(Inquiry(log: name, question: question)).inserted, let post else { return }
        guard let project = ProjectName(order.cursor.project) else { return post(log, question, .nothing) }
        hub.post(.ask(project, question) { post(log, question, $0) })
    }

    /// Continues the reads that wait for this answer of an instance.
    func answered(_ log: EventLog, query question: TranslationQuery, answer: TranslationAnswer) {
        let name = ObjectIdentifier(log)
        asked.remove(Inquiry(log: name, question: question))
        tracks.resume(for: log, query: question, answer: answer)
        for order in waiting.removeValue(forKey: name) ?? [] {
            if let reading = read(order) { order.report(reading) }
        }
    }
}
