// SPDX-License-Identifier: Apache-2.0

package import Access
package import EventLoop
import GatewayCore
import HTTPServer
package import WebSockets

/// A client's WebSocket on its loop. The object owns the descriptor and passes the client's messages to the delegate.
package final class ChatSocket {
    /// The maximum number of reads of 64 KiB in one pass, so that one client's data does not delay other clients.
    private static let readsPerPass = 16

    /// The socket's number on its loop.
    package let number: Int
    /// The principal of the key that opened the socket; nil if the socket was opened without a key.
    package var principal: Principal? { usedRights?.principal }
    /// The rights that the chat uses; nil if the socket was opened without a key.
    let usedRights: UsedRights?
    /// The handler of the client's messages.
    private(set) var delegate: (any ChatDelegate)?
    private unowned let owner: GatewayLoop
    private unowned let chats: ChatFeature
    private let peer: String
    private let socket: Socket
    private let limits: ChatLimits
    private let endpoint: WebSocketEndpoint
    private var watch: EventLoop.Watch?
    private var timer: LoopTimer?
    private var pings = PingWatch()
    private var bytesSent: UInt64 = 0
    private var onEnd: ((_ bytesSent: UInt64) -> Void)?
    private var isInPass = false
    private var hasMoreToRead = false
    /// Whether to disconnect the client, because too many bytes wait for the client.
    private var isStalled = false
    private var isLingering = false

    /// Creates a socket that is already open, because the gateway has sent the 101 response.
    ///
    /// - Parameter onEnd: Called once, with the number of bytes that were sent.
    init(
        _ owner: GatewayLoop, _ chats: ChatFeature, number: Int, socket: Socket, peer: String, usedRights: UsedRights?,
        delegate: (any ChatDelegate)?, limits: ChatLimits, onEnd: @escaping (_ bytesSent: UInt64) -> Void
    ) {
        self.owner = owner
        self.chats = chats
        self.number = number
        self.socket = socket
        self.peer = peer
        self.usedRights = usedRights
        self.delegate = delegate
        self.limits = limits
        self.onEnd = onEnd
        endpoint = WebSocketEndpoint(limit: limits.message)
    }

    /// Starts the socket.
    ///
    /// - Parameters:
    ///   - early: Bytes that were already received.
    ///   - refusal: The status with which the socket is closed if there is no delegate.
    func start(early: [UInt8], refusal: CloseStatus?) {
        chats.add(self)
        owner.streamStarted(self)
        let timer = owner.loop.timer(self)
        self.timer = timer
        owner.loop.arm(timer, after: limits.pingInterval)
        do {
            // Both events can be edge-triggered, because epoll reports the initial state of each event by itself.
            watch = try owner.loop.watch(
                socket.descriptor, for: [.readable, .writable, .peerClosed, .edgeTriggered], handler: self)
        } catch {
            return finish()
        }
        delegate?.opened(self)
        if let refusal { close(refusal) }
        process(early.span)
        workAtEndOfPass()
    }

    // MARK: Sending

    /// Sends a message. Does nothing after the socket has ended.
    package func send(_ frame: Frame) {
        guard !isStalled, onEnd != nil else { return }
        endpoint.send(frame)
        watchBacklog()
        workAtEndOfPass()
    }

    /// Sends a text, which must be UTF-8.
    package func send(text: [UInt8]) { send(.text(text)) }

    /// Starts the closing handshake and waits for the client's close frame for ``ChatLimits/closeWait``.
    package func close(_ status: CloseStatus) {
        guard onEnd != nil, endpoint.phase == .open else { return }
        endpoint.close(status)
        if let timer { owner.loop.arm(timer, after: limits.closeWait) }
        workAtEndOfPass()
    }

    /// Closes the socket because the client's key was revoked.
    func revoke() {
        delegate?.revoked()
        close(.revoked)
    }

    // MARK: Bytes

    /// Defers writing to the end of the pass, so that all messages of a pass need few system calls.
    private func workAtEndOfPass() {
        guard !isInPass, onEnd != nil else { return }
        isInPass = true
        owner.loop.atEndOfPass(self)
    }

    /// Checks whether too many bytes wait for the client. Bytes that the kernel accepts do not count as waiting, so the
    /// method sends before it checks.
    private func watchBacklog() {
        guard endpoint.outgoing.waiting > limits.backlog else { return }
        flush()
        isStalled = endpoint.outgoing.waiting > limits.backlog
    }

    private func receive() {
        hasMoreToRead = false
        for _ in 0..<Self.readsPerPass {
            guard onEnd != nil, !isStalled else { return }
            switch socket.receive(owner.loop.scratch, { process($0) }) {
            case .bytes: pings.received()
            case .nothingYet: return
            case .end, .failed: return finish()
            }
        }
        // Serve other sockets first, and continue at the end of the pass, because an edge-triggered watch does not
        // report the same bytes again.
        hasMoreToRead = true
        workAtEndOfPass()
    }

    private func process(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        endpoint.receive(bytes) { event in
            switch event {
            case .message(let message):
                if message.isText {
                    delegate?.received(text: message.bytes, on: self)
                } else {
                    delegate?.received(bytes: message.bytes, on: self)
                }
            case .pong, .closed, .failed: break
            }
        }
        // The endpoint responds to pings without the delegate, and may have added bytes.
        watchBacklog()
        if !endpoint.outgoing.isEmpty || endpoint.phase == .ended { workAtEndOfPass() }
    }

    private func flush() {
        while onEnd != nil, !endpoint.outgoing.isEmpty {
            switch endpoint.outgoing.withNext({ socket.send($0, then: $1, then: $2) }) {
            case .bytes(0): return
            case .bytes(let count):
                endpoint.sent(count)
                bytesSent += UInt64(count)
                pings.sent()
            case .failed: return finish()
            }
        }
        if onEnd != nil, endpoint.phase == .ended, !isLingering {
            // Continue to read the bytes that the client sends after the end. Closing a socket with unread bytes resets
            // the connection, and the close frame could be lost (RFC 6455 §7.1.1).
            isLingering = true
            socket.shutdownWriting()
            if let timer { owner.loop.arm(timer, after: limits.closeWait) }
        }
    }

    // MARK: The end

    /// Resets the connection without a close frame, because the frame would not arrive.
    private func reset(_ reason: RejectedClient) {
        guard onEnd != nil else { return }
        owner.rejected(peer, reason)
        SocketOptions.setLingerToZero(socket.descriptor)
        finish()
    }

    private func finish() {
        guard let report = onEnd else { return }
        onEnd = nil
        if let watch { owner.loop.cancel(watch) }
        watch = nil
        if let timer { owner.loop.cancel(timer) }
        timer = nil
        socket.close()
        chats.remove(self)
        owner.streamEnded(self)
        report(bytesSent)
        let delegate = delegate
        self.delegate = nil
        delegate?.ended()
    }
}

