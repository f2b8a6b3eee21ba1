// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import EventLoop
import Glibc
package import HTTPTypes

/// A client's connection while libmicrohttpd parses its requests and frames the responses.
///
/// A request consists of these calls: ``began(target:)`` for the request line, ``step(_:)`` once for the head, once for
/// each part of the body and once for its end, and ``completed(isWhole:)``. Between the last step and the response, the
/// connection waits. During a longer wait, the connection is suspended.
///
/// `RequestState` defines the meaning of every call and event. The files named `ClientConnection+…` contain the steps,
/// the response, and the ways to detach the socket from libmicrohttpd.
package final class ClientConnection: ListedConnection, ReadinessHandler, TimerHandler {
    /// The time for reading bytes that arrived right before the client closed its side.
    private static let farewell = Duration.milliseconds(100)
    /// The time that the shutdown of the server waits for the first request of a client that has just connected. This
    /// time allows for several round trips.
    private static let welcome = Duration.seconds(1)

    /// The time that a refusal waits for the body of its request, so that the connection can continue. The client has
    /// this time to send the data that it has ready.
    private static let patience = Duration.milliseconds(300)

    let server: Server
    let handle: ConnectionHandle
    let descriptor: Int32
    /// The index of the connection in the server's list.
    var listIndex = 0
    var state = RequestState()
    /// Whether libmicrohttpd has closed the connection, so that its handle is no longer valid.
    private(set) var isClosed = false
    /// Whether the descriptor was added to libmicrohttpd's poll set (``ConnectionHandle/expire(pollSet:descriptor:)``).
    private var hasJoinedPollSet = false
    private(set) var deadline: Deadline
    private(set) var timer: LoopTimer?
    private var watch: EventLoop.Watch?

    /// Whether libmicrohttpd currently ignores the connection.
    private(set) var isSuspended = false
    private var wait = AnswerWait()
    var gathering = BodyGathering()
    var stall = ReadingStall()
    /// Whether this connection's callback is running. The callback itself decides at its end whether to suspend the
    /// connection, so nothing resumes it during the callback.
    var isInCallback = false
    /// Whether the client has closed its side. The kernel reports the closure only once, so the value is stored.
    private(set) var peerClosed = false
    /// Whether bytes have arrived since the last request ended.
    var hasInput = false
    /// The number of the socket's bytes that belong to the requests of this connection.
    private(set) var account: SocketAccount

    /// Whether the client has presented a valid key on this connection. Without a valid key, the deadline for the head
    /// covers the whole request and the delivery of the response.
    private(set) var isVouched: Bool
    /// The deadline of the current request's head.
    private(set) var headEnd = MonotonicTime.distantFuture
    /// The response that rejects the current request after its body has arrived. The body is discarded.
    var refusal: GatewayAnswer?

    /// The number of the listener to which the client connected, as passed to ``Server/accept(from:as:)``.
    package let listenerNumber: UInt8
    /// The client's address without the port.
    package let peer: String
    /// The client's address as bytes, which are computed once.
    package let peerBytes: [UInt8]
    /// The client's address as a number; nil if the peer has none.
    package let peerAddress: IPAddress?
    /// The head of the current request.
    package let head = RequestHead()
    /// The framing of the current request's body.
    package internal(set) var framing = RequestFraming.none
    /// The received part of the current request's body that has not been consumed yet.
    package internal(set) var body = ByteQueue()
    /// Whether the request's body has arrived completely.
    package var isBodyComplete: Bool { state.isBodyComplete }
    /// The object that handles events of the current request after the handler has received it.
    package var exchange: (any ServerExchange)?
    /// The time when the current request's line was read.
    package internal(set) var startTime = MonotonicTime.now
    /// The current request's number on its loop, counted from 1.
    package internal(set) var number: UInt64 = 0
    /// The object that the handler stores with the connection; nil until the handler sets it. Each request's record
    /// contains the object. The object stays with the client when the socket changes owners.
    package var context: (any ConnectionContext)?

    /// The size of the current request's head on the wire, in bytes.
    var headSize = 0
    var targetLength = 0
    var targetStart: UnsafePointer<CChar>?
    var summary = RequestSummary()

    /// The part of a response that waits until libmicrohttpd reads it.
    var outgoing = OutgoingBody()
    /// A response that libmicrohttpd has not received yet.
    var unsentResponse: UnsentResponse?
    var upgradeHandler: UpgradeHandler?

    init(server: Server, handle: ConnectionHandle, client: Client) {
        self.server = server
        self.handle = handle
        peer = client.peer
        peerBytes = Array(client.peer.utf8)
        peerAddress = client.address
        account = client.account
        context = client.context
        listenerNumber = client.listenerNumber
        isVouched = client.isVouched
        // A client that has just connected gets less time for a request than a client that has already received a
        // response.
        deadline = client.isKept ? .idle : .head
        descriptor = handle.descriptor
    }

    /// Starts watching the socket. Returns false if the kernel rejects the watch.
    func open() -> Bool {
        // An edge-triggered watch reports each change once, and costs nothing while libmicrohttpd reads the same
        // socket.
        watch = try? server.loop.watch(
            descriptor, for: [.readable, .peerClosed, .edgeTriggered], handler: self)
        timer = server.loop.timer(self)
        arm(deadline)
        return watch != nil
    }

    /// Cleans up after libmicrohttpd has closed the connection, or after it has closed the replacement for a detached
    /// socket.
    func closed() {
        endWait()
        // libmicrohttpd does not report some of its errors as the end of a request, so end the request here.
        if state.phase != .idle, state.phase != .detached { completed(isWhole: false) }
        isClosed = true
        if hasJoinedPollSet { server.removeFromPollSet(descriptor) }
        if framing == .chunked { server.forgetsUpload(self) }
        server.keyless.remove(self)
        // If the request line is invalid, no request has begun, and the loop may not have reported the bytes yet. Check
        // the deadline as well, because it shows whether the connection waits for a head.
        if hasInput || deadline == .head, state.phase != .detached { endAfterRefusal() }
        // libmicrohttpd closes the descriptor. The descriptor has no duplicate, so closing it ends the watch in the
        // kernel.
        stopWatching(closesDescriptor: true)
        server.forget(self)
    }

    /// Sends FIN after libmicrohttpd itself has rejected a request. libmicrohttpd closes the socket without `shutdown`
    /// (MHD_USE_TURBO). If libmicrohttpd has not read the whole request, closing the socket sends a reset. With a FIN
    /// before the reset, the client sees an orderly end after the refusal (RFC 9112 §9.6).
    func endAfterRefusal() {
        if !peerClosed { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    func stopWatching(closesDescriptor: Bool = false) {
        if let watch { server.loop.cancel(watch, closesDescriptor: closesDescriptor) }
        watch = nil
        if let timer { server.loop.cancel(timer) }
        timer = nil
    }

    // MARK: Events

    /// Handles events of the socket itself. libmicrohttpd receives its own events.
    package func ready(_ readiness: Readiness) {
        if readiness.contains(.readable), !hasInput {
            hasInput = true
            if state.phase == .idle { arm(.head) }
        }
        guard !readiness.isDisjoint(with: .closed), !peerClosed else { return }
        peerClosed = true
        server.needsRun()
        switch state.on(.clientEnded) {
        case .abandon: abandon()
        // libmicrohttpd 0.9.75 misses the end of a stream that arrives together with the bytes before it, so set a
        // short deadline.
        case .hurry: arm(deadline)
        default: break
        }
    }

    /// Handles the expiry of the current deadline.
    package func timerFired(_ timer: LoopTimer) {
        switch deadline.expiry(hasInput: hasInput, peerClosed: peerClosed) {
        case .earlyRefusal: return refuseEarly()
        // Without a valid key, the deadline also applies while the response is generated.
        case .nothing: guard !isVouched else { return }
        case .cut: break
        case .requestTimeout:
            server.handler.rejected(peer, .lateRequest)
            writeTimeoutResponse()
        case .sendTimeout: server.handler.rejected(peer, .lateReader)
        }
        cut()
    }

    /// Sets the deadline for the event for which the connection now waits.
    func arm(_ next: Deadline) {
        deadline = next
        // Without a valid key, the head's deadline remains in force.
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

    /// Records that the client presented a valid key on this connection, or needs none. Afterwards, each wait has its
    /// own deadline, and the connection is not closed to make room for another client.
    package func vouch() {
        guard !isVouched else { return }
        isVouched = true
        server.keyless.remove(self)
        arm(deadline)
    }

    override func makeRoom() {
        server.handler.rejected(peer, .madeRoom)
        cut()
    }

    /// Arms the timer for a part of a request. After the client has closed its side, nothing more arrives, but received
    /// bytes may still have to be read.
    private func arm(_ timer: LoopTimer, request limit: Duration) {
        server.loop.arm(timer, after: peerClosed ? Self.farewell : limit)
    }

    /// Adds a completely received request to the byte account.
    func countRequest() { account.countRequest(head: headSize, framing) }

    /// Prepares for the next request on the same connection.
    func awaitNextRequest() {
        hasInput = false
        guard !peerClosed, !server.isDraining else { return cut() }
        arm(.idle)
    }

    /// Ends the connection between requests while the server shuts down. A request in progress is still served. The
    /// first request of a client that has only connected is also served, because the next gateway process does not
    /// receive the connection.
    func drain() {
        guard !hasInput, !isInputWaiting else { return }
        guard deadline == .head, let timer else { return cut() }
        arm(timer, request: min(Self.welcome, server.limits.headTimeout))
    }

    /// Whether the kernel has received bytes that have not been reported to the loop yet.
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

    /// Waits for the response to a complete request.
    func awaitAnswer() {
        guard !isSuspended else { return }
        switch wait.calledWithoutEffect() {
        case .begins: server.pacing.waitBegins(ObjectIdentifier(self))
        case .continues: break
        case .ends: suspend()
        }
    }

    /// Whether libmicrohttpd is calling for a response that is not available yet.
    var isWaiting: Bool { wait.isOn }

    /// Ends the wait, because the response is available or no client can receive it any more.
    func endWait() {
        if wait.stop() { server.pacing.waitEnds() }
    }

    /// Lets libmicrohttpd continue. libmicrohttpd calls the connection's callback during the server's next run.
    func resume() {
        guard isSuspended || isWaiting, !isInCallback else { return }
        if isSuspended {
            isSuspended = false
            handle.resume()
        }
        server.needsRun()
    }

    /// Aborts the connection in any state, and notifies the exchange of its request.
    func cut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        peerClosed = true
        server.needsRun()
        _ = state.on(.cut)
        abandon()
        server.expires(self)
    }

    /// Makes libmicrohttpd close the connection in its next run.
    func expire(pollSet: Int32) {
        // libmicrohttpd must not receive events of a suspended connection.
        guard !isClosed, !hasJoinedPollSet, !isSuspended else { return }
        hasJoinedPollSet = handle.expire(pollSet: pollSet, descriptor: descriptor)
    }

    /// Notifies the exchange that nothing can reach the client any more, and makes libmicrohttpd clean up.
    private func abandon() {
        let delegate = exchange
        exchange = nil
        delegate?.clientDisconnected()
        resume()
    }

    /// Sends 408 after the request took too long to arrive (RFC 9110 §15.5.9). The response bypasses libmicrohttpd,
    /// which has not sent anything yet.
    private func writeTimeoutResponse() {
        guard state.phase != .answering, state.phase != .detached else { return }
        let text = WireHead.complete(GatewayAnswer(StandardError.requestTimeout))
        text.withUnsafeBytes { _ = send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
        summary.status = StandardError.requestTimeout.status
    }
}
