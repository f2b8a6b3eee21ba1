// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import HTTPTypes

/// A client's connection that was detached from libmicrohttpd. The gateway writes one response, and then returns the
/// connection to libmicrohttpd or closes the connection.
///
/// Bytes that are written during one pass of the loop are sent in one system call at the end of the pass.
package final class DetachedConnection: ListedConnection, ReadinessHandler, PassHandler, TimerHandler {
    /// The reaction to a client that reads too slowly.
    package enum Policy {
        /// The source is paused. This policy is for responses whose source can wait.
        case pauseSource
        /// The connection is aborted once more than this number of bytes is waiting. This policy is for event streams,
        /// whose source (OpenCode) would otherwise queue events without limit.
        case cut(above: Int)
    }

    /// The maximum time that a connection lingers after its response without receiving a byte, so that bytes in transit
    /// do not cause a reset.
    static let lingerTimeout = Duration.seconds(2)
    /// The maximum total time that a connection lingers, so that the gateway does not read forever from a client that
    /// continues to send.
    static let longestLinger = Duration.seconds(30)
    /// The interval for checking whether the client of an aborted HTTP/1.0 connection has received everything.
    static let resetInterval = Duration.milliseconds(5)

    /// The maximum number of reads of 64 KiB in one pass, so that one client's data does not delay other clients.
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
    /// The deadline for the whole connection if the client presented no valid key on it.
    let keylessEnd: MonotonicTime?
    private var isSourcePaused = false
    /// Whether the response's body is an event stream.
    private var isEventStream = false
    /// Whether the source waits until bytes can be sent immediately (``send(framed:)``).
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

    /// Writes the head and starts watching the client. If `end` is ``AnswerEnd/announced``, the head announces that the
    /// connection ends with this response.
    ///
    /// - Returns: false if this is not possible. The connection is then closed, and the exchange has been notified.
    func start(_ head: ResponseHead, length: BodyLength, end: AnswerEnd) -> Bool {
        var bytes = WireHead.statusAndFields(head)
        body = WireBody(length, version: version, isHead: isHead)
        if let field = body.field { WireHead.add(field.name, field.value, to: &bytes) }
        state.endsByClosing = body.endsByClosing
        state.isReusable = end == .reused && !body.endsByClosing
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
            close(notifyingExchange: true)
            return false
        }
        timer = loop.timer(self)
        if let keylessEnd, let timer { loop.arm(timer, at: keylessEnd) }
        scheduleFlush()
        return true
    }

    /// Adds bytes to the body. Returns whether the source may continue immediately. If not,
    /// ``ServerExchange/resumeResponse()`` is called when the source may continue.
    package func write(_ bytes: Span<UInt8>) -> Bool {
        guard state.phase == .open, !bytes.isEmpty, body.isPresent else { return true }
        body.write(bytes, to: &pending)
        summary.bodyBytes += UInt64(bytes.count)
        scheduleFlush()
        switch policy {
        case .cut(let limit):
            guard pending.count > limit else { return true }
            // Flush first, because bytes that the kernel accepts now do not count as waiting.
            flush()
            guard pending.count > limit, state.phase == .open else { return true }
            server.handler.rejected(request.peer, .slowReader(waiting: pending.count))
            close(notifyingExchange: true)
            return true
        case .pauseSource:
            guard pending.count > ServerLimits.highWater else { return true }
            isSourcePaused = true
            // Only the client can make progress now, so limit its time.
            arm(server.limits.sendTimeout)
            return false
        }
    }

    /// Sends bytes that are already transfer-coded, as many as the client accepts immediately. Returns the number of
    /// sent bytes. Does not store the remaining bytes. Calls ``ServerExchange/resumeResponse()`` when there is room for
    /// them.
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
            close(notifyingExchange: true)
            return 0
        }
    }

    /// The number of sent bytes that the client's kernel has not acknowledged yet.
    package var unacknowledgedBytes: Int { socket.unacknowledgedBytes }

    /// Whether the body must be sent in chunks (RFC 9112 §7.1).
    package var isChunked: Bool { body.isChunked }

    /// The client's address, without the port.
    package var peer: String { request.peer }

    /// Marks the end of a complete body.
    package func finish(trailers: FieldList = FieldList()) {
        guard state.on(.finish) == .writeRemainder else { return }
        exchange = nil
        summary.isComplete = true
        // Do not reuse the connection if the body is shorter than its Content-Length. The client would read the next
        // response as the remainder of this body.
        if let promised = body.promised, body.isPresent, promised != summary.bodyBytes { state.isReusable = false }
        body.finish(trailers: trailers, to: &pending)
        arm(server.limits.sendTimeout)
        scheduleFlush()
    }

    /// Aborts the body after its source has failed. Delivers the waiting bytes and then aborts the connection, so that
    /// no client mistakes the body for a complete one.
    package func abort() {
        guard state.on(.abort) == .writeRemainder else { return }
        // Do not deliver bytes that would complete the promised length, because a client could then accept this body as
        // complete.
        if let promised = body.promised, summary.bodyBytes >= promised { pending.removeAll() }
        exchange = nil
        arm(server.limits.sendTimeout)
        scheduleFlush()
    }

    // MARK: Events

    /// Handles an event from the client, which has accepted or sent bytes or has closed the connection.
    package func ready(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: .closed) {
            // Discard unread bytes, because closing a socket with unread bytes sends a reset.
            discardInput()
            return close(notifyingExchange: true)
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

    /// Sends the bytes that were written during the pass.
    package func passEnded() {
        isFlushScheduled = false
        flush()
        if isDiscardDue, state.phase == .lingering {
            isDiscardDue = false
            discardInput()
        }
    }

    /// Ends a connection whose client did not read its response, or did not close the connection, in time.
    package func timerFired(_ timer: LoopTimer) {
        // If all bytes were written after an abort, the timer only checks whether the client has received them. In any
        // other case, the client did not react in time, so close its connection.
        if pending.isEmpty, state.phase == .breaking { return perform(state.on(.timedOut)) }
        close(notifyingExchange: true)
    }

    func arm(_ duration: Duration) { arm(at: loop.now + duration) }

    func arm(at deadline: MonotonicTime) {
        guard let timer else { return }
        loop.arm(timer, at: keylessEnd.map { min($0, deadline) } ?? deadline)
    }

    override func makeRoom() {
        server.handler.rejected(request.peer, .madeRoom)
        close(notifyingExchange: true)
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
            case .failed: return close(notifyingExchange: true)
            }
        }
        // Close the connection after an event stream, because the client has no further use for it. The connection
        // would otherwise stay open for the idle time. The exception is a client whose next request has already
        // arrived.
        if isEventStream, state.phase == .ending, state.isReusable, socket.isQuiet { state.isReusable = false }
        perform(state.on(.written, isDraining: server.isDraining))
    }

    private func perform(_ effect: DetachedState.Effect) {
        switch effect {
        case .returnSocket: returnSocket()
        case .linger: linger()
        case .reset: resetWhenDelivered()
        case .discardInput: discardInput()
        case .close: close(notifyingExchange: true)
        case .nothing, .writeRemainder: break
        }
    }

    private func resumeSource() {
        guard isSourcePaused, pending.count <= ServerLimits.lowWater else { return }
        isSourcePaused = false
        if state.phase == .open, keylessEnd == nil { timer?.disarm() }
        exchange?.resumeResponse()
    }
}
