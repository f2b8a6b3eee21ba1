// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import GatewayCore
import HTTPServer
import HTTPTypes
internal import Projects

/// A page of events as JSON, for clients whose network path interrupts streams. The answer is sent as soon as there is
/// an event, or after the requested time.
package final class EventPage: PendingStream {
    /// The maximum number of events in a page.
    private static let most = 1_000
    private static let mostBytes = 1 << 20
    /// The maximum number of bytes around the events.
    private static let frameBytes = 1_024

    let project: ProjectName?
    private unowned let events: LoopEvents
    private var pending: PendingAnswer
    private var cursor: EventCursor
    private let wait: Duration
    private var number = 0
    private var isReading = false
    private var newsWaits = false
    private var isLate = false
    /// The position that the client has sent in its request.
    private let asked: EventID?

    init(
        _ events: LoopEvents, _ connection: ClientConnection, project: ProjectName?, cursor: EventCursor,
        wait: Duration
    ) {
        self.events = events
        pending = PendingAnswer(connection, on: events.owner.loop)
        self.project = project
        self.cursor = cursor
        self.wait = wait
        if case .after(let id) = cursor.begins { asked = id } else { asked = nil }
    }

    func begin() {
        pending.begin(self, discardsBody: false)
        number = events.begin(self)
        events.add(self)
        isLate = wait == .zero || events.owner.isDraining
        if !isLate { pending.arm(self, after: wait) }
        read()
    }

    private func read() {
        guard !isReading, pending.connection != nil else { return }
        isReading = true
        newsWaits = false
        events.read(cursor, number: number, project, connected: [], limit: Self.mostBytes)
    }

    func hasNews() { if isReading { newsWaits = true } else { read() } }

    func received(_ reading: EventLogReadResult) {
        isReading = false
        cursor = reading.cursor
        let batch = reading.batch.limited(
            to: Self.most, bytes: Self.mostBytes - Self.frameBytes, separator: Self.gap)
        if isLate || isWorthTelling(batch) { return answer(batch) }
        // A gap is sent only together with a following event. Otherwise, a client that immediately requests the next
        // page would receive the same gap again.
        if batch.bytes.isEmpty { cursor.sent(0, of: batch) }
        if newsWaits || batch.bytes.isEmpty && !batch.isAtEnd { read() }
    }

    /// Returns whether a page with this batch is useful for its client, because it contains events or advances the
    /// position.
    private func isWorthTelling(_ batch: EventBatch) -> Bool {
        guard !batch.bytes.isEmpty else { return false }
        var after = cursor
        after.sent(batch.bytes.count, of: batch)
        return after.last != asked || !batch.bytes.starts(with: Self.gap)
    }

    /// Answers with the items of the batch. A line end follows each item.
    private func answer(_ batch: EventBatch) {
        guard let connection = end() else { return }
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

    /// The prefix of the line of a gap.
    private static let gap = Array("gap ".utf8)

    func viewChanged() {}

    func routesChanged() {}

    /// Answers with the events so far, because the gateway is shutting down.
    func giveUp() {
        isLate = true
        read()
    }

    @discardableResult
    private func end() -> ClientConnection? {
        events.remove(self)
        events.end(number)
        return pending.end()
    }
}

extension EventPage: ServerExchange {
    func requestBodyArrived() { pending.connection?.discardBody() }
    func resumeResponse() {}
    func clientDisconnected() { end() }
}

extension EventPage: TimerHandler {
    func timerFired(_ timer: LoopTimer) {
        isLate = true
        read()
    }
}
