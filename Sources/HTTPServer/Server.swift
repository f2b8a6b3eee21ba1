import Addresses
package import EventLoop
import Glibc
import HTTPTypes

/// The HTTP front of one loop: a listener, libmicrohttpd's daemon, and the connections of both kinds.
///
/// The gateway accepts by itself and hands connected sockets to libmicrohttpd, so that limits and a full descriptor
/// table are in its hands: libmicrohttpd spins at EMFILE.
package final class Server {
    /// The HTTP front could not be set up; a sentence.
    package struct Failure: Error, CustomStringConvertible {
        /// What failed and why.
        package let description: String
    }

    let loop: EventLoop
    let handler: any RequestHandler
    private(set) var limits: ServerLimits
    /// A descriptor that reads as closed, put in the place of sockets that are taken from libmicrohttpd.
    let standIn: Int32
    /// Whether the server only finishes what it has begun.
    private(set) var isDraining = false

    private var daemon: MicroHTTPD?
    private var daemonWatch: EventLoop.Watch?
    private var acceptors: [Acceptor] = []
    private var connections: [ClientConnection] = []
    private var detached: [ObjectIdentifier: DetachedConnection] = [:]
    private var isRunScheduled = false
    private var isRunning = false
    private var drained: [ClientConnection] = []
    private var acceptedPeer = ""
    private var requestCount: UInt64 = 0
    /// Whether libmicrohttpd has called back during its last run, and how often it has not and yet wanted to run again.
    var hasWorked = false
    private var idleRuns = 0
    /// Connections of which libmicrohttpd asks for an answer that is not there yet: it wants to run for them at once,
    /// always.
    var waitingCount = 0
    private var timer: LoopTimer?

    /// libmicrohttpd 0.9.75 asks to be run at once for ever where a line of a chunked body does not fit its buffer: after so many
    /// runs without any effect it is run at intervals only, until the body's deadline ends that connection.
    private static let mostIdleRuns = 16
    private static let idleRunInterval = Duration.milliseconds(5)
    /// Connections that have switched protocols and live on with their handlers.
    var upgradedCount = 0

    /// A server on `loop` that accepts nothing yet.
    package init(loop: EventLoop, limits: ServerLimits, handler: any RequestHandler) throws(Failure) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        do {
            standIn = try SocketOptions.closedPeer()
        } catch {
            throw Failure(description: "The HTTP front could not be set up: \(error)")
        }
        do {
            let daemon = try MicroHTTPD(
                server: self, poolSize: limits.poolSize, connectionLimit: limits.maximumConnections + 16)
            self.daemon = daemon
            daemonWatch = try loop.watch(daemon.descriptor, for: .readable, handler: self)
            timer = loop.timer(self)
        } catch {
            throw Failure(description: "The HTTP front could not be set up: libmicrohttpd would not start (\(error)).")
        }
    }

    deinit { close(standIn) }

    /// The version of libmicrohttpd that is in use.
    package static var libraryVersion: String { MicroHTTPD.version }

    /// The number of connections of all kinds.
    package var connectionCount: Int { connections.count + detached.count + upgradedCount }

    /// Begins to accept from `listener`, beside those from which it accepts already.
    package func accept(from listener: Listener) throws(Failure) {
        do {
            acceptors.append(try Acceptor(listener: listener, server: self))
        } catch {
            throw Failure(description: "\(listener.address) could not be watched: \(error)")
        }
    }

    /// Keeps to other deadlines and another size of held bodies from now on; what libmicrohttpd was set up with stays.
    package func follow(_ limits: ServerLimits) {
        var limits = limits
        limits.maximumHead = self.limits.maximumHead
        limits.maximumConnections = self.limits.maximumConnections
        self.limits = limits
    }

    /// Accepts nothing more, lets idle connections go, and has every answer say that its connection ends with it. Who has
    /// connected and not asked yet is still served.
    package func drain() {
        guard !isDraining else { return }
        isDraining = true
        for acceptor in acceptors { acceptor.stop() }
        acceptors = []
        for connection in connections where connection.phase == .idle { connection.leave() }
    }

    /// Cuts every connection that is left and gives up libmicrohttpd's daemon.
    package func stop() {
        drain()
        for connection in detached.values { connection.close(tellingFollower: true) }
        for connection in connections { connection.cut() }
        while !connections.isEmpty, daemon?.run() == true {}
        if let daemonWatch { loop.cancel(daemonWatch) }
        daemonWatch = nil
        if let timer { loop.cancel(timer) }
        timer = nil
        daemon?.stop()
        daemon = nil
    }

    // MARK: Connections

    /// Hands a connected descriptor to libmicrohttpd, which calls ``started(_:)`` before this returns or never.
    func take(_ descriptor: Int32, from address: SocketAddress) {
        acceptedPeer = address.host
        // A listener on IPv6 takes IPv4 clients as well, and shows their addresses mapped.
        if acceptedPeer.hasPrefix("::ffff:"), let address = IPAddress(acceptedPeer) {
            acceptedPeer = address.description
        }
        SocketOptions.setNoDelay(descriptor)
        if daemon?.add(descriptor) == true { needsRun() }
    }

    /// Whether another connection is allowed.
    var hasRoom: Bool { connectionCount < limits.maximumConnections }

    func started(_ handle: ConnectionHandle) -> ClientConnection? {
        let connection = ClientConnection(server: self, handle: handle, peer: acceptedPeer)
        guard connection.open() else {
            // Nobody would watch its deadlines: libmicrohttpd finds it closed.
            shutdown(handle.descriptor, Int32(SHUT_RDWR))
            return nil
        }
        connection.listIndex = connections.count
        connections.append(connection)
        return connection
    }

    func forget(_ connection: ClientConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.listIndex] = last
            last.listIndex = connection.listIndex
        }
        if connection.phase != .taken { roomAgain() }
    }

    func add(_ connection: DetachedConnection) { detached[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: DetachedConnection) {
        detached[ObjectIdentifier(connection)] = nil
        roomAgain()
    }

    /// A connection that had switched protocols has ended.
    func upgradedEnded() {
        upgradedCount -= 1
        roomAgain()
    }

    private func roomAgain() {
        for acceptor in acceptors { acceptor.roomAgain() }
    }

    func nextRequestNumber() -> UInt64 {
        requestCount += 1
        return requestCount
    }

    // MARK: Running libmicrohttpd

    /// libmicrohttpd has something to do that no descriptor tells of, such as a resumed connection.
    func needsRun() {
        guard !isRunScheduled, !isRunning else {
            isRunScheduled = true
            return
        }
        isRunScheduled = true
        loop.atEndOfPass(self)
    }

    /// Tells the connection's source to go on once libmicrohttpd has returned.
    func afterRun(_ connection: ClientConnection) { drained.append(connection) }

    private func runDaemon() {
        isRunning = true
        isRunScheduled = false
        hasWorked = false
        let hasMore = daemon?.run() ?? false
        isRunning = false
        let tell = drained
        drained.removeAll(keepingCapacity: true)
        for connection in tell { connection.tellDrained() }
        idleRuns = hasMore && !hasWorked ? idleRuns + 1 : 0
        if isRunScheduled || hasMore && idleRuns < (waitingCount > 0 ? 1 : Self.mostIdleRuns) {
            isRunScheduled = true
            loop.atEndOfPass(self)
        } else if hasMore, let timer {
            loop.arm(timer, after: Self.idleRunInterval)
        }
    }
}

extension Server: ReadinessHandler, PassHandler, TimerHandler {
    /// libmicrohttpd's poll set has events: they are handled at the end of the pass, together with what resumes until
    /// then.
    package func ready(_ readiness: Readiness) { needsRun() }

    /// libmicrohttpd has something to do that it does not get done.
    package func timerFired(_ timer: LoopTimer) { needsRun() }

    /// The pass has ended.
    package func passEnded() {
        guard isRunScheduled else { return }
        runDaemon()
    }
}
