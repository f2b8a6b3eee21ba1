// SPDX-License-Identifier: Apache-2.0

/// A client's connection as an element of ``KeylessConnections``. The links are part of this base class, so that the
/// list itself needs no memory.
package class ListedConnection {
    fileprivate var previous: ListedConnection?
    fileprivate var next: ListedConnection?
    fileprivate var isListed = false

    init() {}

    /// Ends the connection to make room for another client.
    func makeRoom() {}
}

/// The connections whose clients have presented no valid key, the oldest first. Remove an element before releasing it,
/// because it would otherwise stay in the list forever.
struct KeylessConnections {
    private var first: ListedConnection?
    private var last: ListedConnection?

    /// Whether the list is empty.
    var isEmpty: Bool { first == nil }

    /// Adds a connection to the end of the list.
    mutating func append(_ connection: ListedConnection) {
        connection.isListed = true
        connection.previous = last
        if let last { last.next = connection } else { first = connection }
        last = connection
    }

    /// Removes a connection; does nothing if it is not listed.
    mutating func remove(_ connection: ListedConnection) {
        guard connection.isListed else { return }
        let previous = connection.previous
        let next = connection.next
        if let previous { previous.next = next } else { first = next }
        if let next { next.previous = previous } else { last = previous }
        connection.previous = nil
        connection.next = nil
        connection.isListed = false
    }

    /// Replaces a listed connection with another connection.
    mutating func replace(_ connection: ListedConnection, with other: ListedConnection) {
        guard connection.isListed else { return }
        other.isListed = true
        other.previous = connection
        other.next = connection.next
        if let next = connection.next { next.previous = other } else { last = other }
        connection.next = other
        remove(connection)
    }

    /// Removes the oldest connection and returns it.
    mutating func popFirst() -> ListedConnection? {
        guard let oldest = first else { return nil }
        remove(oldest)
        return oldest
    }
}
