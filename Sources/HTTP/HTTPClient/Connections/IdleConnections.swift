// SPDX-License-Identifier: Apache-2.0

import Addresses
import EventLoop

/// The connections that are kept alive between requests, ordered by the time when they became idle.
///
/// One list serves all instances. A search from the list's end finds the requested connection within a few steps. The
/// search needs neither a table look-up nor an array for each instance.
struct IdleConnections {
    /// The maximum number of connections that are kept.
    static let most = 64

    private var connections: [UpstreamConnection] = []

    /// Whether the list is empty.
    var isEmpty: Bool { connections.isEmpty }

    /// Removes and returns the instance's most recently used connection, if it is suitable. Always using the most
    /// recent connection lets unneeded connections expire.
    mutating func removeNewest(
        _ instance: InstanceAddress, where isGoodEnough: (UpstreamConnection) -> Bool = { _ in true }
    ) -> UpstreamConnection? {
        guard let index = connections.lastIndex(where: { $0.address == instance }), isGoodEnough(connections[index])
        else { return nil }
        return index == connections.count - 1 ? connections.removeLast() : connections.remove(at: index)
    }

    /// Adds a connection. If the list was full, returns the connection that must be closed.
    mutating func add(_ connection: UpstreamConnection) -> UpstreamConnection? {
        let surplus = connections.count < Self.most ? nil : connections.removeFirst()
        connections.append(connection)
        return surplus
    }

    /// Removes a connection that is no longer usable.
    mutating func remove(_ connection: UpstreamConnection) {
        if let index = connections.firstIndex(where: { $0 === connection }) { connections.remove(at: index) }
    }

    /// Removes and returns all expired connections.
    mutating func removeAll(expiredAt now: MonotonicTime) -> [UpstreamConnection] {
        let expired = connections.filter { $0.usableUntil <= now }
        if !expired.isEmpty { connections.removeAll { $0.usableUntil <= now } }
        return expired
    }

    /// The earliest expiry of a connection; nil if the list is empty.
    var nextExpiry: MonotonicTime? { connections.lazy.map(\.usableUntil).min() }

    /// Removes and returns all connections.
    mutating func removeAll() -> [UpstreamConnection] {
        defer { connections.removeAll() }
        return connections
    }
}
