// SPDX-License-Identifier: Apache-2.0

import Addresses
package import EventLoop
package import HTTPTypes

/// The HTTP/1.1 client of one loop for requests to instances. The client keeps connections alive where possible.
package final class UpstreamClient {
    let loop: EventLoop
    /// The time limit for establishing a connection.
    let connectTimeout: Duration
    /// The rule for detecting a vanished peer on new connections; nil to detect none.
    package var peerLoss: PeerLoss?
    /// The maximum time that a connection is kept after its last request was sent.
    private let keepTimeout: Duration
    private var running: [UpstreamTransfer] = []
    private(set) var idle = IdleConnections()
    private var ageTimer: LoopTimer?
    private var lastAuthority: (address: InstanceAddress?, text: [UInt8]) = (nil, [])
    var textPool = TextPool()
    /// The pool for the fields of requests and responses. The code that forwards a response returns its field list to
    /// the pool.
    package var fieldPool = FieldListPool()

    /// The time after a kept connection's last request within which the connection may carry a request that must not be
    /// repeated. OpenCode closes a connection that was idle for 5 s. No server that keeps connections alive closes one
    /// after less than a second.
    static let justUsed = Duration.seconds(1)

    /// The maximum number of idle connections that are kept.
    package static var mostIdleConnections: Int { IdleConnections.most }

    /// Creates a client on `loop`.
    ///
    /// - Parameters:
    ///   - connectTimeout: The time limit for establishing a connection. A loopback peer responds immediately or not at
    ///     all, unless its accept queue is full.
    ///   - keepTimeout: The maximum time that a connection is kept after its last request was sent. OpenCode 2 closes a
    ///     connection that was idle for 5 s, and bytes in transit are then lost.
    package init(
        loop: EventLoop, connectTimeout: Duration = .seconds(5), keepTimeout: Duration = .seconds(4)
    ) {
        self.loop = loop
        self.connectTimeout = connectTimeout
        self.keepTimeout = keepTimeout
    }

    /// Sends a request. Notifies `delegate` of events, but never during this call.
    package func start(_ request: borrowing UpstreamRequest, delegate: any UpstreamDelegate) -> UpstreamTransfer {
        // Every byte was checked when it was received from the client (RequestFraming).
        assert(
            request.fields.hasNoControlCharacter && request.target.allSatisfy { $0 > 0x20 },
            "the target and the fields of a request must not contain a line end")
        let transfer = UpstreamTransfer(
            request, on: takeIdle(request.instance, request.connectionChoice), client: self, delegate: delegate)
        transfer.listIndex = running.count
        running.append(transfer)
        return transfer
    }

    /// The delegates of the running transfers.
    package var delegates: [any UpstreamDelegate] { running.compactMap(\.delegate) }

    /// Cancels all transfers and closes all connections.
    package func stop() {
        for transfer in running { transfer.cancel() }
        _ = closeIdle()
        if let ageTimer { loop.cancel(ageTimer) }
        ageTimer = nil
    }

    // MARK: For transfers

    /// Returns ``Addresses/InstanceAddress/authority`` as bytes. Caches the result for the last request's instance.
    func authority(of address: InstanceAddress) -> [UInt8] {
        if lastAuthority.address != address {
            var text: [UInt8] = []
            address.appendAuthority(to: &text)
            lastAuthority = (address, text)
        }
        return lastAuthority.text
    }

    /// Removes a transfer that has ended.
    func forget(_ transfer: UpstreamTransfer) {
        guard transfer.listIndex < running.count, running[transfer.listIndex] === transfer else { return }
        let last = running.removeLast()
        if last !== transfer {
            running[transfer.listIndex] = last
            last.listIndex = transfer.listIndex
        }
    }

    /// Returns a usable connection that was kept alive (``UpstreamConnection/isUsable(for:)``), or nil if the request
    /// needs a new one.
    private func takeIdle(
        _ instance: InstanceAddress, _ choice: UpstreamRequest.ConnectionChoice
    ) -> UpstreamConnection? {
        if choice == .dedicated { return nil }
        // If `choice` requires a recently used connection, leave the other connections in the list, because they can
        // still carry other requests.
        while let connection = idle.removeNewest(
            instance, where: { choice == .kept || $0.isUsed(within: Self.justUsed) })
        {
            if connection.isUsable(for: choice) { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for the next request, unless it has already expired.
    ///
    /// - Parameter idleLimit: The idle time that the instance allows.
    func keep(_ connection: UpstreamConnection, _ idleLimit: Duration?) {
        connection.becomeIdle(for: min(idleLimit ?? keepTimeout, keepTimeout))
        guard connection.usableUntil > loop.now else { return connection.close() }
        idle.add(connection)?.close()
        let timer = ageTimer ?? loop.timer(self)
        ageTimer = timer
        if connection.usableUntil < timer.deadline { loop.arm(timer, at: connection.usableUntil) }
    }

    /// Frees descriptors by closing all kept connections. Returns false if there are none.
    func closeIdle() -> Bool {
        let connections = idle.removeAll()
        for connection in connections { connection.close() }
        return !connections.isEmpty
    }

    /// Removes a kept connection that was closed or has delivered unrequested bytes.
    func drop(_ connection: UpstreamConnection) { idle.remove(connection) }
}

extension UpstreamClient: TimerHandler {
    /// Closes kept connections that have expired.
    package func timerFired(_ timer: LoopTimer) {
        for connection in idle.removeAll(expiredAt: loop.now) { connection.close() }
        guard let next = idle.nextExpiry, let ageTimer else { return }
        // The timer closes connections in groups, some of them late. The delay is safe, because an expired connection
        // is not used, and an instance waits a second longer than the gateway assumes.
        loop.arm(ageTimer, at: max(next, loop.now + keepTimeout / 16))
    }
}
