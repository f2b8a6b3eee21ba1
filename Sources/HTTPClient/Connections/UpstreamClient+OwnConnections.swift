import EventLoop

/// Connections that are none of libcurl's, and the text of the requests that they carry.
extension UpstreamClient {
    private static let mostSpareRequests = 64
    private static let largestSpareRequest = 8 * 1024

    /// How many connections are kept that nobody uses.
    package static var mostKeptConnections: Int { KeptConnections.most }

    /// A connection that was kept alive, and has neither been closed nor brought what nobody has asked for.
    func takeKept(_ port: UInt16) -> UpstreamSocket? {
        while let connection = keptConnections.take(port) {
            if connection.isUsable { return connection }
            connection.close()
        }
        return nil
    }

    /// Opens a connection for an exchange, which is told when that fails.
    func connect(_ exchange: UpstreamExchange, _ port: UInt16) -> UpstreamSocket {
        .connect(to: address.with(port: port), port: port, for: exchange, client: self)
    }

    /// Keeps a connection for the next request, unless its time is over already; `longestRest` is what the instance allows.
    func keep(_ connection: UpstreamSocket, _ longestRest: Duration?) {
        connection.rest(for: min(longestRest ?? keepTimeout, keepTimeout))
        guard connection.usableUntil > loop.now else { return connection.close() }
        keptConnections.add(connection)?.close()
        let timer = ageTimer ?? loop.timer(self)
        ageTimer = timer
        if connection.usableUntil < timer.deadline { loop.arm(timer, at: connection.usableUntil) }
    }

    /// Closes what nobody has needed in its time.
    func closeOld() {
        for connection in keptConnections.removeAll(expiredAt: loop.now) { connection.close() }
        guard let next = keptConnections.nextExpiry, let ageTimer else { return }
        // Several at once: nothing expired is used, and an instance is a second more patient than it is believed to be.
        loop.arm(ageTimer, at: max(next, loop.now + keepTimeout / 16))
    }

    /// Closes all kept connections, so that there are descriptors again; false where there was none.
    func closeKept() -> Bool {
        let connections = keptConnections.removeAll()
        for connection in connections { connection.close() }
        return !connections.isEmpty
    }

    /// A kept connection was closed, or has brought what nobody has asked for.
    func drop(_ connection: UpstreamSocket) { keptConnections.remove(connection) }

    /// Memory for a request's text.
    func takeSpareRequest() -> [UInt8] { spareRequests.popLast() ?? [] }

    /// Takes that memory back.
    func giveBack(_ request: inout [UInt8]) {
        var spare: [UInt8] = []
        swap(&spare, &request)
        guard spareRequests.count < Self.mostSpareRequests, 1...Self.largestSpareRequest ~= spare.capacity else {
            return
        }
        spare.removeAll(keepingCapacity: true)
        spareRequests.append(spare)
    }
}
