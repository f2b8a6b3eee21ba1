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
    /// Whether libmicrohttpd runs: callbacks come.
    private(set) var isRunning = false
    /// Whether followers are told something between a run and the decision about the next one.
    private var isTelling = false
    /// How often libmicrohttpd was run.
    private(set) var runNumber: UInt64 = 0
    /// Connections of whose bodies pieces have come that their followers have not been told of.
    private var gathering: [ClientConnection] = []
    /// Connections that libmicrohttpd is to close in its next run, whatever they wait for.
    private var expiring: [ClientConnection] = []
    /// Connections of requests with a chunked body, which can block libmicrohttpd.
    private var uploads: [ClientConnection] = []
    /// Connections whose answer's source may go on.
    private var caughtUp: [ClientConnection] = []
    /// Who comes with the descriptor that libmicrohttpd is given.
    private var arriving = Client()
    private var requestCount: UInt64 = 0
    var pacing = RunPacing()
    private var timer: LoopTimer?
    private var uploadTimer: LoopTimer?

    /// Connections on which no valid key was seen.
    var keyless = KeylessConnections()
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
            uploadTimer = loop.timer(self)
        } catch {
            throw Failure(description: "The HTTP front could not be set up: libmicrohttpd would not start (\(error)).")
        }
    }

    deinit { close(standIn) }

    /// The version of libmicrohttpd that is in use.
    package static var libraryVersion: String { MicroHTTPD.version }

    /// The number of connections of all kinds.
    package var connectionCount: Int { connections.count + detached.count + upgradedCount }

    /// Begins to accept from `listener`, beside those from which it accepts already. Its clients' connections have the number
    /// `entrance` (``ClientConnection/entrance``).
    package func accept(from listener: Listener, as entrance: UInt8 = 0) throws(Failure) {
        do {
            acceptors.append(try Acceptor(listener: listener, entrance: entrance, server: self))
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
        for acceptor in acceptors { acceptor.listener.detect(limits.peerLoss) }
    }

    /// Accepts nothing more, lets idle connections go, and has every answer say that its connection ends with it. Who has
    /// connected and not asked yet is still served.
    package func drain() {
        guard !isDraining else { return }
        isDraining = true
        for acceptor in acceptors { acceptor.stop() }
        acceptors = []
        for connection in connections where connection.state.phase == .idle { connection.leave() }
    }

    /// Cuts every connection that is left and gives up libmicrohttpd's daemon, which closes those that its runs have not closed.
    package func stop() {
        drain()
        for connection in detached.values { connection.close(tellingFollower: true) }
        for connection in connections { connection.cut() }
        isRunning = true
        for _ in 0..<Self.lastRuns where !connections.isEmpty {
            endExpiring()
            _ = daemon?.run()
        }
        gathering = []
        uploads = []
        if let daemonWatch { loop.cancel(daemonWatch) }
        daemonWatch = nil
        if let timer { loop.cancel(timer) }
        timer = nil
        if let uploadTimer { loop.cancel(uploadTimer) }
        uploadTimer = nil
        daemon?.stop()
        daemon = nil
        isRunning = false
        expiring = []
    }

    /// Runs in which libmicrohttpd closes connections at the end: one closes all that were cut.
    private static let lastRuns = 4

    /// Cuts the connections of requests in progress whose context is one of those, and tells their followers that the client has
    /// gone; returns how many. Connections that have switched protocols are their handlers'.
    package func cutRequests(where isConcerned: (any ConnectionContext) -> Bool) -> Int {
        // What it tells the followers may change both lists.
        let taken = detached.values.filter { $0.isInProgress && $0.client.context.map(isConcerned) == true }
        let others = connections.filter { $0.state.phase != .taken && $0.context.map(isConcerned) == true }
        for connection in taken { connection.cut() }
        for connection in others { connection.cut() }
        return taken.count + others.count
    }

    /// Ends the connections whose client has vanished while bytes for it are unacknowledged, and tells their followers that the client
    /// has gone. Connections that have switched protocols are their handlers'.
    package func endLost(by loss: PeerLoss) {
        // What it tells the followers may change both lists.
        let taken = detached.values.filter { loss.hasLostPeer($0.socket.descriptor) }
        let others = connections.filter { $0.state.phase != .taken && loss.hasLostPeer($0.descriptor) }
        for connection in taken { connection.endLost() }
        for connection in others { connection.cut() }
    }

    // MARK: Connections

    /// Hands a connected descriptor to libmicrohttpd, which calls ``started(_:)`` before this returns or never.
    func take(_ descriptor: Int32, from address: SocketAddress, by entrance: UInt8) {
        arriving = Client(address, entrance: entrance)
        // That small writes leave at once (TCP_NODELAY) is set by libmicrohttpd, before it sends anything.
        if daemon?.add(descriptor) == true { needsRun() }
    }

    /// Takes a client back whose answer was given on the socket itself: it is the same connection, so no limit is asked.
    func takeBack(_ connection: DetachedConnection, _ socket: Socket, of client: Client) {
        detached[ObjectIdentifier(connection)] = nil
        arriving = client
        if daemon?.add(socket.release()) == true { needsRun() } else { roomAgain() }
        arriving = Client()
    }

    /// Whether another connection is allowed.
    var hasRoom: Bool { connectionCount < limits.maximumConnections }

    /// Ends the oldest connection on which no valid key was seen, so that there will be room; false where there is none.
    func makeRoom() -> Bool {
        guard let oldest = keyless.popFirst() else { return false }
        oldest.makeRoom()
        return true
    }

    func started(_ handle: ConnectionHandle) -> ClientConnection? {
        let connection = ClientConnection(server: self, handle: handle, client: arriving)
        guard connection.open() else {
            // Nobody would watch its deadlines: libmicrohttpd finds it closed.
            shutdown(handle.descriptor, Int32(SHUT_RDWR))
            return nil
        }
        connection.listIndex = connections.count
        connections.append(connection)
        if !connection.isVouched { keyless.append(connection) }
        return connection
    }

    func forget(_ connection: ClientConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.listIndex] = last
            last.listIndex = connection.listIndex
        }
        // Also where its socket goes on without libmicrohttpd: until this moment that client counted twice.
        roomAgain()
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
        guard !isRunScheduled, !isRunning, !isTelling else {
            isRunScheduled = true
            return
        }
        isRunScheduled = true
        loop.atEndOfPass(self)
    }

    /// Tells the source of the connection's answer to go on once libmicrohttpd has returned.
    func resumeSourceAfterRun(_ connection: ClientConnection) { caughtUp.append(connection) }

    /// Tells the follower of the connection's request of pieces of its body once no more come at once.
    func gathers(_ connection: ClientConnection) { gathering.append(connection) }

    /// Has libmicrohttpd close the connection in its next run. What it does of its own accord in that run comes first.
    func expires(_ connection: ClientConnection) {
        expiring.append(connection)
        needsRun()
    }

    private func endExpiring() {
        guard !expiring.isEmpty, let daemon else { return }
        let expired = expiring
        expiring.removeAll(keepingCapacity: true)
        for connection in expired { connection.expire(pollSet: daemon.descriptor) }
    }

    /// libmicrohttpd is about to close a descriptor that was added to its poll set.
    func leavePollSet(_ descriptor: Int32) {
        if let daemon { ConnectionHandle.leave(pollSet: daemon.descriptor, descriptor: descriptor) }
    }

    /// Looks at intervals whether libmicrohttpd reads on in the connection's chunked body, until the request has ended.
    func watchesUpload(_ connection: ClientConnection) {
        uploads.append(connection)
        if uploads.count == 1, let uploadTimer { loop.arm(uploadTimer, after: ReadingStall.interval) }
    }

    func forgetsUpload(_ connection: ClientConnection) { uploads.removeAll { $0 === connection } }

    private func endStalledUploads() {
        guard !uploads.isEmpty, let uploadTimer else { return }
        for connection in uploads where connection.isStalled() { connection.refuseChunkLine() }
        loop.arm(uploadTimer, after: ReadingStall.interval)
        // Between two looks libmicrohttpd reads what there is.
        needsRun()
    }

    private func tellGathered(goesOn: Bool) {
        guard !gathering.isEmpty else { return }
        let gathered = gathering
        gathering.removeAll(keepingCapacity: true)
        for connection in gathered {
            if connection.gathering.ended(runNumber, goesOn: goesOn) {
                connection.tellGathered()
            } else {
                gathering.append(connection)
            }
        }
    }

    private func runDaemon() {
        isRunning = true
        runNumber += 1
        isRunScheduled = false
        pacing.begins()
        endExpiring()
        let wantsMore = daemon?.run() ?? false
        isRunning = false
        isTelling = true
        tellGathered(goesOn: wantsMore)
        if !caughtUp.isEmpty {
            let resumed = caughtUp
            caughtUp.removeAll(keepingCapacity: true)
            for connection in resumed { connection.resumeSource() }
        }
        isTelling = false
        switch pacing.ended(wantsMore: wantsMore, isRequested: isRunScheduled) {
        case .atOnce:
            isRunScheduled = true
            loop.atEndOfPass(self)
        case .later: if let timer { loop.arm(timer, after: RunPacing.interval) }
        case .onEvent: if let timer { loop.withdraw(timer) }
        }
    }
}

extension Server: ReadinessHandler, PassHandler, TimerHandler {
    /// libmicrohttpd's poll set has events: they are handled at the end of the pass, together with what resumes until
    /// then.
    package func ready(_ readiness: Readiness) { needsRun() }

    /// libmicrohttpd has something to do that it does not get done.
    package func timerFired(_ timer: LoopTimer) {
        if timer === uploadTimer { endStalledUploads() } else { needsRun() }
    }

    /// The pass has ended.
    package func passEnded() {
        guard isRunScheduled else { return }
        runDaemon()
    }
}
