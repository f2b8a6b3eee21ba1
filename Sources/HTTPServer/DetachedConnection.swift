package import EventLoop
package import HTTPTypes

/// A client's connection that was taken from libmicrohttpd: one answer is written to it, then it is handed back or closed.
///
/// Bytes written during one pass of the loop leave in one system call at its end.
package final class DetachedConnection: ListedConnection, ReadinessHandler, PassHandler, TimerHandler {
    /// What happens when the client does not keep up.
    package enum Policy {
        /// The source is asked to pause: for answers whose source can wait.
        case pauseSource
        /// The client is cut once more than this many bytes wait: for event streams, whose source (OpenCode) would
        /// queue without bound.
        case cut(above: Int)
    }

    /// How long a connection may linger after its answer without a byte, so that bytes in flight don't turn the end
    /// into a reset.
    static let lingerTimeout = Duration.seconds(2)
    /// How long it may linger in all: a client that goes on sending is not listened to for ever.
    static let longestLinger = Duration.seconds(30)
    /// How often a cut HTTP/1.0 connection is looked at until the client has everything.
    static let resetInterval = Duration.milliseconds(5)

    /// Reads of 64 KiB in one pass at most, so that one client's flood keeps nobody waiting.
    static let readsPerPass = 16

    let loop: EventLoop
    let server: Server
    let socket: Socket
    let request: RequestRecord
    let client: Client
    private let policy: Policy
    private let version: Version
    private let isHead: Bool
    private var body = WireBody(.none(announced: nil), version: .http11, isHead: false)
    var state = DetachedState()
    var pending = ByteQueue()
    private var isFlushScheduled = false
    var isDiscardDue = false
    var lingerEnd = MonotonicTime.distantFuture
    /// When all of it must have ended, where no valid key was seen on it.
    let keylessEnd: MonotonicTime?
    private var isSourcePaused = false
    /// Whether the answer's body is an event stream.
    private var isEventStream = false
    /// Whether its source waits until something can be sent at once (``send(framed:)``).
    private var isRoomWanted = false
    var watch: EventLoop.Watch?
    var timer: LoopTimer?
    var resetChecksLeft = 400
    var summary: RequestSummary
    var exchange: (any ServerExchange)?
    var isReported = false

    init(
        socket: Socket, from connection: ClientConnection, version: Version, isHead: Bool, policy: Policy,
        exchange: (any ServerExchange)?, keylessEnd: MonotonicTime?
    ) {
        loop = connection.server.loop
        server = connection.server
        self.socket = socket
        self.policy = policy
        self.exchange = exchange
        self.keylessEnd = keylessEnd
        self.isHead = isHead
        self.version = version
        summary = connection.summary
        request = RequestRecord(connection)
        client = Client(of: connection)
    }

    /// Writes the head, which says that the connection ends with this answer if it is to, and begins to watch the client. False where
    /// that is not possible: the connection is closed then, and the follower has heard of it.
    func start(_ head: ResponseHead, _ length: BodyLength, _ end: AnswerEnd) -> Bool {
        var bytes = WireHead.begin(head)
        body = WireBody(length, version: version, isHead: isHead)
        if let field = body.field { WireHead.add(field.name, field.value, to: &bytes) }
        state.endsByClosing = body.endsByClosing
        state.handsBack = end == .handsBack && !body.endsByClosing
        isEventStream = head.isEventStream && !isHead
        if end == .announced { WireHead.add("Connection", "close", to: &bytes) }
        if head.fields.firstIndex(of: .date) == nil { WireHead.add("Date", HTTPDate.now(), to: &bytes) }
        WireHead.endLine(&bytes)
        pending.append(contentsOf: bytes)
        server.add(self)
        do {
            watch = try loop.watch(
                socket.descriptor, for: [.readable, .writable, .peerClosed, .edgeTriggered], handler: self)
        } catch {
            close(tellingFollower: true)
            return false
        }
        timer = loop.timer(self)
        if let keylessEnd, let timer { loop.arm(timer, at: keylessEnd) }
        scheduleFlush()
        return true
    }

    /// Adds bytes to the body; answers whether the source may go on at once. If not,
    /// ``ServerExchange/resumeResponse()`` says when.
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard state.phase == .open, !bytes.isEmpty, body.isPresent else { return true }
        body.write(bytes, to: &pending)
        summary.bodyBytes += UInt64(bytes.count)
        scheduleFlush()
        switch policy {
        case .cut(let limit):
            guard pending.count > limit else { return true }
            // What the kernel takes now does not count as waiting.
            flush()
            guard pending.count > limit, state.phase == .open else { return true }
            server.handler.turnedAway(request.peer, .slowReader(waiting: pending.count))
            close(tellingFollower: true)
            return true
        case .pauseSource:
            guard pending.count > ServerLimits.highWater else { return true }
            isSourcePaused = true
            // From now on only the client can move anything.
            arm(server.limits.sendTimeout)
            return false
        }
    }

    /// Sends bytes whose transfer coding was made already, as far as the client takes them at once; answers how many that are.
    /// If not all, ``ServerExchange/resumeResponse()`` says when there is room. Nothing of them is kept.
    package func send(framed bytes: Span<UInt8>) -> Int {
        guard state.phase == .open, body.isPresent else { return 0 }
        if !pending.isEmpty { flush() }
        guard pending.isEmpty, state.phase == .open else {
            isRoomWanted = state.phase == .open
            return 0
        }
        switch socket.send(bytes) {
        case .bytes(let count):
            summary.bodyBytes += UInt64(count)
            isRoomWanted = count < bytes.count
            return count
        case .failed:
            close(tellingFollower: true)
            return 0
        }
    }

    /// Bytes that the client's kernel has not taken yet: what the gateway's own holds for it.
    package var unacknowledgedBytes: Int { socket.unacknowledgedBytes }

    /// Whether what is sent has to be in chunks (RFC 9112 §7.1).
    package var isChunked: Bool { body.isChunked }

    /// The client's address.
    package var peer: String { request.peer }

    /// The body is whole.
    package func finish(trailers: FieldList = FieldList()) {
        guard state.on(.finish) == .writeRest else { return }
        exchange = nil
        summary.isComplete = true
        // Nobody may take the next answer for the rest of a body that is shorter than was promised.
        if let promised = body.promised, body.isPresent, promised != summary.bodyBytes { state.handsBack = false }
        body.end(trailers: trailers, to: &pending)
        arm(server.limits.sendTimeout)
        scheduleFlush()
    }

    /// The source broke off: what waits is delivered, then the connection is cut; no client can take it for a clean
    /// end.
    package func breakOff() {
        guard state.on(.breakOff) == .writeRest else { return }
        // What would complete the promised length is not delivered: nobody may take this body for a whole one.
        if let promised = body.promised, summary.bodyBytes >= promised { pending.removeAll() }
        exchange = nil
        arm(server.limits.sendTimeout)
        scheduleFlush()
    }

    // MARK: Events

    /// The client has taken, sent or ended something.
    package func ready(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: .gone) {
            // Bytes that nobody reads would turn the end into a reset.
            discardInput()
            return close(tellingFollower: true)
        }
        if readiness.contains(.readable), state.on(.input) == .discardInput { discardInput() }
        if readiness.contains(.writable) {
            if !pending.isEmpty { flush() }
            if isRoomWanted, pending.isEmpty, state.phase == .open {
                isRoomWanted = false
                exchange?.resumeResponse()
            }
        }
    }

    /// What was written during the pass leaves now.
    package func passEnded() {
        isFlushScheduled = false
        flush()
        if isDiscardDue, state.phase == .lingering {
            isDiscardDue = false
            discardInput()
        }
    }

    /// The client has not taken its answer, or not ended, in time.
    package func timerFired(_ timer: LoopTimer) {
        // What waits was not taken in time: the client does not read.
        if pending.isEmpty, state.phase == .breaking { return perform(state.on(.timedOut)) }
        close(tellingFollower: true)
    }

    func arm(_ duration: Duration) { arm(at: loop.now + duration) }

    func arm(at deadline: MonotonicTime) {
        guard let timer else { return }
        loop.arm(timer, at: keylessEnd.map { min($0, deadline) } ?? deadline)
    }

    override func makeRoom() {
        server.handler.turnedAway(request.peer, .madeRoom)
        close(tellingFollower: true)
    }

    func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfPass(self)
    }

    private func flush() {
        while !pending.isEmpty, state.phase != .closed {
            switch pending.withBytes({ socket.send($0) }) {
            case .bytes(0): return
            case .bytes(let count):
                pending.removeFirst(count)
                if isSourcePaused || state.phase != .open { arm(server.limits.sendTimeout) }
                resumeSource()
            case .failed: return close(tellingFollower: true)
            }
        }
        // A stream's client has no further use for its connection, which would stay for as long as an idle one may; unless its next
        // request is there already.
        if isEventStream, state.phase == .ending, state.handsBack, socket.isQuiet { state.handsBack = false }
        perform(state.on(.written, isDraining: server.isDraining))
    }

    private func perform(_ effect: DetachedState.Effect) {
        switch effect {
        case .handBack: handBack()
        case .linger: linger()
        case .reset: resetWhenDelivered()
        case .discardInput: discardInput()
        case .close: close(tellingFollower: true)
        case .nothing, .writeRest: break
        }
    }

    private func resumeSource() {
        guard isSourcePaused, pending.count <= ServerLimits.lowWater else { return }
        isSourcePaused = false
        if state.phase == .open, keylessEnd == nil { timer?.disarm() }
        exchange?.resumeResponse()
    }
}
