// SPDX-License-Identifier: Apache-2.0

import Encodings
import EventHub
import EventLoop
import GatewayCore
import HTTPServer
import HTTPTypes
import OpenCodeFamilies
internal import Projects

/// One client's stream of one project's events from the hub: a position in the log, and the frames that are sent in
/// addition to the log.
final class HubStream {
    /// The number of bytes that are read at once for a stream with a backlog.
    static let portion = 64 * 1024
    /// The time without output after which a stream receives a comment. `ownComment` is for the gateway's own streams,
    /// and `replayComment` is for OpenCode's own streams in a long replay.
    private static let ownComment = Duration.seconds(15)
    private static let replayComment = Duration.seconds(10)

    let project: ProjectName?
    /// Whether this is one of OpenCode's own streams, which ends with the stream of the instance.
    let isPlain: Bool
    let shape: EventShape
    unowned let events: LoopEvents
    var client: DetachedConnection?
    var cursor: EventCursor
    /// The position of the stream if everything before the position was sent; nil: something is still unsent. The
    /// cursor is moved to this position when it is used.
    private var live: LogPosition?
    private var number = 0
    private(set) var connectedFrame: [UInt8]
    var isReading = false
    var isBlocked = false
    var newsWaits = false
    var isEnded = false
    /// Whether the event after which the stream ends is known.
    private var hasLast = false
    /// Whether a request waits until the stream has sent the result of the last read.
    private var isWatched = false
    /// How long the client may accept no bytes.
    let stall: Duration
    /// The least time between two reads of the log; nil: there is no limit.
    private let pace: Duration?
    private var nextRead = MonotonicTime(nanoseconds: 0)
    /// The time at which the stream sends something without an event.
    var wake: MonotonicTime?
    private var timer: LoopTimer?
    var lastSent: MonotonicTime
    var watch: StallWatch
    /// The time of the last OpenCode 1 heartbeat, in a translated stream.
    var lastHeartbeat: MonotonicTime
    /// The properties of the stream that determine its frames; nil: no other stream has the same frames.
    let sharedKey: SharedStreamFrames.Key?
    /// The streams that receive the same frames on this loop, while this stream is registered.
    var group: SharedStreamFrames.Group?

    /// Creates a stream that begins at the position of `cursor`. `connected` is the frame that OpenCode's clients
    /// receive after a gap.
    init(
        _ events: LoopEvents, project: ProjectName?, cursor: EventCursor, isPlain: Bool, connected: [UInt8],
        stall: Duration
    ) {
        self.events = events
        self.project = project
        self.cursor = cursor
        self.isPlain = isPlain
        self.stall = stall
        watch = StallWatch(limit: stall)
        pace = cursor.maxRate.map { .seconds(1) / $0 }
        shape = cursor.shape
        connectedFrame = connected
        lastSent = events.owner.loop.now
        lastHeartbeat = lastSent
        sharedKey = project == nil ? nil : SharedStreamFrames.Key(cursor)
    }

    /// Answers with `head` and sends `opening` as the first bytes.
    func begin(_ connection: ClientConnection, _ head: ResponseHead, opening: [UInt8]) {
        connection.exchange = self
        let isHead = connection.head.method == .head
        guard let client = connection.detach(head, .unknown, policy: .pauseSource) else { return }
        // An answer to HEAD ends with its head (RFC 9110 §9.3.2).
        guard !isHead else {
            isEnded = true
            return client.finish()
        }
        self.client = client
        let loop = events.owner.loop
        let timer = loop.timer(self)
        self.timer = timer
        number = events.begin(self)
        events.owner.streamStarted(self)
        if cursor.isOpenCode1Compatible, let project, let mailbox = events.owner.mailbox {
            events.turnEnds.join(ObjectIdentifier(self), of: project, on: mailbox, isAwaited: isAwaited)
        }
        write(opening)
        read()
        rearm()
    }

    // MARK: Receiving

    /// Whether the stream can receive items that begin at this position without a read of the log.
    func isLive(at place: LogPosition) -> Bool {
        guard let live, !isReading, !isBlocked, !isEnded, !hasLast else { return false }
        return live == place
    }

    /// Returns the frames for items that begin at the position of the stream.
    func frames(of items: [LogItem], upTo place: LogPosition) -> EventBatch {
        cursor.write(items, upTo: place, connected: connectedFrame)
    }

    /// Sends a batch of live events. This runs for each client and event, so nothing is copied here.
    func deliver(_ batch: borrowing EventBatch, at now: MonotonicTime) {
        let count = batch.bytes.count
        let taken = count == 0 ? 0 : client?.send(framed: batch.bytes.span) ?? 0
        guard taken == count, !newsWaits else {
            follow()
            return sent(taken, of: copy batch)
        }
        live = batch.end
        if count > 0 { lastSent = now }
    }

    /// Sends new events that the stream must read from the log.
    func hasNews() {
        guard !isEnded else { return }
        if isReading || isBlocked { newsWaits = true } else { read() }
    }

    func received(_ reading: EventLogReadResult) {
        isReading = false
        guard !isEnded else { return }
        // The event after which the stream ends may have become known meanwhile.
        let until = cursor.until
        cursor = reading.cursor
        cursor.until = cursor.until ?? until
        live = nil
        isWatched = reading.isWatched && isAwaited
        send(reading.batch)
    }

