package import Access
package import EventLoop
import HTTPServer
package import WebSockets

/// A client's WebSocket on its loop: the descriptor, and what moves between it, the frames and who talks over it.
package final class ChatSocket {
    /// Reads of 64 KiB in one pass at most, so that a flood keeps nobody waiting.
    private static let readsPerPass = 16

    /// The socket's number on its loop.
    package let number: Int
    /// Whose key opened it; nil: nobody's.
    package let principal: Principal?
    /// Who talks over it.
    private(set) var talker: (any ChatTalker)?
    private unowned let owner: GatewayLoop
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
    /// Whether so much waits that the client is to be cut.
    private var isStalled = false
    private var isLingering = false

    /// A socket that is open: 101 was sent. `onEnd` is called once, with the number of bytes that were sent.
    init(
        _ owner: GatewayLoop, number: Int, _ socket: Socket, peer: String, principal: Principal?,
        _ talker: (any ChatTalker)?, _ limits: ChatLimits, onEnd: @escaping (_ bytesSent: UInt64) -> Void
    ) {
        self.owner = owner
        self.number = number
        self.socket = socket
        self.peer = peer
        self.principal = principal
        self.talker = talker
        self.limits = limits
        self.onEnd = onEnd
        endpoint = WebSocketEndpoint(limit: limits.message)
    }

    /// Begins to talk; `early` has come already. Where nobody is to talk over it, it ends with `refusal`.
    func begin(early: [UInt8], refusal: CloseStatus?) {
        owner.chats[number] = self
        owner.streamStarted(self)
        let timer = owner.loop.timer(self)
        self.timer = timer
        owner.loop.arm(timer, after: limits.pingInterval)
        do {
            // Edge-triggered, both events at once: a first event for each comes by itself.
            watch = try owner.loop.watch(
                socket.descriptor, for: [.readable, .writable, .peerClosed, .edgeTriggered], handler: self)
        } catch {
            return end()
        }
        talker?.opened(self)
        if let refusal { close(refusal) }
        take(early.span)
        workAtEndOfPass()
    }

    // MARK: Who talks

    /// Sends a message; nothing once the socket has ended.
    package func send(_ frame: Frame) {
        guard !isStalled, onEnd != nil else { return }
        endpoint.send(frame)
        watchBacklog()
        workAtEndOfPass()
    }

    /// Sends a text, which must be UTF-8.
    package func send(text: [UInt8]) { send(.text(text)) }

    /// Says the end and waits for the client's answer for a while.
    package func close(_ status: CloseStatus) {
        guard onEnd != nil, endpoint.phase == .open else { return }
        endpoint.close(status)
        if let timer { owner.loop.arm(timer, after: limits.closeWait) }
        workAtEndOfPass()
    }

    /// The client's key does not count any more.
    func revoke() {
        talker?.revoked()
        close(.revoked)
    }

    // MARK: Bytes

    /// What was sent within a pass leaves in few system calls.
    private func workAtEndOfPass() {
        guard !isInPass, onEnd != nil else { return }
        isInPass = true
        owner.loop.atEndOfPass(self)
    }

    /// Whether too much waits is known once the kernel has got what it takes.
    private func watchBacklog() {
        guard endpoint.outgoing.waiting > limits.backlog else { return }
        flush()
        isStalled = endpoint.outgoing.waiting > limits.backlog
    }

    private func read() {
        hasMoreToRead = false
        for _ in 0..<Self.readsPerPass {
            guard onEnd != nil, !isStalled else { return }
            switch socket.receive(owner.loop.scratch, { take($0) }) {
            case .bytes: pings.heard()
            case .nothingYet: return
            case .end, .failed: return end()
            }
        }
        // Others have their turn first; the kernel does not tell again of what is there already.
        hasMoreToRead = true
        workAtEndOfPass()
    }

    private func take(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        endpoint.receive(bytes) { event in
            switch event {
            case .message(let message):
                if message.isText {
                    talker?.received(text: message.bytes, on: self)
                } else {
                    talker?.received(bytes: message.bytes, on: self)
                }
            case .pong, .closed, .failed: break
            }
        }
        // Answers to pings are made without anybody.
        watchBacklog()
        if !endpoint.outgoing.isEmpty || endpoint.phase == .ended { workAtEndOfPass() }
    }

    private func flush() {
        while onEnd != nil, !endpoint.outgoing.isEmpty {
            switch endpoint.outgoing.withNext({ socket.send($0, $1, $2) }) {
            case .bytes(0): return
            case .bytes(let count):
                endpoint.sent(count)
                bytesSent += UInt64(count)
                pings.moved()
            case .failed: return end()
            }
        }
        if onEnd != nil, endpoint.phase == .ended, !isLingering {
            // What the client has sent behind the end is still read: closing a socket with unread bytes resets the connection,
            // and the close frame might be lost with it (RFC 6455 §7.1.1).
            isLingering = true
            socket.shutdownWriting()
            if let timer { owner.loop.arm(timer, after: limits.closeWait) }
        }
    }

    // MARK: The end

    /// Ends it at once, without a word: it would not arrive.
    private func cut(_ reason: RejectedClient) {
        guard onEnd != nil else { return }
        owner.turnedAway(peer, reason)
        SocketOptions.setLingerToZero(socket.descriptor)
        end()
    }

    private func end() {
        guard let report = onEnd else { return }
        onEnd = nil
        if let watch { owner.loop.cancel(watch) }
        watch = nil
        if let timer { owner.loop.cancel(timer) }
        timer = nil
        socket.close()
        owner.chats[number] = nil
        owner.streamEnded(self)
        report(bytesSent)
        let talker = talker
        self.talker = nil
        talker?.ended()
    }
}

extension ChatSocket: ReadinessHandler {
    /// The socket has news.
    package func ready(_ readiness: Readiness) {
        read()
        if !endpoint.outgoing.isEmpty { workAtEndOfPass() }
    }
}

extension ChatSocket: PassHandler {
    /// What was sent within the pass leaves.
    package func passEnded() {
        isInPass = false
        if hasMoreToRead { read() }
        flush()
        if isStalled {
            cut(.slowChat(waiting: endpoint.outgoing.waiting))
        }
    }
}

extension ChatSocket: TimerHandler {
    /// A ping's time, or the end of the wait for the client's end.
    package func timerFired(_ timer: LoopTimer) {
        guard endpoint.phase == .open else { return end() }
        switch pings.tick(isBlocked: !endpoint.outgoing.isEmpty) {
        case .cut: return cut(.silentChat(limits.pingInterval))
        case .ping: endpoint.ping()
        case .wait: break
        }
        owner.loop.arm(timer, after: limits.pingInterval)
        workAtEndOfPass()
    }
}

extension ChatSocket: OpenStream {
    /// The gateway ends: the client is told to come back, at once because the loop may end next. Asked again, it is cut.
    func breakOff() {
        guard endpoint.phase == .open else { return end() }
        close(CloseStatus(.goingAway, "the gateway ends"))
        flush()
    }
}
