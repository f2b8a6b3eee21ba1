import EventLoop
import Glibc

/// A connection to an instance that is none of libcurl's: opened for a request that may be repeated, and kept alive for the
/// next one.
final class UpstreamSocket: ReadinessHandler {
    let port: UInt16
    private let socket: Socket
    private unowned let client: UpstreamClient
    private var watch: EventLoop.Watch?
    private var wanted: Readiness = []
    /// The exchange that uses the connection; nil while it is kept for another one.
    private var exchange: UpstreamExchange?
    private var isConnecting = false
    private var connectTimer: LoopTimer?
    /// How much of the exchange's request has left.
    private var sent = 0
    /// When the last exchange has begun. From then on the connection's rest is counted: its instance begins to count when it has
    /// answered, and the answer can have waited here before it was read.
    private var usedSince: MonotonicTime
    /// When the last exchange has ended.
    private(set) var restsSince = MonotonicTime.now
    /// Until when another request may be sent: the instance is about to close the connection then.
    private(set) var usableUntil = MonotonicTime.distantFuture
    /// Why nothing can be sent any more; told at the end of the pass.
    private var failure: TransferResult?

    /// A connection that is there.
    init(_ socket: Socket, port: UInt16, client: UpstreamClient) {
        self.socket = socket
        self.port = port
        self.client = client
        usedSince = client.loop.now
    }

    /// Opens a connection for an exchange; a failure is told at the end of the pass.
    static func connect(to address: SocketAddress, port: UInt16, for exchange: UpstreamExchange, client: UpstreamClient)
        -> UpstreamSocket
    {
        do throws(SystemCallError) {
            let connection = UpstreamSocket(try open(address, client), port: port, client: client)
            connection.exchange = exchange
            connection.beginConnecting()
            return connection
        } catch {
            let nowhere = UpstreamSocket(Socket(owning: -1), port: port, client: client)
            nowhere.exchange = exchange
            nowhere.fail(error.isLackOfDescriptors ? .outOfDescriptors : .refused)
            return nowhere
        }
    }

    private static func open(_ address: SocketAddress, _ client: UpstreamClient) throws(SystemCallError) -> Socket {
        do throws(SystemCallError) {
            return try .connecting(to: address)
        } catch {
            guard error.isLackOfDescriptors, client.closeKept() else { throw error }
            return try .connecting(to: address)
        }
    }

    /// Whether its time is not over, and the instance has neither closed the connection nor sent what nobody has asked for, which
    /// must not become the next request's answer.
    var isUsable: Bool { usableUntil > client.loop.now && socket.isQuiet }

    /// Whether all of the exchange's request has left, so that nothing but an answer is awaited.
    var hasSentAll: Bool { exchange.map { sent >= $0.request.count } ?? true }

    /// Whether another request may follow once the answer is there.
    var isSound: Bool { hasSentAll && failure == nil && watch != nil }

    /// Sends the exchange's request and reads its answer.
    func carry(_ exchange: UpstreamExchange) {
        self.exchange = exchange
        usedSince = client.loop.now
        sent = 0
        send()
    }

    /// Reads on after a pause.
    func resume() { want(interest) }

    /// The exchange has ended and the connection may be used again, for so long after that exchange has begun.
    func rest(for limit: Duration) {
        exchange = nil
        restsSince = client.loop.now
        usableUntil = usedSince + limit
        want(.readable)
    }

    func close() {
        exchange = nil
        forgetConnecting()
        if let watch { client.loop.cancel(watch) }
        watch = nil
        socket.close()
    }

    func ready(_ readiness: Readiness) {
        guard exchange != nil else {
            client.drop(self)
            return close()
        }
        if isConnecting { return connected() }
        if readiness.contains(.writable) { send() }
        guard readiness != .writable else { return }
        if wanted.contains(.readable) {
            read()
        } else {
            // The end is told even to who does not want to read. It is told again when the pause is over.
            stopWatching()
        }
    }

    private func read() {
        guard let exchange else { return }
        switch socket.receive(client.loop.scratch, { exchange.socketReceived($0) }) {
        case .bytes: exchange.readEnded()
        case .nothingYet: break
        case .end: exchange.socketEnded(.complete)
        case .failed(let code): exchange.socketEnded(.failed(Self.sentence(code)))
        }
        if self.exchange === exchange { want(interest) }
    }

    private func send() {
        guard let exchange, failure == nil, sent < exchange.request.count else { return want(interest) }
        let request = exchange.request
        switch socket.send(request.span.extracting(sent...)) {
        case .bytes(let count): sent += count
        case .failed(let code): return fail(.failed(Self.sentence(code)))
        }
        want(interest)
    }

    /// What the exchange waits for.
    private var interest: Readiness {
        guard let exchange else { return .readable }
        var interest: Readiness = exchange.isPaused ? [] : .readable
        if sent < exchange.request.count, failure == nil { interest.insert(.writable) }
        return interest
    }

    private func want(_ readiness: Readiness) {
        guard let watch else {
            guard socket.descriptor >= 0 else { return }
            wanted = readiness
            watch = try? client.loop.watch(socket.descriptor, for: readiness, handler: self)
            if watch == nil { fail(.failed("its descriptor could not be watched")) }
            return
        }
        guard readiness != wanted else { return }
        do throws(SystemCallError) {
            try client.loop.change(watch, to: readiness)
            wanted = readiness
        } catch {
            fail(.failed("\(error)"))
        }
    }

    private func stopWatching() {
        if let watch { client.loop.cancel(watch) }
        watch = nil
    }

    private static func sentence(_ code: Int32) -> String { String(cString: strerror(code)) }
}

// MARK: - Connecting

extension UpstreamSocket: TimerHandler {
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
            exchange?.socketEnded(.refused)
            return
        }
        send()
    }

    private func forgetConnecting() {
        isConnecting = false
        if let connectTimer { client.loop.cancel(connectTimer) }
        connectTimer = nil
    }

    /// Nobody has accepted the connection.
    func timerFired(_ timer: LoopTimer) { exchange?.socketEnded(.refused) }
}

// MARK: - Failing

extension UpstreamSocket: PassHandler {
    private func fail(_ result: TransferResult) {
        guard failure == nil else { return }
        failure = result
        client.loop.atEndOfPass(self)
    }

    /// What was sent before it failed can have been answered: an instance that does not want the whole of a request answers
    /// and closes.
    func passEnded() {
        guard let exchange, let failure else { return }
        var received = Socket.Received.bytes(0)
        while case .bytes = received, self.exchange === exchange {
            received = socket.receive(client.loop.scratch) { exchange.socketReceived($0) }
            if case .bytes = received { exchange.readEnded() }
        }
        guard self.exchange === exchange else { return }
        // An answer that the connection's end completes has come whole.
        exchange.socketEnded(received == .end && exchange.status != 0 ? .complete : failure)
    }
}
