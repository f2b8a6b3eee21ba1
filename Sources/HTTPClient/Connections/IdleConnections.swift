import Addresses
import EventLoop

/// The connections that are kept alive between requests, by the instance's address, in the order in which they came to rest.
struct IdleConnections {
    /// How many are kept.
    static let most = 64

    private var connections: [InstanceAddress: [UpstreamConnection]] = [:]
    private var count = 0

    /// Whether there is none.
    var isEmpty: Bool { count == 0 }

    /// Hands out the connection that was used last, so that those that are not needed any more grow old.
    mutating func take(_ instance: InstanceAddress) -> UpstreamConnection? {
        guard let connection = connections[instance]?.popLast() else { return nil }
        count -= 1
        return connection
    }

    /// Keeps one again that was handed out just now.
    mutating func putBack(_ connection: UpstreamConnection) {
        connections[connection.address, default: []].append(connection)
        count += 1
    }

    /// Keeps a connection; answers with the one that has to go for it, if any.
    mutating func add(_ connection: UpstreamConnection) -> UpstreamConnection? {
        let surplus = count < Self.most ? nil : oldest.flatMap { removeOldest(of: $0.address) }
        putBack(connection)
        return surplus
    }

    /// Takes a connection out that is no longer of use.
    mutating func remove(_ connection: UpstreamConnection) {
        guard let index = connections[connection.address]?.firstIndex(where: { $0 === connection }) else { return }
        connections[connection.address]?.remove(at: index)
        count -= 1
        forgetIfEmpty(connection.address)
    }

    /// Takes out all whose time is over.
    mutating func removeAll(expiredAt now: MonotonicTime) -> [UpstreamConnection] {
        var removed: [UpstreamConnection] = []
        for (instance, resting) in connections {
            let expired = resting.filter { $0.usableUntil <= now }
            guard !expired.isEmpty else { continue }
            removed += expired
            connections[instance]?.removeAll { $0.usableUntil <= now }
            forgetIfEmpty(instance)
        }
        count -= removed.count
        return removed
    }

    /// When the time of one of them will be over next; nil where there is none.
    var nextExpiry: MonotonicTime? { connections.values.lazy.joined().map(\.usableUntil).min() }

    /// Takes all of them out.
    mutating func removeAll() -> [UpstreamConnection] {
        defer {
            connections.removeAll()
            count = 0
        }
        return connections.values.flatMap(\.self)
    }

    private var oldest: UpstreamConnection? {
        connections.values.compactMap(\.first).min { $0.restsSince < $1.restsSince }
    }

    private mutating func removeOldest(of instance: InstanceAddress) -> UpstreamConnection? {
        guard connections[instance]?.isEmpty == false else { return nil }
        count -= 1
        return connections[instance]?.removeFirst()
    }

    private mutating func forgetIfEmpty(_ instance: InstanceAddress) {
        if connections[instance]?.isEmpty == true { connections[instance] = nil }
    }
}