    /// Whether answers to requests wait for this stream. They do not wait for a stream with a maximum rate, which
    /// is late by intention.
    private var isAwaited: Bool { cursor.isOpenCode1Compatible && pace == nil }

    /// Sends the end of a turn, because the answer that had to come before it was sent.
    func turnAnswered() {
        if cursor.isOpenCode1Compatible { hasNews() }
    }

    func viewChanged(_ view: HubSnapshot) {
        if let connected = cursor.isOpenCode1Compatible ? view.translatedConnected : view.connected {
            connectedFrame = connected.frame(shape)
        }
        if !isPlain { hasNews() }
    }

    func heartbeat(_ frame: ConnectedFrame) {
        guard isPlain, !cursor.isOpenCode1Compatible else { return }
        sendLive(frame.frame(shape))
    }

    func comment(_ bytes: [UInt8]) {
        guard isPlain, !cursor.isOpenCode1Compatible else { return }
        sendLive(bytes)
    }

    /// Handles the loss of the instance's stream. The stream of a client of OpenCode's own API is aborted, so that the
    /// client loads everything again.
    func upstreamLost() {
        if isPlain { breakOff() } else { hasNews() }
    }

    /// Ends the streams of a directory that the instance has closed. They end after this event, as
    /// OpenCode's streams do.
    func disposed(_ directory: [UInt8], _ id: EventID) {
        guard isPlain, cursor.selector.isNamed(directory), !isEnded else { return }
        follow()
        cursor.until = cursor.until ?? id
        hasLast = true
        finishIfSent()
    }

    // MARK: Sending

    func read() {
        guard !isReading, !isBlocked, !isEnded else { return }
        if let pace {
            let now = events.owner.loop.now
            guard now >= nextRead else {
                newsWaits = true
                return rearm()
            }
            nextRead = now + pace
        }
        isReading = true
        newsWaits = false
        wake = nil
        follow()
        events.read(cursor, number: number, project, connected: connectedFrame, limit: Self.portion)
    }

    private func send(_ batch: EventBatch) {
        // A client that has received half a frame cannot receive another frame.
        guard !batch.isBroken else { return breakOff() }
        sent(batch.bytes.isEmpty ? 0 : client?.send(framed: batch.bytes.span) ?? 0, of: batch)
    }

    /// Records that the client has accepted `taken` bytes of the batch.
    private func sent(_ taken: Int, of batch: EventBatch) {
        guard !isEnded else { return }
        cursor.sent(taken, of: batch)
        live = cursor.isSettled ? cursor.place : nil
        if taken > 0 {
            lastSent = events.owner.loop.now
            watch.end()
        }
        guard taken == batch.bytes.count else { return block() }
        goOn(batch)
    }

    /// Moves the cursor to the end of the live events that were sent.
    func follow() {
        if let live { cursor.stand(at: live) }
    }

    private func goOn(_ batch: EventBatch) {
        if isWatched, let project {
            events.turnEnds.came(
                ObjectIdentifier(self), project, to: cursor.lastFrame, ended: cursor.lastTurnEnd,
                held: batch.heldFrame)
        }
        if finishIfSent() { return }
        if let deadline = batch.deadline {
            wake = MonotonicTime.now + .milliseconds(max(1, deadline - WallClock.milliseconds))
            rearm()
        }
        if !batch.isAtEnd || newsWaits || live == nil { read() }
    }

    /// Marks the stream as blocked, because the client accepts no more bytes at present.
    private func block() {
        isBlocked = true
        watch.begin(held: client?.unacknowledgedBytes ?? 0, at: events.owner.loop.now)
        rearm()
    }

    @discardableResult
    private func finishIfSent() -> Bool {
        guard !isEnded, !isReading, !isBlocked, cursor.isFinished else { return false }
        client?.finish()
        end()
        return true
    }

    /// Sends a frame that is in no log, if the client has received everything else.
    private func sendLive(_ frame: [UInt8]) {
        guard !isReading, !isBlocked, !isEnded, live != nil else { return }
        write(frame)
    }

    func write(_ frame: [UInt8]) {
        lastSent = events.owner.loop.now
        if client?.write(frame.span) == false { block() }
    }

    // MARK: Ending

    func end() {
        guard !isEnded else { return }
        isEnded = true
        if let timer { events.owner.loop.cancel(timer) }
        timer = nil
        client = nil
        events.owner.streamEnded(self)
        events.end(number)
        if cursor.isOpenCode1Compatible, let project { events.turnEnds.leave(ObjectIdentifier(self), project) }
    }

    /// Sets the timer for the earliest deadline.
    func rearm() {
        guard let timer else { return }
        var deadline = (beats ? lastHeartbeat : lastSent) + commentInterval
        if isBlocked {
            deadline = watch.nextLook(events.owner.loop.now)
        } else if newsWaits, !isReading {
            deadline = min(deadline, nextRead)
        }
        if let wake { deadline = min(deadline, wake) }
        events.owner.loop.arm(timer, at: deadline)
    }

    /// Whether the stream sends its own heartbeats, because the events it reads are OpenCode 2's.
    var beats: Bool { isPlain && cursor.isOpenCode1Compatible }

    var commentInterval: Duration { isPlain ? Self.replayComment : Self.ownComment }
}
