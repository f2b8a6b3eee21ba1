// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Projects

/// A page of events as JSON, for clients whose network path interrupts streams. The gateway responds as soon as there
/// is an event, or after the requested time.
package final class EventPage: PendingStream {
    /// The maximum number of events in a page.
    private static let most = 1_000
    private static let mostBytes = 1 << 20
    /// The maximum number of bytes of JSON around the events.
    private static let frameBytes = 1_024

    let project: ProjectName?
    private unowned let events: EventStreamFeature
    private var pending: PendingResponse
    private var cursor: EventCursor
    private let wait: Duration
    private var number = 0
    private var isReading = false
    private var hasPendingUpdate = false
    private var isLate = false
    /// The position that the client has sent in its request.
    private let requestedID: EventID?

    init(
        _ events: EventStreamFeature, _ connection: ClientConnection, project: ProjectName?, cursor: EventCursor,
        wait: Duration
    ) {
        self.events = events
        pending = PendingResponse(connection, on: events.owner.loop)
        self.project = project
        self.cursor = cursor
        self.wait = wait
        if case .after(let id) = cursor.begins { requestedID = id } else { requestedID = nil }
    }

    func start() {
        pending.attach(self, discardsBody: false)
        number = events.subscribe(self)
        events.add(self)
        isLate = wait == .zero || events.owner.isDraining
        if !isLate { pending.arm(self, after: wait) }
        readEvents()
    }

    private func readEvents() {
        guard !isReading, pending.connection != nil else { return }
        isReading = true
        hasPendingUpdate = false
        events.requestRead(cursor, number: number, project, connected: [], limit: Self.mostBytes)
    }

    func updateArrived() { if isReading { hasPendingUpdate = true } else { readEvents() } }

    func received(_ reading: EventLogReadResult) {
        isReading = false
        cursor = reading.cursor
        let batch = reading.batch.limited(
            to: Self.most, bytes: Self.mostBytes - Self.frameBytes, separator: Self.gap)
        if isLate || isWorthSending(batch) { return answer(batch) }
        // Do not send the batch yet. If a page contained only a gap, a client that immediately requests the next page
        // would receive the same gap again.
        if batch.bytes.isEmpty { cursor.sent(0, of: batch) }
        if hasPendingUpdate || batch.bytes.isEmpty && !batch.isAtEnd { readEvents() }
    }

    /// Returns whether a page with this batch contains events or advances the client's position.
    private func isWorthSending(_ batch: EventBatch) -> Bool {
        guard !batch.bytes.isEmpty else { return false }
        var after = cursor
        after.sent(batch.bytes.count, of: batch)
        return after.last != requestedID || !batch.bytes.starts(with: Self.gap)
    }

    /// Responds with the items of the batch. A line end follows each item in the batch.
    private func answer(_ batch: EventBatch) {
        guard let connection = release() else { return }
        cursor.sent(batch.bytes.count, of: batch)
        var gaps: [[UInt8]] = []
        var items: [[UInt8]] = []
        for line in batch.bytes.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: Self.gap) {
                gaps.append(Array(line.dropFirst(Self.gap.count)))
            } else {
                items.append(Array(line))
            }
        }
        var body = Array("{\"events\":[".utf8)
        body += items.joined(separator: [UInt8(ascii: ",")])
        body += Array("],\"next\":".utf8)
        body += Array((cursor.last.map { "\"\($0.text)\"" } ?? "null").utf8)
        body += Array(",\"gap\":".utf8)
        body += gaps.first ?? Array("null".utf8)
        body.append(UInt8(ascii: "}"))
        var head = ResponseHead(status: 200)
        head.fields.append("Content-Type", "application/json")
        head.fields.append("Cache-Control", "no-store")
        events.owner.answer(connection, GatewayAnswer(head: head, body: body))
    }

    /// The prefix of a line that contains a gap.
    private static let gap = Array("gap ".utf8)

    func snapshotChanged() {}

    func routesChanged() {}

    /// Responds with the events so far, because the gateway is shutting down.
    func giveUp() {
        isLate = true
        readEvents()
    }

    @discardableResult
    private func release() -> ClientConnection? {
        events.remove(self)
        events.unsubscribe(number)
        return pending.release()
    }
}

extension EventPage: ServerExchange {
    func requestBodyArrived() { pending.connection?.discardBody() }
    func resumeResponse() {}
    func clientDisconnected() { release() }
}

extension EventPage: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        isLate = true
        readEvents()
    }
}
