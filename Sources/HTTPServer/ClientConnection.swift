package import Addresses
package import EventLoop
import Glibc
package import HTTPTypes

/// One client's connection while libmicrohttpd parses and frames it.
///
/// A request's way: ``began(target:)`` (request line), ``step(_:)`` once for the head, once for each piece of the
/// body and once for its end, then ``completed(isWhole:)``. Between the last step and the answer the connection
/// waits, suspended if that takes longer. Files with `ClientConnection+` in their name hold the steps, the answer and
/// the ways out of libmicrohttpd's hands.
package final class ClientConnection: ReadinessHandler, TimerHandler {
    /// Where the connection is in its request.
    enum Phase {
        /// Between requests, or reading a head.
        case idle
        /// The head is checked; the body comes.
        case body
        /// The request was handed over and has not been answered.
        case handedOver
        /// An answer is queued or being sent.
        case answering
        /// The socket was taken away from libmicrohttpd, which does not know it.
        case taken
    }

    /// What the one timer waits for.
    enum Deadline {
        case head, idle, body, send, none
    }

    /// How long bytes that came right before the client's end may take to be read.
    private static let farewell = Duration.milliseconds(100)
    /// How long the server's end waits for the first request of a client that has just connected: some round trips.
    private static let welcome = Duration.seconds(1)

    let server: Server
    let handle: ConnectionHandle
    let descriptor: Int32
    /// Where the connection stands in the server's list.
    var listIndex = 0
    var phase = Phase.idle
    var deadline = Deadline.head
    private(set) var timer: LoopTimer?
    private var watch: EventLoop.Watch?

    /// Whether libmicrohttpd has been told to leave the connection alone.
    private(set) var isSuspended = false
    /// How often libmicrohttpd has asked in vain for the answer of a request that is whole; 0 while none is awaited.
    private var vainCalls = 0
    /// Whether this connection's callback is running: then it is suspended at its end, not resumed.
    var isInCallback = false
    /// Whether the client has closed its side: told once by the kernel, so kept.
    private(set) var peerClosed = false
    /// Whether bytes have come since the last request ended.
    var hasInput = false
    /// Whether libmicrohttpd shall close the connection at its next call.
    var mustClose = false

    /// The client's address, `HOST` without the port.
    package let peer: String
    /// The same as bytes, made once.
    package let peerBytes: [UInt8]
    /// The same as a number; nil for a peer that has none.
    package private(set) lazy var peerAddress = IPAddress(peerBytes)
    /// The head of the current request.
    package let head = RequestHead()
    /// How the current request's body is framed.
    package internal(set) var framing = RequestFraming.none
    /// The part of the current request's body that has arrived and was not taken yet.
    package internal(set) var body = ByteQueue()
    /// Whether the request's body has arrived to its end.
    package internal(set) var isBodyComplete = false
    /// Who follows the current request after it was handed over.
    package var exchange: (any ServerExchange)?
    /// When the current request's line was read.
    package internal(set) var startTime = MonotonicTime.now
    /// The current request's number on its loop, from 1.
    package internal(set) var number: UInt64 = 0
    /// What the handler keeps with the connection; nil until it sets it. It stands in each request's record, and stays with the
    /// client when the socket changes hands.
    package var context: (any ConnectionContext)?

    /// The size of the current request's head as it stood on the wire, in bytes.
    var headSize = 0
    var targetLength = 0
    var targetStart: UnsafePointer<CChar>?
    var summary = RequestSummary()

    /// What of an answer waits for libmicrohttpd to fetch it.
    var outgoing = OutgoingBody()
    /// An answer that is queued at the next call.
    var pendingAnswer: PendingAnswer?
    var upgradeHandler: UpgradeHandler?

    init(server: Server, handle: ConnectionHandle, peer: String) {
        self.server = server
        self.handle = handle
        self.peer = peer
        peerBytes = Array(peer.utf8)
        descriptor = handle.descriptor
    }

    /// Begins to watch the socket; false where the kernel refuses.
    func open() -> Bool {
        // Edge-triggered: told once for each change, so that it costs nothing while libmicrohttpd reads the same
        // socket.
        watch = try? server.loop.watch(
            descriptor, for: [.readable, .peerClosed, .edgeTriggered], handler: self)
        timer = server.loop.timer(self)
        arm(.head)
        return watch != nil
    }

    /// libmicrohttpd has closed the connection, or what was left of it after its socket was taken.
    func closed() {
        endWait()
        stopWatching()
        server.forget(self)
    }

    func stopWatching() {
        if let watch { server.loop.cancel(watch) }
        watch = nil
        if let timer { server.loop.cancel(timer) }
        timer = nil
    }

    // MARK: Events

    /// The socket itself has news; libmicrohttpd hears of them on its own.
    package func ready(_ readiness: Readiness) {
        if readiness.contains(.readable), !hasInput {
            hasInput = true
            if phase == .idle { arm(.head) }
        }
        guard !readiness.isDisjoint(with: .gone), !peerClosed else { return }
        peerClosed = true
        server.needsRun()
        switch phase {
        case .handedOver, .answering: abandon()
        // libmicrohttpd 0.9.75 misses an end that comes together with the bytes before it.
        case .idle, .body: arm(deadline)
        case .taken: break
        }
    }

    /// A deadline has passed.
    package func timerFired(_ timer: LoopTimer) {
        if peerClosed { return cut() }
        switch deadline {
        case .none: return
        case .head where hasInput, .body:
            server.handler.turnedAway(peer, .lateRequest)
            sayTimeout()
        case .head, .idle: break
        case .send: server.handler.turnedAway(peer, .lateReader)
        }
        cut()
    }

    /// Sets the deadline of what the connection waits for now.
    func arm(_ next: Deadline) {
        deadline = next
        guard let timer else { return }
        switch next {
        case .head: arm(timer, request: server.limits.headTimeout)
        case .idle: arm(timer, request: server.limits.idleTimeout)
        case .body: arm(timer, request: server.limits.bodyTimeout)
        case .send: server.loop.arm(timer, after: server.limits.sendTimeout)
        case .none: timer.disarm()
        }
    }

    /// Of a request, nothing comes any more once the client has ended; what has come may still have to be read.
    private func arm(_ timer: LoopTimer, request limit: Duration) {
        server.loop.arm(timer, after: peerClosed ? Self.farewell : limit)
    }

    /// Prepares for the next request on the same connection.
    func rest() {
        phase = .idle
        hasInput = false
        guard !peerClosed, !server.isDraining else { return cut() }
        arm(.idle)
    }

    /// The server is ending: between requests the connection goes. A request that is on its way is served, and so is the
    /// first one of a client that has only connected, which nobody else would serve: the next gateway never saw it.
    func leave() {
        guard !hasInput, !isInputWaiting else { return }
        guard deadline == .head, let timer else { return cut() }
        arm(timer, request: min(Self.welcome, server.limits.headTimeout))
    }

    /// Whether the kernel holds bytes that the loop has not heard of yet.
    private var isInputWaiting: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    // MARK: Suspending

    func suspend() {
        guard !isSuspended else { return }
        endWait()
        isSuspended = true
        handle.suspend()
    }

    /// The calls that libmicrohttpd makes in vain before a connection is suspended.
    private static let mostVainCalls = 8

    /// Waits for the answer of a request that is whole: at first without suspending, because that and resuming cost
    /// three system calls, and most answers come within a few runs of libmicrohttpd, which calls in each of them.
    func awaitAnswer() {
        guard !isSuspended else { return }
        if vainCalls == 0 { server.waitingCount += 1 }
        vainCalls += 1
        if vainCalls > Self.mostVainCalls { suspend() }
    }

    /// Whether libmicrohttpd calls for an answer that is not there yet.
    var isWaiting: Bool { vainCalls > 0 }

    /// The answer is there, or nobody can get it any more.
    func endWait() {
        guard vainCalls > 0 else { return }
        vainCalls = 0
        server.waitingCount -= 1
    }

    /// Lets libmicrohttpd go on; it calls back during the server's next run.
    func resume() {
        guard isSuspended || isWaiting, !isInCallback else { return }
        if isSuspended {
            isSuspended = false
            handle.resume()
        }
        server.needsRun()
    }

    /// Ends the connection whatever it is doing, and tells who follows its request.
    func cut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        peerClosed = true
        server.needsRun()
        abandon()
    }

    /// Nothing can reach the client any more: tells who follows the request, and lets libmicrohttpd clean up.
    private func abandon() {
        mustClose = true
        outgoing.state = .broken
        let follower = exchange
        exchange = nil
        follower?.clientGone()
        resume()
    }

    /// The request's end was slow: 408 (RFC 9110 §15.5.9), written past libmicrohttpd, which has sent nothing yet.
    private func sayTimeout() {
        guard phase == .idle || phase == .body || phase == .handedOver else { return }
        let text = WireHead.complete(StandardAnswer.requestTimeout)
        text.withUnsafeBytes { _ = send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
        summary.status = StandardAnswer.requestTimeout.head.status
    }
}
