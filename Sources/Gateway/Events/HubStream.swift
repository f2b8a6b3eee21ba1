import Clocks
import EventHub
import EventLoop
import HTTPServer
import HTTPTypes
import OpenCode
internal import Projects

/// One client's stream of one project's events, from the hub: a place in the log, and what has to be told beside it.
final class HubStream: EventStreamReceiver {
    /// Bytes that are read at once for a stream that is behind.
    static let portion = 64 * 1024
    /// How often a stream that nothing else is said on gets a comment: the gateway's own, and any in a long replay.
    private static let ownComment = Duration.seconds(15)
    private static let replayComment = Duration.seconds(10)

    let project: ProjectName?
    /// Whether it is one of OpenCode's own, which ends with the instance's.
    let isPlain: Bool
    let shape: EventShape
    unowned let events: LoopEvents
    var client: DetachedConnection?
    var cursor: EventCursor
    /// Where it stands once everything before that was sent; nil: that is not so. The cursor follows when it is used.
    private var live: LogPosition?
    private var number = 0
    private(set) var connectedFrame: [UInt8]
    var isReading = false
    var isBlocked = false
    var newsWaits = false
    var isEnded = false
    /// Whether an event is known that it ends behind.
    private var hasLast = false
    /// Whether a request waits for it to send what was read last.
    private var isWatched = false
    /// How long the client may take nothing.
    let stall: Duration
    /// The least time between two looks at the log; nil: none.
    private let pace: Duration?
    private var nextRead = MonotonicTime(nanoseconds: 0)
    /// When something will be told that no event brings.
    var wake: MonotonicTime?
    private var timer: LoopTimer?
    var lastSent: MonotonicTime
    var watch: StallWatch
    /// When OpenCode 1's heartbeat was sent last, by a stream that is translated.
    var lastHeartbeat: MonotonicTime
    /// What its frames are like; nil: no other stream's are the same.
    let wish: SharedStreamFrames.Wish?
    /// Those who get the same frames on this loop, while it is read.
    var group: SharedStreamFrames.Group?

    /// A stream that begins at this place; `connected` is what OpenCode's clients get behind a gap.
    init(
        _ events: LoopEvents, _ project: ProjectName?, _ cursor: EventCursor, isPlain: Bool, connected: [UInt8],
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
        wish = project == nil ? nil : SharedStreamFrames.Wish(cursor)
    }

    /// Answers with this head and, as the first bytes, `opening`.
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
        if isAwaited, let project, let mailbox = events.owner.mailbox {
            events.turnEnds.join(ObjectIdentifier(self), project, mailbox)
        }
        write(opening)
        read()
        rearm()
    }

    // MARK: What comes

    /// Whether it may get what begins at this place without a look at the log.
    func isLive(at place: LogPosition) -> Bool {
        guard let live, !isReading, !isBlocked, !isEnded, !hasLast else { return false }
        return live == place
    }

    /// The frames for items that begin at its place.
    func frames(of items: [LogItem], upTo place: LogPosition) -> EventBatch {
        cursor.write(items, upTo: place, connected: connectedFrame)
    }

    /// Sends what is live. This is done for each client and event: nothing is copied here.
    func deliver(_ passage: borrowing EventBatch, at now: MonotonicTime) {
        let count = passage.bytes.count
        let taken = count == 0 ? 0 : client?.send(framed: passage.bytes.span) ?? 0
        guard taken == count, !newsWaits else {
            follow()
            return sent(taken, of: copy passage)
        }
        live = passage.end
        if count > 0 { lastSent = now }
    }

    /// Something was said that it has to read in the log.
    func hasNews() {
        guard !isEnded else { return }
        if isReading || isBlocked { newsWaits = true } else { read() }
    }

    func received(_ reading: Reading) {
        isReading = false
        guard !isEnded else { return }
        // What it ends behind may have become known meanwhile.
        let until = cursor.until
        cursor = reading.cursor
        cursor.until = cursor.until ?? until
        live = nil
        isWatched = reading.isWatched && isAwaited
        send(reading.passage)
    }

    /// Whether answers to requests wait for it: what is merged at a rate of its own is late by intention.
    private var isAwaited: Bool { cursor.isOpenCode1Compatible && pace == nil }

    /// The answer was sent before which it does not go on with the end of a turn.
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
        tellLive(frame.frame(shape))
    }

    func comment(_ bytes: [UInt8]) {
        guard isPlain, !cursor.isOpenCode1Compatible else { return }
        tellLive(bytes)
    }

    /// The instance's stream is lost: a client that reads OpenCode's own looks at everything again.
    func upstreamLost() {
        if isPlain { breakOff() } else { hasNews() }
    }

    /// A directory was closed by the instance; its streams end behind that, as they do there.
    func disposed(_ directory: [UInt8], _ id: EventID) {
        guard isPlain, cursor.selector.isNamed(directory), !isEnded else { return }
        follow()
        cursor.until = cursor.until ?? id
        hasLast = true
        finishIfTold()
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

    private func send(_ passage: EventBatch) {
        // A client that has half a frame can't be given another one.
        guard !passage.isBroken else { return breakOff() }
        sent(passage.bytes.isEmpty ? 0 : client?.send(framed: passage.bytes.span) ?? 0, of: passage)
    }

    /// So many bytes of the passage have been taken.
    private func sent(_ taken: Int, of passage: EventBatch) {
        guard !isEnded else { return }
        cursor.sent(taken, of: passage)
        live = cursor.isSettled ? cursor.place : nil
        if taken > 0 {
            lastSent = events.owner.loop.now
            watch.end()
        }
        guard taken == passage.bytes.count else { return block() }
        goOn(passage)
    }

    /// The cursor comes to where live events were sent to.
    func follow() {
        if let live { cursor.stand(at: live) }
    }

    private func goOn(_ passage: EventBatch) {
        if isWatched, let project {
            events.turnEnds.came(ObjectIdentifier(self), project, to: cursor.lastFrame, held: passage.heldFrame)
        }
        if finishIfTold() { return }
        if let deadline = passage.deadline {
            wake = MonotonicTime.now + .milliseconds(max(1, deadline - WallClock.milliseconds))
            rearm()
        }
        if !passage.isAtEnd || newsWaits || live == nil { read() }
    }

    /// The client takes no more at this moment.
    private func block() {
        isBlocked = true
        watch.begin(held: client?.unacknowledgedBytes ?? 0, at: events.owner.loop.now)
        rearm()
    }

    @discardableResult
    private func finishIfTold() -> Bool {
        guard !isEnded, !isReading, !isBlocked, cursor.isFinished else { return false }
        client?.finish()
        end()
        return true
    }

    /// Something that stands in no log: for those who have everything else.
    private func tellLive(_ frame: [UInt8]) {
        guard !isReading, !isBlocked, !isEnded, live != nil else { return }
        write(frame)
    }

    func write(_ frame: [UInt8]) {
        lastSent = events.owner.loop.now
        if client?.write(frame.span) == false { block() }
    }

    // MARK: Ends

    func end() {
        guard !isEnded else { return }
        isEnded = true
        if let timer { events.owner.loop.cancel(timer) }
        timer = nil
        client = nil
        events.owner.streamEnded(self)
        events.end(self, number: number)
        if isAwaited, let project { events.turnEnds.leave(ObjectIdentifier(self), project) }
    }

    /// Sets the timer for whatever comes first.
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

    /// Whether it has heartbeats of its own: what it reads are OpenCode 2's.
    var beats: Bool { isPlain && cursor.isOpenCode1Compatible }

    var commentInterval: Duration { isPlain ? Self.replayComment : Self.ownComment }
}
