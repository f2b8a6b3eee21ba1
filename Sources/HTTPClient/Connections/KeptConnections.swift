/// The connections that are kept alive between requests, by the instance's port.
struct KeptConnections {
    private static let mostOfOneInstance = 64

    private var connections: [UInt16: [UpstreamSocket]] = [:]

    /// Hands out the connection that was used last: those that are not needed any more grow old, and the instance closes
    /// them.
    mutating func take(_ port: UInt16) -> UpstreamSocket? { connections[port]?.popLast() }

    /// Keeps a connection; false where there are enough of them.
    mutating func add(_ connection: UpstreamSocket) -> Bool {
        guard connections[connection.port]?.count ?? 0 < Self.mostOfOneInstance else { return false }
        connections[connection.port, default: []].append(connection)
        return true
    }

    /// Takes a connection out that is no longer of use.
    mutating func remove(_ connection: UpstreamSocket) {
        connections[connection.port]?.removeAll { $0 === connection }
        if connections[connection.port]?.isEmpty == true { connections[connection.port] = nil }
    }

    /// Takes all of them out.
    mutating func removeAll() -> [UpstreamSocket] {
        defer { connections.removeAll() }
        return connections.values.flatMap(\.self)
    }
}
