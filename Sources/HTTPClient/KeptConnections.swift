/// The connections that are kept alive between requests, by the instance's port.
struct KeptConnections {
    private static let mostOfOneInstance = 64

    private var connections: [UInt16: [UpstreamSocket]] = [:]

    /// Hands out the connection that was used last: those that are not needed any more grow old, and the instance closes
    /// them.
    mutating func take(_ port: UInt16) -> UpstreamSocket? { connections[port]?.popLast() }

    /// Keeps a connection; false where there are enough of them.
    mutating func add(_ connection: UpstreamSocket) -> Bool {
        var isKept = true
        // In place: an array that is taken out and put back would be copied.
        { (kept: inout [UpstreamSocket]) in
            if kept.count < Self.mostOfOneInstance { kept.append(connection) } else { isKept = false }
        }(&connections[connection.port, default: []])
        return isKept
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
