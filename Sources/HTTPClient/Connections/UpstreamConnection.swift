import Addresses
import EventLoop
import Glibc

/// A connection to an instance: opened for a request, and kept alive for the next one where that may be.
final class UpstreamConnection: ReadinessHandler {
    let address: InstanceAddress
    private let socket: Socket
    private unowned let client: UpstreamClient
    private var watch: EventLoop.Watch?
    private var wanted: Readiness = []
    /// The transfer that uses the connection; nil while it is kept for another one.
    private var transfer: UpstreamTransfer?
    private var isConnecting = false
    private var connectTimer: LoopTimer?
    private var isSending = false
    /// When the last transfer has begun. From then on the connection's rest is counted: its instance begins to count when it has
    /// answered, and the answer can have waited here before it was read.
    private var usedSince: MonotonicTime
    /// Until when another request may be sent: the instance is about to close the connection then.
    private(set) var usableUntil = MonotonicTime.distantFuture
    /// The pass of the loop in which it came to rest.
    private var restedIn: UInt64 = 0
    /// Why nothing can be sent any more; told at the end of the pass.
    private var failure: TransferState.ConnectionEnd?

    /// A connection that is there.
    init(_ socket: Socket, to address: InstanceAddress, client: UpstreamClient) {
        self.socket = socket
        self.address = address
        self.client = client
        usedSince = client.loop.now
    }

    /// Opens a connection for a transfer; a failure is told at the end of the pass.
    static func connect(for transfer: UpstreamTransfer, client: UpstreamClient) -> UpstreamConnection {
        let address = transfer.address
        do throws(SystemCallError) {
            let connection = UpstreamConnection(try open(address, client), to: address, client: client)
            connection.transfer = transfer
            connection.beginConnecting()
            return connection
        } catch {
            let nowhere = UpstreamConnection(Socket(owning: -1), to: address, client: client)
            nowhere.transfer = transfer
            nowhere.fail(error.isLackOfDescriptors ? .outOfDescriptors : .refused)
            return nowhere
        }
    }

    private static func open(_ address: InstanceAddress, _ client: UpstreamClient) throws(SystemCallError) -> Socket {
        do throws(SystemCallError) {
            return try .connecting(to: address.socketAddress, detecting: client.peerLoss)
        } catch {
            guard error.isLackOfDescriptors, client.closeIdle() else { throw error }
            return try .connecting(to: address.socketAddress, detecting: client.peerLoss)
        }
    }

    /// Whether its time is not over, and as far as is known the instance has neither closed the connection nor sent what nobody has
    /// asked for, which must not become the next request's answer.
    ///
    /// The loop hears of both as long as the connection rests. It is asked itself besides, which is a system call, where the loop
    /// has not looked since it came to rest, and for a request that is never sent twice. For another what has come since the loop
    /// looked is not seen: an end is met by sending again, and bytes of an HTTP server's own accord end a connection (a 408's
    /// `close`, RFC 9110 §15.5.9), so that no third request gets an answer that is not its own.
    func isUsable(for choice: UpstreamRequest.ConnectionChoice) -> Bool {
        guard usableUntil > client.loop.now else { return false }
        return choice == .kept && client.loop.hasTold(of: restedIn) || socket.isQuiet
    }

    /// Whether another request may follow once the answer is there.
    var isSound: Bool { failure == nil && watch != nil }

    /// Whether its last request was sent so short a time ago.
    func isUsed(within time: Duration) -> Bool { usedSince + time >= client.loop.now }

    /// Sends the transfer's request and reads its answer.
    func carry(_ transfer: UpstreamTransfer) {
        self.transfer = transfer
        usedSince = client.loop.now
        sendMore()
    }

    /// Reads on after a pause.
    func resume() {
        if !isConnecting { want(interest) }
    }

    /// The transfer has ended and the connection may be used again, for so long after that transfer has begun.
    func rest(for limit: Duration) {
        transfer = nil
        usableUntil = usedSince + limit
        restedIn = client.loop.pass
        want(.readable)
    }

    func close() {
        letGo()
        socket.close()
    }

    /// Hands the socket over to who speaks another protocol on it.
    func handOver() -> Socket {
        letGo()
        return socket
    }

    private func letGo() {
        transfer = nil
        forgetConnecting()
        stopWatching()
    }

