/// A server on a loopback address, 127.0.0.1 unless another is wanted, that hands each connection to a closure on a thread of its own.
///
/// The connection is closed when the closure returns or throws. `stop` (also called when the server goes out of scope)
/// ends every connection and waits for all threads; a handler must not call it.
package final class TestServer: Sendable {
    /// What is done with a connection. What it throws is kept in `failures`.
    package typealias Handler = @Sendable (TestConnection) throws -> Void

    private let listener: Listener
    private let acceptor: TestThread
    private let crew: Crew

    /// The port it listens on.
    package var port: UInt16 { listener.port }
    /// Every connection that was accepted, in order, also the ended ones; empty when the server forgets them.
    package var connections: Recorded<TestConnection> { crew.connections }
    /// What handlers threw, as text. A peer that leaves early is the usual reason.
    package var failures: Recorded<String> { crew.failures }

    /// Starts listening. Port 0 takes any free one. A server that lives long forgets what has ended (`remembers`).
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
                while let connection = try listener.accept() { try crew.take(connection) }
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

    /// Refuses connections from now on and closes those that there are. A handler may call it.
    package func refuse() {
        listener.refuse()
        crew.refuse()
    }

    /// How many handlers are running now.
    package var activeConnections: Int { crew.active.withLock { $0.count } }

    /// Waits until exactly that many handlers are running.
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
        /// Set before `refuse` looks at `active`, and looked at behind an entry there: one of the two sees the other.
        private let isRefusing = Latch("refusing")

        init(remembers: Bool, _ handler: @escaping Handler) {
            self.remembers = remembers
            self.handler = handler
        }

        func take(_ connection: TestConnection) throws {
            let id = ObjectIdentifier(connection)
            active.withLock { $0[id] = Member(connection: connection) }
            // It was accepted before the listening ended, and is taken only now.
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
            // A handler that is done already has taken itself off the list.
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
