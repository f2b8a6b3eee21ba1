import EventLoop

/// Connections that are none of libcurl's, and the text of the requests that they carry.
extension UpstreamClient {
    private static let mostSpareRequests = 64
    private static let largestSpareRequest = 8 * 1024

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

    /// Keeps a connection for the next request.
    func keep(_ connection: UpstreamSocket) {
        guard keptConnections.add(connection) else { return connection.close() }
        connection.rest()
    }

    /// A kept connection was closed, or has brought what nobody has asked for.
    func drop(_ connection: UpstreamSocket) { keptConnections.remove(connection) }

    /// Memory for a request's text.
    func takeSpareRequest() -> [UInt8] { spareRequests.popLast() ?? [] }

    /// Takes that memory back.
    func giveBack(_ request: inout [UInt8]) {
        guard spareRequests.count < Self.mostSpareRequests, 1...Self.largestSpareRequest ~= request.capacity else {
            return
        }
        var spare: [UInt8] = []
        swap(&spare, &request)
        spare.removeAll(keepingCapacity: true)
        spareRequests.append(spare)
    }
}
