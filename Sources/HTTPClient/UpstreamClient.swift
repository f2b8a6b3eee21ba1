import Addresses
package import EventLoop
package import HTTPTypes

/// The way from one loop to the instances: HTTP/1.1 on connections that are kept alive where they may be.
package final class UpstreamClient {
    let loop: EventLoop
    /// How long a connection may take to be made.
    let connectTimeout: Duration
    /// How new connections find out that their instance's machine has vanished; nil: not at all.
    package var peerLoss: PeerLoss?
    /// How long a connection is kept after its last request was sent, at most.
    private let keepTimeout: Duration
    private var running: [UpstreamTransfer] = []
    private(set) var idle = IdleConnections()
    private var ageTimer: LoopTimer?
    private var lastAuthority: (address: InstanceAddress?, text: [UInt8]) = (nil, [])
    var spareTexts = TextPool()
    /// Memory for the fields of requests and of answers; who has sent an answer on gives its memory back.
    package var spareFields = FieldListPool()

    /// For how long after its last request was sent a kept connection may carry a request that must not be repeated. OpenCode closes
    /// a connection that has rested for 5 s, and no server that keeps connections at all closes one after less than a second.
    static let justUsed = Duration.seconds(1)

    /// How many connections are kept that nobody uses.
    package static var mostIdleConnections: Int { IdleConnections.most }

    /// A client on `loop`. `connectTimeout`: loopback answers at once or not at all; a full accept queue is the one
    /// case in between. `keepTimeout`: how long a connection is kept after its last request was sent, at most; OpenCode 2 closes
    /// one that has rested for 5 s, and what is on its way to it then is lost.
    package init(
        loop: EventLoop, connectTimeout: Duration = .seconds(5), keepTimeout: Duration = .seconds(4)
    ) {
        self.loop = loop
        self.connectTimeout = connectTimeout
        self.keepTimeout = keepTimeout
    }

    /// Sends a request; `follower` is told what comes, never from within this call.
    package func start(_ request: borrowing UpstreamRequest, follower: any UpstreamDelegate) -> UpstreamTransfer {
        // Every byte was checked when it came from the client (RequestFraming).
        assert(
            request.fields.holdsNoControlCharacter && request.target.allSatisfy { $0 > 0x20 },
            "a request with a line end in its target or fields must never come this far")
        let transfer = UpstreamTransfer(
            request, on: takeIdle(request.instance, request.connectionChoice), client: self, follower: follower)
        transfer.listIndex = running.count
        running.append(transfer)
        return transfer
    }

    /// Who follows the transfers that run now.
    package var followers: [any UpstreamDelegate] { running.compactMap(\.follower) }

    /// Ends everything.
    package func stop() {
        for transfer in running { transfer.cancel() }
        _ = closeIdle()
        if let ageTimer { loop.cancel(ageTimer) }
        ageTimer = nil
    }

    // MARK: For transfers

    /// ``Addresses/InstanceAddress/authority`` as bytes; that of the instance that was asked last is there already.
    func authority(of address: InstanceAddress) -> [UInt8] {
        if lastAuthority.address != address {
            var text: [UInt8] = []
            address.appendAuthority(to: &text)
            lastAuthority = (address, text)
        }
        return lastAuthority.text
    }

    /// The transfer has ended.
    func forget(_ transfer: UpstreamTransfer) {
        guard transfer.listIndex < running.count, running[transfer.listIndex] === transfer else { return }
        let last = running.removeLast()
        if last !== transfer {
            running[transfer.listIndex] = last
            last.listIndex = transfer.listIndex
        }
    }

    /// A connection that was kept alive and is usable (``UpstreamConnection/isUsable(for:)``); nil where the request needs a fresh
    /// one.
    private func takeIdle(
        _ instance: InstanceAddress, _ choice: UpstreamRequest.ConnectionChoice
    ) -> UpstreamConnection? {
        if choice == .own { return nil }
        // One that has rested for longer is good for others still.
        while let connection = idle.take(
            instance, where: { choice == .kept || $0.isUsed(within: Self.justUsed) })
        {
            if connection.isUsable(for: choice) { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for the next request, unless its time is over already; `longestRest` is what the instance allows.
    func keep(_ connection: UpstreamConnection, _ longestRest: Duration?) {
        connection.rest(for: min(longestRest ?? keepTimeout, keepTimeout))
        guard connection.usableUntil > loop.now else { return connection.close() }
        idle.add(connection)?.close()
        let timer = ageTimer ?? loop.timer(self)
        ageTimer = timer
        if connection.usableUntil < timer.deadline { loop.arm(timer, at: connection.usableUntil) }
    }

    /// Closes all kept connections, so that there are descriptors again; false where there was none.
    func closeIdle() -> Bool {
        let connections = idle.removeAll()
        for connection in connections { connection.close() }
        return !connections.isEmpty
    }

    /// A kept connection was closed, or has brought what nobody has asked for.
    func drop(_ connection: UpstreamConnection) { idle.remove(connection) }
}

extension UpstreamClient: TimerHandler {
    /// Kept connections have grown old: closes what nobody has needed in its time.
    package func timerFired(_ timer: LoopTimer) {
        for connection in idle.removeAll(expiredAt: loop.now) { connection.close() }
        guard let next = idle.nextExpiry, let ageTimer else { return }
        // Several at once: nothing expired is used, and an instance is a second more patient than it is believed to be.
        loop.arm(ageTimer, at: max(next, loop.now + keepTimeout / 16))
    }
}
