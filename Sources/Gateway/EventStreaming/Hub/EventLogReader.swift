// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import EventLoop
import GatewayCore
import Projects

/// A request from a stream or a page to read from a log.
struct EventReadRequest: Sendable {
    /// The number that identifies the stream or the page on its loop.
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
    /// Receives the result on the reader's thread.
    let report: @Sendable (EventLogReadResult) -> Void
}

/// The result of a read for a stream.
package struct EventLogReadResult: Sendable {
    let stream: Int
    /// The position after the batch.
    let cursor: EventCursor
    /// The frames that were read.
    let batch: EventBatch
    /// Whether ``TurnEnds`` needs to know the progress of the stream (``TurnEnds/advanceStream(_:_:to:ended:held:)``).
    var isWatched = false
}

/// Reads logs, and queries instances for facts that their events do not contain. The reader is confined to one thread,
/// which may wait for a disk.
final class EventLogReader {
    private struct PendingQuery: Hashable {
        let log: ObjectIdentifier
        let query: TranslationQuery
    }

    private var encodedStreams = EncodedStreams()
    private let snapshots: HubSnapshots
    private let hub: Mailbox<HubMessage>
    private let turnEnds: TurnEnds
    /// Sends the result of a query to the reader's thread, where ``answered(_:query:answer:)`` receives it.
    var post: (@Sendable (EventLog, TranslationQuery, TranslationAnswer) -> Void)?
    private var pendingQueries: Set<PendingQuery> = []
    /// The read requests that wait for the result of a query, by their logs.
    private var waiting: [ObjectIdentifier: [EventReadRequest]] = [:]

    /// Creates a reader of the logs that the hub publishes.
    init(_ snapshots: HubSnapshots, hub: Mailbox<HubMessage>, turnEnds: TurnEnds) {
        self.snapshots = snapshots
        self.hub = hub
        self.turnEnds = turnEnds
    }

    /// Returns the events that are available now. If the reader must query an instance first, returns nil and passes
    /// the events to the request's `report` later.
    func read(_ request: EventReadRequest) -> EventLogReadResult? {
        var cursor = request.cursor
        var batch: EventBatch
        var isWatched = false
        if let log = request.log {
            if cursor.isEncoded {
                (batch, isWatched) = readEncoded(&cursor, from: log, for: request)
            } else {
                batch = cursor.nextBatch(log, atMost: request.limit, connected: request.connected)
            }
            if let query = batch.query, batch.bytes.isEmpty {
                wait(request, on: log, for: query)
                return nil
            }
        } else if let index = snapshots.index {
            batch = cursor.readAll(index, &encodedStreams, atMost: request.limit, now: WallClock.milliseconds) { name in
                ProjectName(name).flatMap { snapshots.snapshot(of: $0)?.log }
            }
        } else {
            return nil
        }
        return EventLogReadResult(stream: request.stream, cursor: cursor, batch: batch, isWatched: isWatched)
    }

    /// Reads encoded frames, and stops before the end of a turn while the response to the turn's request is pending.
    private func readEncoded(
        _ cursor: inout EventCursor, from log: EventLog, for request: EventReadRequest
    ) -> (batch: EventBatch, isWatched: Bool) {
        let now = WallClock.milliseconds
        guard cursor.isOpenCode1Compatible, let name = request.name, turnEnds.isWatched(name) else {
            let batch = cursor.nextEncodedBatch(
                log, &encodedStreams, atMost: request.limit, connected: request.connected, now: now)
            return (batch, false)
        }
        var held: MonotonicTime?
        var batch = cursor.nextEncodedBatch(
            log, &encodedStreams, atMost: request.limit, connected: request.connected, now: now,
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

    /// Keeps the read request until the query has a result, and sends the query unless it is already pending.
    private func wait(_ request: EventReadRequest, on log: EventLog, for query: TranslationQuery) {
        let name = ObjectIdentifier(log)
        waiting[name, default: []].append(request)
        guard pendingQueries.insert(PendingQuery(log: name, query: query)).inserted, let post else { return }
        guard let project = ProjectName(request.cursor.project) else { return post(log, query, .nothing) }
        hub.post(.query(project, query) { post(log, query, $0) })
    }

    /// Continues the reads that wait for the result of this query.
    func answered(_ log: EventLog, query: TranslationQuery, answer: TranslationAnswer) {
        let name = ObjectIdentifier(log)
        pendingQueries.remove(PendingQuery(log: name, query: query))
        encodedStreams.resume(for: log, query: query, answer: answer)
        for request in waiting.removeValue(forKey: name) ?? [] {
            if let reading = read(request) { request.report(reading) }
        }
    }
}
