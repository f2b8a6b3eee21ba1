// SPDX-License-Identifier: Apache-2.0

package import EventLoop
import Glibc
import HTTPTypes

/// The HTTP server of one loop: its listeners, libmicrohttpd's daemon, and the clients' connections, both ordinary and
/// detached.
///
/// The gateway accepts connections itself and passes the connected sockets to libmicrohttpd. The gateway can therefore
/// enforce its limits. The gateway can also handle a full descriptor table (EMFILE), with which libmicrohttpd would
/// busy-loop.
package final class Server {
    /// The error for a server that could not be set up.
    package struct Failure: Error, CustomStringConvertible {
        /// The failed operation and its cause.
        package let description: String
    }

    let loop: EventLoop
    let handler: any RequestHandler
    private(set) var limits: ServerLimits
    /// A descriptor whose peer is closed, which replaces the sockets that are detached from libmicrohttpd.
    let placeholder: Int32
    /// Whether the server only finishes the requests in progress.
    private(set) var isDraining = false

    private var daemon: MicroHTTPD?
    private var daemonWatch: EventLoop.Watch?
    private var acceptors: [Acceptor] = []
    private var connections: [ClientConnection] = []
    private var detached: [ObjectIdentifier: DetachedConnection] = [:]
    private var isRunScheduled = false
    /// Whether a run of libmicrohttpd is in progress. libmicrohttpd calls its callbacks only during a run.
    private(set) var isRunning = false
    /// Whether exchanges are being notified between a run and the decision about the next run.
    private var isNotifying = false
    /// The number of libmicrohttpd's runs so far.
    private(set) var runNumber: UInt64 = 0
    /// The connections with received body parts of which their exchanges have not been notified.
    private var gathering: [ClientConnection] = []
    /// The connections that libmicrohttpd closes in its next run, regardless of their state.
    private var expiring: [ClientConnection] = []
    /// The connections of requests with a chunked body, which can block libmicrohttpd.
    private var uploads: [ClientConnection] = []
    /// The connections on which the source of the response may continue.
    private var caughtUp: [ClientConnection] = []
    /// The client of the descriptor that is being passed to libmicrohttpd.
    private var arriving = Client()
    private var requestCount: UInt64 = 0
    var pacing = RunPacing()
    private var timer: LoopTimer?
    private var uploadTimer: LoopTimer?

    /// The connections whose clients have presented no valid key.
    var keyless = KeylessConnections()
    /// The number of connections that have switched protocols and are owned by their handlers.
    var upgradedCount = 0

    /// Creates a server on `loop` that accepts no connections yet.
    package init(loop: EventLoop, limits: ServerLimits, handler: any RequestHandler) throws(Failure) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        do {
            placeholder = try SocketOptions.closedPeer()
        } catch {
            throw Failure(description: "Cannot set up the HTTP server: \(error)")
        }
        do {
            let daemon = try MicroHTTPD(
                server: self, poolSize: limits.poolSize, connectionLimit: limits.maximumConnections + 16)
            self.daemon = daemon
            daemonWatch = try loop.watch(daemon.descriptor, for: .readable, handler: self)
            timer = loop.timer(self)
            uploadTimer = loop.timer(self)
        } catch {
            throw Failure(description: "Cannot set up the HTTP server: libmicrohttpd did not start (\(error)).")
        }
    }

    deinit { close(placeholder) }

    /// The version of libmicrohttpd that is in use.
    package static var libraryVersion: String { MicroHTTPD.version }

    /// The number of connections of all kinds.
    package var connectionCount: Int { connections.count + detached.count + upgradedCount }

    /// Starts to accept connections from `listener`, in addition to the existing listeners.
    ///
    /// - Parameter listenerNumber: The number of the listener, which its clients' connections store
    ///   (``ClientConnection/listenerNumber``).
    package func accept(from listener: Listener, as listenerNumber: UInt8 = 0) throws(Failure) {
        do {
            acceptors.append(try Acceptor(listener: listener, listenerNumber: listenerNumber, server: self))
        } catch {
            throw Failure(description: "The listener on \(listener.address) could not be watched: \(error)")
        }
    }

    /// Applies new deadlines and a new maximum size of collected bodies. The values with which libmicrohttpd was
    /// started remain unchanged.
    package func follow(_ limits: ServerLimits) {
        var limits = limits
        limits.maximumHead = self.limits.maximumHead
        limits.maximumConnections = self.limits.maximumConnections
        self.limits = limits
        for acceptor in acceptors { acceptor.listener.detect(limits.peerLoss) }
    }

    /// Stops accepting connections, ends idle connections, and announces the end of the connection in every response. A
    /// client that has connected but not yet sent a request is still served.
    package func drain() {
        guard !isDraining else { return }
        isDraining = true
        for acceptor in acceptors { acceptor.stop() }
        acceptors = []
        for connection in connections where connection.state.phase == .idle { connection.drain() }
    }

    /// Aborts every remaining connection and stops libmicrohttpd's daemon, which closes the connections that its runs
    /// have not closed.
    package func stop() {
        drain()
        for connection in detached.values { connection.close(notifyingExchange: true) }
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

    /// The maximum number of final runs that let libmicrohttpd close connections. One run closes all connections that
    /// were aborted.
    private static let lastRuns = 4

    /// Aborts the connections of requests in progress whose context matches, and notifies their exchanges that the
    /// client has left. Returns their number. Connections that have switched protocols belong to their handlers and are
    /// not affected.
    package func cutRequests(where isConcerned: (any ConnectionContext) -> Bool) -> Int {
        // Collect the connections first, because the notified exchanges may change both lists.
        let affected = detached.values.filter { $0.isInProgress && $0.client.context.map(isConcerned) == true }
        let others = connections.filter { $0.state.phase != .detached && $0.context.map(isConcerned) == true }
        for connection in affected { connection.cut() }
        for connection in others { connection.cut() }
        return affected.count + others.count
    }

    /// Ends the connections of clients that have vanished while bytes for them are unacknowledged, and notifies their
    /// exchanges that the client has left. Connections that have switched protocols belong to their handlers and are
    /// not affected.
    package func disconnectLost(by loss: PeerLoss) {
        // Collect the connections first, because the notified exchanges may change both lists.
        let affected = detached.values.filter { loss.hasLostPeer($0.socket.descriptor) }
        let others = connections.filter { $0.state.phase != .detached && loss.hasLostPeer($0.descriptor) }
        for connection in affected { connection.disconnectLost() }
        for connection in others { connection.cut() }
    }

    // MARK: Connections

    /// Passes a connected descriptor to libmicrohttpd. libmicrohttpd either calls ``started(_:)`` before this method
    /// returns, or not at all.
    func add(_ descriptor: Int32, from address: SocketAddress, by listenerNumber: UInt8) {
        arriving = Client(address, listenerNumber: listenerNumber)
        // Before it sends anything, libmicrohttpd sets TCP_NODELAY, so that small writes are sent immediately.
        if daemon?.add(descriptor) == true { needsRun() }
    }

    /// Returns a client's socket to libmicrohttpd after a response that was sent directly on the socket. No limit is
    /// checked, because the client's connection is not a new one.
    func reclaim(_ connection: DetachedConnection, _ socket: Socket, of client: Client) {
        detached[ObjectIdentifier(connection)] = nil
        arriving = client
        if daemon?.add(socket.release()) == true { needsRun() } else { roomAgain() }
        arriving = Client()
    }

    /// Whether another connection is allowed.
    var hasRoom: Bool { connectionCount < limits.maximumConnections }

    /// Ends the oldest connection without a valid key to make room. Returns false if there is none.
    func makeRoom() -> Bool {
        guard let oldest = keyless.popFirst() else { return false }
        oldest.makeRoom()
        return true
    }

    func started(_ handle: ConnectionHandle) -> ClientConnection? {
        let connection = ClientConnection(server: self, handle: handle, client: arriving)
        guard connection.open() else {
            // Shut the socket down, because no timer would watch the connection's deadlines. libmicrohttpd then closes
            // the connection.
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
        // The server has room again even if the socket continues without libmicrohttpd, because the client was counted
        // twice until this call.
        roomAgain()
    }

    func add(_ connection: DetachedConnection) { detached[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: DetachedConnection) {
        detached[ObjectIdentifier(connection)] = nil
        roomAgain()
    }

    /// Counts the end of a connection that had switched protocols.
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

    /// Schedules a run for work in libmicrohttpd that no descriptor signals, such as a resumed connection.
    func needsRun() {
        guard !isRunScheduled, !isRunning, !isNotifying else {
            isRunScheduled = true
            return
        }
        isRunScheduled = true
        loop.atEndOfPass(self)
    }

    /// Resumes the source of the connection's response after libmicrohttpd has returned.
    func resumeSourceAfterRun(_ connection: ClientConnection) { caughtUp.append(connection) }

    /// Notifies the exchange of collected parts of the request's body as soon as no further parts arrive immediately.
    func gathers(_ connection: ClientConnection) { gathering.append(connection) }

    /// Makes libmicrohttpd close the connection in its next run, regardless of the connection's state.
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

    /// Removes a descriptor from libmicrohttpd's poll set before libmicrohttpd closes it.
    func removeFromPollSet(_ descriptor: Int32) {
        if let daemon { ConnectionHandle.remove(pollSet: daemon.descriptor, descriptor: descriptor) }
    }

    /// Checks at intervals whether libmicrohttpd continues to read the connection's chunked body, until
    /// ``forgetsUpload(_:)`` is called.
    func watchesUpload(_ connection: ClientConnection) {
        uploads.append(connection)
        if uploads.count == 1, let uploadTimer { loop.arm(uploadTimer, after: ReadingStall.interval) }
    }

    func forgetsUpload(_ connection: ClientConnection) { uploads.removeAll { $0 === connection } }

    private func endStalledUploads() {
        guard !uploads.isEmpty, let uploadTimer else { return }
        for connection in uploads where connection.isStalled() { connection.refuseChunkLine() }
        loop.arm(uploadTimer, after: ReadingStall.interval)
        // Run libmicrohttpd between two checks, so that it reads the available bytes.
        needsRun()
    }

    private func deliverGathered(continues: Bool) {
        guard !gathering.isEmpty else { return }
        let gathered = gathering
        gathering.removeAll(keepingCapacity: true)
        for connection in gathered {
            if connection.gathering.ended(runNumber, continues: continues) {
                connection.deliverGathered()
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
        isNotifying = true
        deliverGathered(continues: wantsMore)
        if !caughtUp.isEmpty {
            let resumed = caughtUp
            caughtUp.removeAll(keepingCapacity: true)
            for connection in resumed { connection.resumeSource() }
        }
        isNotifying = false
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
    /// Schedules the handling of events in libmicrohttpd's poll set. libmicrohttpd runs at the end of the pass and then
    /// also continues the connections that are resumed until then.
    package func ready(_ readiness: Readiness) { needsRun() }

    /// Runs libmicrohttpd for work that it does not complete by itself.
    package func timerFired(_ timer: LoopTimer) {
        if timer === uploadTimer { endStalledUploads() } else { needsRun() }
    }

    /// Runs libmicrohttpd at the end of a pass.
    package func passEnded() {
        guard isRunScheduled else { return }
        runDaemon()
    }
}
