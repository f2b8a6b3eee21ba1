// SPDX-License-Identifier: Apache-2.0

/// A server on a loopback address, by default 127.0.0.1, that passes each connection to a closure on a dedicated
/// thread.
///
/// The connection is closed when the closure returns or throws. `stop` ends every connection and waits for all threads.
/// It is also called when the server is released. A handler must not call it.
package final class TestServer: Sendable {
    /// Handles a connection. Errors that it throws are stored in `failures`.
    package typealias Handler = @Sendable (TestConnection) throws -> Void

    private let listener: Listener
    private let acceptor: TestThread
    private let crew: Crew

    /// The port on which the server listens.
    package var port: UInt16 { listener.port }
    /// Every accepted connection in order, including connections that have ended. The list is empty if the server does
    /// not remember connections.
    package var connections: Recorded<TestConnection> { crew.connections }
    /// The errors that handlers threw, as text. The usual cause is a peer that disconnected early.
    package var failures: Recorded<String> { crew.failures }

    /// Starts listening. Port 0 selects any free port. Set `remembers` to false in a long-lived server, so that the
    /// server does not store connections that have ended.
    package init(
        port: UInt16 = 0, on loopback: Loopback = .ipv4, backlog: Int32 = 1024, remembers: Bool = true,
        _ handler: @escaping Handler
    ) throws {
        let listener = try Listener(port: port, on: loopback, backlog: backlog)
        let crew = Crew(remembers: remembers, handler)
        self.listener = listener
        self.crew = crew
        acceptor = try TestThread {
            do {
                while let connection = try listener.accept() { try crew.serve(connection) }
            } catch {
                crew.failures.append("accepting: \(error)")
            }
        }
    }

    deinit { stop() }

    /// Stops accepting, closes every connection and waits until all handlers have returned.
    package func stop() {
        listener.wake()
        acceptor.join()
        crew.dismiss()
    }

    /// Refuses further connections and closes the existing ones. A handler may call this.
    package func refuse() {
        listener.refuse()
        crew.refuse()
    }

    /// The number of handlers that are running.
    package var activeConnections: Int { crew.active.withLock { $0.count } }

    /// Waits until exactly `count` handlers are running.
    package func wait(forActiveConnections count: Int, within limit: Duration = .seconds(10)) throws {
        _ = try crew.active.wait(for: "\(count) active connections", within: limit) { $0.count == count ? true : nil }
    }

    /// The threads that serve connections.
    private final class Crew: Sendable {
        struct Member: Sendable {
            let connection: TestConnection
            var thread: TestThread?
        }

        let handler: Handler
        let remembers: Bool
        let connections = Recorded<TestConnection>("a connection")
        let failures = Recorded<String>("a handler's failure")
        let active = Monitor<[ObjectIdentifier: Member]>([:])
        /// This latch is opened before `refuse` reads `active`, and read after an entry is added to `active`, so that
        /// one of the two threads always sees the change of the other.
        private let isRefusing = Latch("refusing")

        init(remembers: Bool, _ handler: @escaping Handler) {
            self.remembers = remembers
            self.handler = handler
        }

        func serve(_ connection: TestConnection) throws {
            let id = ObjectIdentifier(connection)
            active.withLock { $0[id] = Member(connection: connection) }
            // The connection was accepted before listening ended, but is only handled now.
            if isRefusing.isOpen { connection.close() }
            if remembers { connections.append(connection) }
            let thread = try TestThread { [self] in
                do {
                    try handler(connection)
                } catch {
                    if remembers { failures.append("\(error)") }
                }
                connection.close()
                active.withLock { $0[id] = nil }
            }
            // A handler that has already returned has removed its entry.
            active.withLock { $0[id]?.thread = thread }
        }

        func refuse() {
            isRefusing.open()
            for member in active.withLock({ Array($0.values) }) { member.connection.close() }
        }

        func dismiss() {
            let members = active.withLock { Array($0.values) }
            for member in members { member.connection.close() }
            for member in members { member.thread?.join() }
        }
    }
}
