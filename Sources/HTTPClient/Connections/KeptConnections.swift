import EventLoop

/// The connections that are kept alive between requests, by the instance's port, in the order in which they came to rest.
struct KeptConnections {
    /// How many are kept.
    static let most = 64

    private var connections: [UInt16: [UpstreamSocket]] = [:]
    private var count = 0

    /// Whether there is none.
    var isEmpty: Bool { count == 0 }

    /// Hands out the connection that was used last, so that those that are not needed any more grow old.
    mutating func take(_ port: UInt16) -> UpstreamSocket? {
        guard let connection = connections[port]?.popLast() else { return nil }
        count -= 1
        return connection
    }

    /// Keeps a connection; answers with the one that has to go for it, if any.
    mutating func add(_ connection: UpstreamSocket) -> UpstreamSocket? {
        let surplus = count < Self.most ? nil : oldest.flatMap { removeOldest(of: $0.port) }
        connections[connection.port, default: []].append(connection)
        count += 1
        return surplus
    }

    /// Takes a connection out that is no longer of use.
    mutating func remove(_ connection: UpstreamSocket) {
        guard let index = connections[connection.port]?.firstIndex(where: { $0 === connection }) else { return }
        connections[connection.port]?.remove(at: index)
        count -= 1
        forgetIfEmpty(connection.port)
    }

    /// Takes out all whose time is over.
    mutating func removeAll(expiredAt now: MonotonicTime) -> [UpstreamSocket] {
        var removed: [UpstreamSocket] = []
        for (port, resting) in connections {
            let expired = resting.filter { $0.usableUntil <= now }
            guard !expired.isEmpty else { continue }
            removed += expired
            connections[port]?.removeAll { $0.usableUntil <= now }
            forgetIfEmpty(port)
        }
        count -= removed.count
        return removed
    }

    /// When the time of one of them will be over next; nil where there is none.
    var nextExpiry: MonotonicTime? { connections.values.lazy.joined().map(\.usableUntil).min() }

    /// Takes all of them out.
    mutating func removeAll() -> [UpstreamSocket] {
        defer {
            connections.removeAll()
            count = 0
        }
        return connections.values.flatMap(\.self)
    }

    private var oldest: UpstreamSocket? {
        connections.values.compactMap(\.first).min { $0.restsSince < $1.restsSince }
    }

    private mutating func removeOldest(of port: UInt16) -> UpstreamSocket? {
        guard connections[port]?.isEmpty == false else { return nil }
        count -= 1
        return connections[port]?.removeFirst()
    }

    private mutating func forgetIfEmpty(_ port: UInt16) {
        if connections[port]?.isEmpty == true { connections[port] = nil }
    }
}
