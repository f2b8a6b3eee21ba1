import EventLoop
import Glibc

/// A connection to an instance that is none of libcurl's: opened for a request that may be repeated, and kept alive for the
/// next one; or taken over from libcurl with an event stream in it.
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
    /// Why nothing can be sent any more; told at the end of the pass.
    private var failure: TransferResult?

    /// A connection that is there.
    init(_ socket: Socket, port: UInt16, client: UpstreamClient) {
        self.socket = socket
        self.port = port
        self.client = client
    }

    /// Opens a connection for an exchange; a failure is told at the end of the pass.
    static func connect(to address: SocketAddress, port: UInt16, for exchange: UpstreamExchange, client: UpstreamClient)
        -> UpstreamSocket
    {
        guard let socket = try? Socket.connecting(to: address) else {
            let nowhere = UpstreamSocket(Socket(owning: -1), port: port, client: client)
            nowhere.exchange = exchange
            nowhere.fail(.refused)
            return nowhere
        }
        let connection = UpstreamSocket(socket, port: port, client: client)
        connection.exchange = exchange
        connection.beginConnecting()
        return connection
    }

    /// Whether the instance has neither closed the connection nor sent what nobody has asked for, which must not become
    /// the next request's answer.
    var isUsable: Bool { socket.isQuiet }

    /// Whether all of the exchange's request has left.
    var hasSentAll: Bool { exchange.map { sent >= $0.request.count } ?? true }

    /// Sends the exchange's request and reads its answer.
    func carry(_ exchange: UpstreamExchange) {
        self.exchange = exchange
        sent = 0
        send()
    }

    /// Goes on reading an answer that libcurl has begun to read; false where the kernel refuses.
    func carryOn(_ exchange: UpstreamExchange) -> Bool {
        self.exchange = exchange
        sent = exchange.request.count
        want(exchange.isPaused ? [] : .readable)
        return watch != nil
    }

    /// Reads on after a pause.
    func resume() { want(interest) }

    /// The exchange has ended and the connection may be used again.
    func rest() {
        exchange = nil
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
        wanted = readiness
        try? client.loop.change(watch, to: readiness)
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
        while self.exchange === exchange {
            guard case .bytes = socket.receive(client.loop.scratch, { exchange.socketReceived($0) }) else { break }
            exchange.readEnded()
        }
        if self.exchange === exchange { exchange.socketEnded(failure) }
    }
}
