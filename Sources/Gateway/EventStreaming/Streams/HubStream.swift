// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import EventLoop
import GatewayCore
import HTTPServer
import HTTPTypes
import OpenCodeFamilies
internal import Projects

/// A client's stream of a project's events. The stream sends the log's frames after the client's position, and
/// additional frames that are not in the log.
final class HubStream {
    /// The approximate number of bytes that the stream requests in one read of the log.
    static let portion = 64 * 1024

    let project: ProjectName?
    /// Whether this is one of OpenCode's own streams, which ends when the instance's stream ends.
    let isPlain: Bool
    let shape: EventShape
    unowned let events: EventStreamFeature
    var client: DetachedConnection?
    var cursor: EventCursor
    /// The state of the stream. ``EventStreamState/live`` is the position after everything that was sent. ``follow()``
    /// moves the cursor to this position only when the stream needs the cursor.
    var state: EventStreamState
    private var number = 0
    private(set) var connectedFrame: [UInt8]
    /// Whether a response may wait until the stream has sent the result of the last read.
    private var isWatched = false
    /// The time after which the gateway disconnects a client that accepts no bytes.
    let stall: Duration
    private var timer: LoopTimer?
    /// The properties of the stream that determine its frames; nil if no other stream can have the same frames.
    let sharedKey: SharedStreamFrames.Key?
    /// The group of streams on this loop that receive the same frames; nil while this stream is not registered.
    var group: SharedStreamFrames.Group?

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - cursor: The position at which the stream begins.
    ///   - connected: The frame that OpenCode's clients receive after a gap.
    init(
        _ events: EventStreamFeature, project: ProjectName?, cursor: EventCursor, isPlain: Bool, connected: [UInt8],
        stall: Duration
    ) {
        self.events = events
        self.project = project
        self.cursor = cursor
        self.isPlain = isPlain
        self.stall = stall
        state = EventStreamState(
            isPlain: isPlain, isTranslated: cursor.isOpenCode1Compatible, maxRate: cursor.maxRate, stallLimit: stall,
            at: events.owner.loop.now)
        shape = cursor.shape
        connectedFrame = connected
        sharedKey = project == nil ? nil : SharedStreamFrames.Key(cursor)
    }

    /// Responds with `head` and sends `opening` as the first bytes, unless the request's key has too many open streams.
    func start(_ connection: ClientConnection, _ head: ResponseHead, opening: [UInt8]) {
        if let refusal = events.owner.streamRefusal(of: connection) {
            return events.owner.refuse(connection, refusal)
        }
        connection.exchange = self
        let isHead = connection.head.method == .head
        guard let client = connection.detach(head, .unknown, policy: .pauseSource) else { return }
        // A response to a HEAD request ends with its head (RFC 9110 §9.3.2), so the stream ends here.
        guard !isHead else {
            _ = state.finish()
            return client.finish()
        }
        self.client = client
        let loop = events.owner.loop
        let timer = loop.timer(self)
        self.timer = timer
        number = events.subscribe(self)
        events.owner.streamStarted(self)
        if cursor.isOpenCode1Compatible, let project, let mailbox = events.owner.mailbox {
            events.turnEnds.addStream(ObjectIdentifier(self), of: project, on: mailbox, isAwaited: isAwaited)
        }
        write(opening)
        readEvents()
        rearm()
    }

    // MARK: Receiving

    /// Returns whether the stream can receive items that begin at this position without reading the log.
    func isLive(at position: LogPosition) -> Bool { state.isLive(at: position) }

    /// Returns the frames for items that begin at the position of the stream.
    func frames(of items: [LogItem], upTo position: LogPosition) -> EventBatch {
        cursor.write(items, upTo: position, connected: connectedFrame)
    }

    /// Sends a batch of live events. The usual path copies nothing, because it runs for each client and event.
    func deliver(_ batch: borrowing EventBatch, at now: MonotonicTime) {
        let count = batch.bytes.count
        let byteCount = count == 0 ? 0 : client?.send(framed: batch.bytes.span) ?? 0
        guard byteCount == count, !state.hasPendingUpdate else {
            follow()
            return sent(byteCount, of: copy batch)
        }
        state.recordDelivery(upTo: batch.end, hasBytes: count > 0, at: now)
    }

    /// Handles new events, which the stream must read from the log.
    func updateArrived() {
        if state.recordUpdate() { readEvents() }
    }

    func received(_ reading: EventLogReadResult) {
        state.recordRead()
        guard !state.isEnded else { return }
        // The event after which the stream ends may have become known during the read, so keep this event.
        let until = cursor.until
        cursor = reading.cursor
        cursor.until = cursor.until ?? until
        isWatched = reading.isWatched && isAwaited
        send(reading.batch)
    }