extension ChatSocket: ReadinessHandler {
    /// Handles events of the socket's descriptor.
    package func ready(_ readiness: Readiness) {
        receive()
        if !endpoint.outgoing.isEmpty { workAtEndOfPass() }
    }
}

extension ChatSocket: PassHandler {
    /// Sends the messages of the pass.
    package func passEnded() {
        isInPass = false
        if hasMoreToRead { receive() }
        flush()
        if isStalled {
            reset(.slowChat(waiting: endpoint.outgoing.waiting))
        }
    }
}

extension ChatSocket: TimerHandler {
    /// Sends a ping, or ends the wait for the client's close frame.
    package func timerFired(_ timer: LoopTimer) {
        guard endpoint.phase == .open else { return finish() }
        switch pings.tick(isBlocked: !endpoint.outgoing.isEmpty) {
        case .disconnect: return reset(.silentChat(limits.pingInterval))
        case .ping: endpoint.ping()
        case .wait: break
        }
        owner.loop.arm(timer, after: limits.pingInterval)
        workAtEndOfPass()
    }
}

extension ChatSocket: OpenStream {
    /// Closes the socket because the gateway is shutting down. The close frame asks the client to reconnect. The frame
    /// is written immediately, because the loop may end next. A second call ends the socket.
    func abort() {
        guard endpoint.phase == .open else { return finish() }
        close(CloseStatus(.goingAway, "the gateway is shutting down; connect again"))
        flush()
    }
}