    func ready(_ readiness: Readiness) {
        guard let transfer else {
            client.drop(self)
            return close()
        }
        if isConnecting { return connected() }
        if readiness.contains(.writable) {
            sendMore()
            transfer.uploadLeft()
        }
        // The transfer may have ended with that.
        guard readiness != .writable, self.transfer != nil else { return }
        if wanted.contains(.readable) {
            read()
        } else {
            // The end is told even to who does not want to read. It is told again when the pause is over.
            stopWatching()
        }
    }

    /// Reads what has arrived by now, of which the loop may not have heard yet.
    func readArrived() {
        // Who writes as fast as this reads would hold up the loop.
        var rest = 16 << 20
        while rest > 0, transfer != nil, !isConnecting, wanted.contains(.readable) {
            let count = read()
            guard count > 0 else { return }
            rest -= count
        }
    }

    /// Reads once; answers how many bytes came.
    @discardableResult
    private func read() -> Int {
        guard let transfer else { return 0 }
        var received = 0
        switch socket.receive(client.loop.scratch, { transfer.received($0) }) {
        case .bytes(let count):
            received = count
            transfer.readEnded()
        case .nothingYet: break
        case .end: transfer.connectionEnded(.closed)
        case .failed(let code): transfer.connectionEnded(.broken(Self.sentence(code)))
        }
        if self.transfer === transfer { want(interest) }
        return received
    }

    /// Sends what can leave of the transfer's request.
    func sendMore() {
        guard let transfer, !isConnecting, !isSending, failure == nil else { return }
        isSending = true
        var isFull = false
        while transfer.canSend, !isFull, failure == nil {
            let sent = transfer.send { text, content, lineEnd in
                switch socket.send(text, content, lineEnd) {
                case .bytes(let count):
                    isFull = count < text.count + content.count + lineEnd.count
                    return count
                case .failed(let code):
                    fail(.broken(Self.sentence(code)))
                    return nil
                }
            }
            if sent == nil { break }
        }
        isSending = false
        want(interest)
        if transfer.isSent { transfer.requestSent() }
    }

    /// What the transfer waits for.
    private var interest: Readiness {
        guard let transfer else { return .readable }
        var interest: Readiness = transfer.isPaused ? [] : .readable
        if failure == nil, transfer.canSend { interest.insert(.writable) }
        return interest
    }

    private func want(_ readiness: Readiness) {
        guard let watch else {
            guard socket.descriptor >= 0 else { return }
            wanted = readiness
            watch = try? client.loop.watch(socket.descriptor, for: readiness, handler: self)
            if watch == nil { fail(.broken("its descriptor could not be watched")) }
            return
        }
        guard readiness != wanted else { return }
        do throws(SystemCallError) {
            try client.loop.change(watch, to: readiness)
            wanted = readiness
        } catch {
            fail(.broken("\(error)"))
        }
    }

    private func stopWatching() {
        if let watch { client.loop.cancel(watch) }
        watch = nil
    }

    private static func sentence(_ code: Int32) -> String { String(cString: strerror(code)) }
}

// MARK: - Connecting

extension UpstreamConnection: TimerHandler {
    private func beginConnecting() {
        isConnecting = true
        let timer = client.loop.timer(self)
        connectTimer = timer
        client.loop.arm(timer, after: client.connectTimeout)
        want(.writable)
    }

    private func connected() {
        forgetConnecting()
        guard socket.pendingError == 0 else {
            transfer?.connectionEnded(.refused)
            return
        }
        sendMore()
        // What has gathered meanwhile has left: more is welcome.
        transfer?.uploadLeft()
    }

    private func forgetConnecting() {
        isConnecting = false
        if let connectTimer { client.loop.cancel(connectTimer) }
        connectTimer = nil
    }

    /// Nobody has accepted the connection.
    func timerFired(_ timer: LoopTimer) { transfer?.connectionEnded(.refused) }
}

// MARK: - Failing

extension UpstreamConnection: PassHandler {
    private func fail(_ end: TransferState.ConnectionEnd) {
        guard failure == nil else { return }
        failure = end
        client.loop.atEndOfPass(self)
    }

    /// What was sent before it failed can have been answered: an instance that does not want the whole of a request answers
    /// and closes.
    func passEnded() {
        guard let transfer, let failure else { return }
        var received = Socket.Received.bytes(0)
        while case .bytes = received, self.transfer === transfer {
            received = socket.receive(client.loop.scratch) { transfer.received($0) }
            if case .bytes = received { transfer.readEnded() }
        }
        guard self.transfer === transfer else { return }
        // An answer that the connection's end completes has come whole.
        transfer.connectionEnded(received == .end && transfer.hasAnswerBegun ? .closed : failure)
    }
}