    /// Whether responses to requests wait for this stream. A stream with a maximum rate is intentionally late, so
    /// responses do not wait for that stream.
    private var isAwaited: Bool { cursor.isOpenCode1Compatible && !state.hasRate }

    /// Resumes sending after the response to a turn's request was sent. The end of the turn must follow this response.
    func turnAnswered() {
        if cursor.isOpenCode1Compatible { updateArrived() }
    }

    func snapshotChanged(_ snapshot: HubSnapshot) {
        if let connected = cursor.isOpenCode1Compatible ? snapshot.translatedConnected : snapshot.connected {
            connectedFrame = connected.frame(shape)
        }
        if !isPlain { updateArrived() }
    }

    func heartbeat(_ frame: ConnectedFrame) {
        guard isPlain, !cursor.isOpenCode1Compatible else { return }
        sendLive(frame.frame(shape))
    }

    func comment(_ bytes: [UInt8]) {
        guard isPlain, !cursor.isOpenCode1Compatible else { return }
        sendLive(bytes)
    }

    /// Handles the loss of the instance's stream. Aborts one of OpenCode's own streams, so that the client loads its
    /// whole state again. One of the gateway's own streams continues.
    func upstreamLost() {
        if isPlain { abort() } else { updateArrived() }
    }

    /// Ends a stream of the directory after the event `id`. In this event, the instance reports that it has closed the
    /// directory. OpenCode's own streams end in the same way.
    func disposed(_ directory: [UInt8], _ id: EventID) {
        guard isPlain, cursor.selector.isNamed(directory), !state.isEnded else { return }
        follow()
        cursor.until = cursor.until ?? id
        state.recordLastEvent()
        finishIfSent()
    }

    // MARK: Sending

    func readEvents() {
        switch state.wantsRead(at: events.owner.loop.now) {
        case .no: break
        case .later: rearm()
        case .read: sendReadRequest()
        }
    }

    func sendReadRequest() {
        follow()
        events.requestRead(cursor, number: number, project, connected: connectedFrame, limit: Self.portion)
    }

    private func send(_ batch: EventBatch) {
        // The client has received only a part of a frame and cannot receive another frame, so abort the stream.
        guard !batch.isBroken else { return abort() }
        sent(batch.bytes.isEmpty ? 0 : client?.send(framed: batch.bytes.span) ?? 0, of: batch)
    }

    /// Records that the client has accepted `byteCount` bytes of the batch.
    private func sent(_ byteCount: Int, of batch: EventBatch) {
        guard !state.isEnded else { return }
        cursor.sent(byteCount, of: batch)
        state.recordSent(byteCount, at: cursor.isSettled ? cursor.logPosition : nil, now: events.owner.loop.now)
        guard byteCount == batch.bytes.count else { return block() }
        continueAfter(batch)
    }

    /// Moves the cursor to the end of the live events that were sent.
    func follow() {
        if let live = state.live { cursor.seek(to: live) }
    }

    private func continueAfter(_ batch: EventBatch) {
        if isWatched, let project {
            events.turnEnds.advanceStream(
                ObjectIdentifier(self), project, to: cursor.lastFrame, ended: cursor.lastTurnEnd,
                held: batch.blockedFrame)
        }
        if finishIfSent() { return }
        if let deadline = batch.deadline {
            state.wait(until: MonotonicTime.now + .milliseconds(max(1, deadline - WallClock.milliseconds)))
            rearm()
        }
        if state.continues(isAtEnd: batch.isAtEnd) { readEvents() }
    }

    /// Marks the stream as blocked, because the client accepts no more bytes at present.
    private func block() {
        state.block(unacknowledged: client?.unacknowledgedBytes ?? 0, at: events.owner.loop.now)
        rearm()
    }

    @discardableResult
    private func finishIfSent() -> Bool {
        guard state.isIdle, cursor.isFinished else { return false }
        client?.finish()
        close()
        return true
    }

    /// Sends a frame that is not in a log, if the client has received everything else.
    private func sendLive(_ frame: [UInt8]) {
        if state.isLive { write(frame) }
    }

    func write(_ frame: [UInt8]) {
        state.recordWrite(at: events.owner.loop.now)
        if client?.write(frame.span) == false { block() }
    }

    // MARK: Ending

    func close() {
        guard state.finish() else { return }
        if let timer { events.owner.loop.cancel(timer) }
        timer = nil
        client = nil
        events.owner.streamEnded(self)
        events.unsubscribe(number)
        if cursor.isOpenCode1Compatible, let project { events.turnEnds.removeStream(ObjectIdentifier(self), project) }
    }

    /// Sets the timer for the earliest deadline.
    func rearm() {
        guard let timer else { return }
        events.owner.loop.arm(timer, at: state.deadline(at: events.owner.loop.now))
    }
}
