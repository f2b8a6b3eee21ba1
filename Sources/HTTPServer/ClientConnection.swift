package import Addresses
package import EventLoop
import Glibc
package import HTTPTypes

/// One client's connection while libmicrohttpd parses and frames it.
///
/// A request's way: ``began(target:)`` (request line), ``step(_:)`` once for the head, once for each piece of the
/// body and once for its end, then ``completed(isWhole:)``. Between the last step and the answer the connection
/// waits, suspended if that takes longer. Which call and which event means what is `RequestState`'s to say. Files with
/// `ClientConnection+` in their name hold the steps, the answer and the ways out of libmicrohttpd's hands.
package final class ClientConnection: ListedConnection, ReadinessHandler, TimerHandler {
    /// How long bytes that came right before the client's end may take to be read.
    private static let farewell = Duration.milliseconds(100)
    /// How long the server's end waits for the first request of a client that has just connected: some round trips.
    private static let welcome = Duration.seconds(1)

    /// How long a refusal waits for the body of its request, so that the connection can go on: as long as a client may take to send
    /// what it has ready.
    private static let patience = Duration.milliseconds(300)

    let server: Server
    let handle: ConnectionHandle
    let descriptor: Int32
    /// Where the connection stands in the server's list.
    var listIndex = 0
    var state = RequestState()
    /// Whether libmicrohttpd has closed the connection: its handle is not valid any more.
    private(set) var isClosed = false
    /// Whether the descriptor was added to libmicrohttpd's poll set (``ConnectionHandle/expire(pollSet:descriptor:)``).
    private var hasJoinedPollSet = false
    private(set) var deadline: Deadline
    private(set) var timer: LoopTimer?
    private var watch: EventLoop.Watch?

    /// Whether libmicrohttpd has been told to leave the connection alone.
    private(set) var isSuspended = false
    private var wait = AnswerWait()
    var gathering = BodyGathering()
    var stall = ReadingStall()
    /// Whether this connection's callback is running: then it is suspended at its end, not resumed.
    var isInCallback = false
    /// Whether the client has closed its side: told once by the kernel, so kept.
    private(set) var peerClosed = false
    /// Whether bytes have come since the last request ended.
    var hasInput = false
    /// What the connection's requests have taken of what was read from its socket.
    private(set) var account: SocketAccount

    /// Whether a valid key was seen on this connection. Until then one deadline, that of a head, is for a whole request and for taking
    /// the answer.
    private(set) var isVouched: Bool
    /// The deadline of the current request's head.
    private(set) var headEnd = MonotonicTime.distantFuture
    /// What refuses the current request once its body has come, which is thrown away.
    var refusal: Answer?

    /// By which listener the client has come: the number given to ``Server/accept(from:as:)``.
    package let entrance: UInt8
    /// The client's address, `HOST` without the port.
    package let peer: String
    /// The same as bytes, made once.
    package let peerBytes: [UInt8]
    /// The same as a number; nil for a peer that has none.
    package let peerAddress: IPAddress?
    /// The head of the current request.
    package let head = RequestHead()
    /// How the current request's body is framed.
    package internal(set) var framing = RequestFraming.none
    /// The part of the current request's body that has arrived and was not taken yet.
    package internal(set) var body = ByteQueue()
    /// Whether the request's body has arrived to its end.
    package var isBodyComplete: Bool { state.isBodyComplete }
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
    /// An answer that libmicrohttpd has not been given yet.
    var pendingAnswer: PendingAnswer?
    var upgradeHandler: UpgradeHandler?

    init(server: Server, handle: ConnectionHandle, client: Client) {
        self.server = server
        self.handle = handle
        peer = client.peer
        peerBytes = Array(client.peer.utf8)
        peerAddress = client.address
        account = client.account
        context = client.context
        entrance = client.entrance
        isVouched = client.isVouched
        // Who has connected just now is given less time for a request than who has had one answered.
        deadline = client.isKept ? .idle : .head
        descriptor = handle.descriptor
    }

    /// Begins to watch the socket; false where the kernel refuses.
    func open() -> Bool {
        // Edge-triggered: told once for each change, so that it costs nothing while libmicrohttpd reads the same
        // socket.
        watch = try? server.loop.watch(
            descriptor, for: [.readable, .peerClosed, .edgeTriggered], handler: self)
        timer = server.loop.timer(self)
        arm(deadline)
        return watch != nil
    }

    /// libmicrohttpd has closed the connection, or what was left of it after its socket was taken.
    func closed() {
        endWait()
        // Some of its errors libmicrohttpd does not report as a request's end.
        if state.phase != .idle, state.phase != .taken { completed(isWhole: false) }
        isClosed = true
        if hasJoinedPollSet { server.leavePollSet(descriptor) }
        if framing == .chunked { server.forgetsUpload(self) }
        server.keyless.remove(self)
        // A first line that is none: no request was begun, and the loop may not have told of it yet.
        if hasInput || deadline == .head, state.phase != .taken { endBehindRefusal() }
        // libmicrohttpd closes the descriptor, of which there is no duplicate: that ends the watch in the kernel.
        stopWatching(closesDescriptor: true)
        server.forget(self)
    }

    /// libmicrohttpd has refused a request itself, and closes without `shutdown` (MHD_USE_TURBO). Where it has not read all of it
    /// the kernel answers that with a reset; before it the client sees an end behind the refusal (RFC 9112 §9.6).
    func endBehindRefusal() {
        if !peerClosed { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    func stopWatching(closesDescriptor: Bool = false) {
        if let watch { server.loop.cancel(watch, closesDescriptor: closesDescriptor) }
        watch = nil
        if let timer { server.loop.cancel(timer) }
        timer = nil
    }

    // MARK: Events

    /// The socket itself has news; libmicrohttpd hears of them on its own.
    package func ready(_ readiness: Readiness) {
        if readiness.contains(.readable), !hasInput {
            hasInput = true
            if state.phase == .idle { arm(.head) }
        }
        guard !readiness.isDisjoint(with: .gone), !peerClosed else { return }
        peerClosed = true
        server.needsRun()
        switch state.on(.clientEnded) {
        case .abandon: abandon()
        // libmicrohttpd 0.9.75 misses an end that comes together with the bytes before it.
        case .hurry: arm(deadline)
        default: break
        }
    }

    /// A deadline has passed.
    package func timerFired(_ timer: LoopTimer) {
        switch deadline.expiry(hasInput: hasInput, peerClosed: peerClosed) {
        case .earlyRefusal: return refuseEarly()
        // Without a key, time runs also while an answer is made.
        case .nothing: guard !isVouched else { return }
        case .cut: break
        case .requestTimeout:
            server.handler.turnedAway(peer, .lateRequest)
            sayTimeout()
        case .sendTimeout: server.handler.turnedAway(peer, .lateReader)
        }
        cut()
    }

    /// Sets the deadline of what the connection waits for now.
    func arm(_ next: Deadline) {
        deadline = next
        // Without a key the head's deadline stays.
        guard let timer, isVouched || peerClosed || next == .head || next == .idle || next == .refusedBody else {
            return
        }
        switch next {
        case .head:
            headEnd = server.loop.now + server.limits.headTimeout
            arm(timer, request: server.limits.headTimeout)
        case .idle: arm(timer, request: server.limits.idleTimeout)
        case .body: arm(timer, request: server.limits.bodyTimeout)
        case .send: server.loop.arm(timer, after: server.limits.sendTimeout)
        case .refusedBody:
            server.loop.arm(timer, at: min(server.loop.now + (peerClosed ? Self.farewell : Self.patience), headEnd))
        case .none: timer.disarm()
        }
    }

    /// A valid key was seen on this connection, or its client needs none: from now on each wait has a deadline of its own, and it is not
    /// ended in favour of another client's.
    package func vouch() {
        guard !isVouched else { return }
        isVouched = true
        server.keyless.remove(self)
        arm(deadline)
    }

    override func makeRoom() {
        server.handler.turnedAway(peer, .madeRoom)
        cut()
    }

    /// Of a request, nothing comes any more once the client has ended; what has come may still have to be read.
    private func arm(_ timer: LoopTimer, request limit: Duration) {
        server.loop.arm(timer, after: peerClosed ? Self.farewell : limit)
    }

    /// The request has arrived to its end.
    func countRequest() { account.took(head: headSize, framing) }

    /// Prepares for the next request on the same connection.
    func rest() {
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
    var isInputWaiting: Bool {
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

    /// Waits for the answer of a request that is whole.
    func awaitAnswer() {
        guard !isSuspended else { return }
        switch wait.askedInVain() {
        case .begins: server.pacing.waitBegins(ObjectIdentifier(self))
        case .goesOn: break
        case .ends: suspend()
        }
    }

    /// Whether libmicrohttpd calls for an answer that is not there yet.
    var isWaiting: Bool { wait.isOn }

    /// The answer is there, or nobody can get it any more.
    func endWait() {
        if wait.end() { server.pacing.waitEnds() }
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
        _ = state.on(.cut)
        abandon()
        server.expires(self)
    }

    /// Has libmicrohttpd close the connection in its next run.
    func expire(pollSet: Int32) {
        // Of a suspended connection libmicrohttpd must hear nothing.
        guard !isClosed, !hasJoinedPollSet, !isSuspended else { return }
        hasJoinedPollSet = handle.expire(pollSet: pollSet, descriptor: descriptor)
    }

    /// Nothing can reach the client any more: tells who follows the request, and lets libmicrohttpd clean up.
    private func abandon() {
        let follower = exchange
        exchange = nil
        follower?.clientGone()
        resume()
    }

    /// The request's end was slow: 408 (RFC 9110 §15.5.9), written past libmicrohttpd, which has sent nothing yet.
    private func sayTimeout() {
        guard state.phase != .answering, state.phase != .taken else { return }
        let text = WireHead.complete(StandardAnswer.requestTimeout)
        text.withUnsafeBytes { _ = send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
        summary.status = StandardAnswer.requestTimeout.head.status
    }
}
