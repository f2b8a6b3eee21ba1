import Addresses
import EventLoop

/// The connections that are kept alive between requests, in the order in which they came to rest.
///
/// One list for all instances: the wanted one is found from its end within a few steps, without a look into a table and without an
/// array for each instance.
struct IdleConnections {
    /// How many are kept.
    static let most = 64

    private var connections: [UpstreamConnection] = []

    /// Whether there is none.
    var isEmpty: Bool { connections.isEmpty }

    /// Hands out the instance's connection that was used last, if that is good enough: so those that are not needed any more
    /// grow old.
    mutating func take(
        _ instance: InstanceAddress, where isGoodEnough: (UpstreamConnection) -> Bool = { _ in true }
    ) -> UpstreamConnection? {
        guard let index = connections.lastIndex(where: { $0.address == instance }), isGoodEnough(connections[index])
        else { return nil }
        return index == connections.count - 1 ? connections.removeLast() : connections.remove(at: index)
    }

    /// Keeps a connection; answers with the one that has to go for it, if any.
    mutating func add(_ connection: UpstreamConnection) -> UpstreamConnection? {
        let surplus = connections.count < Self.most ? nil : connections.removeFirst()
        connections.append(connection)
        return surplus
    }

    /// Takes a connection out that is no longer of use.
    mutating func remove(_ connection: UpstreamConnection) {
        if let index = connections.firstIndex(where: { $0 === connection }) { connections.remove(at: index) }
    }

    /// Takes out all whose time is over.
    mutating func removeAll(expiredAt now: MonotonicTime) -> [UpstreamConnection] {
        let expired = connections.filter { $0.usableUntil <= now }
        if !expired.isEmpty { connections.removeAll { $0.usableUntil <= now } }
        return expired
    }

    /// When the time of one of them will be over next; nil where there is none.
    var nextExpiry: MonotonicTime? { connections.lazy.map(\.usableUntil).min() }

    /// Takes all of them out.
    mutating func removeAll() -> [UpstreamConnection] {
        defer { connections.removeAll() }
        return connections
    }
}
