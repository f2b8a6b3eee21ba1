// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A listening socket on a loopback address. Another thread can interrupt and end `accept`.
final class Listener: Sendable {
    private let descriptor: Int32
    private let stop: WakePipe
    let port: UInt16

    /// Listens on a port, or on any free port if `port` is 0.
    ///
    /// - Throws: `system("bind …", EADDRINUSE)` if the port is in use.
    init(port: UInt16, on loopback: Loopback = .ipv4, backlog: Int32) throws {
        // A socket that has stopped listening keeps its port only if bind(2) has named the port. Therefore, another
        // socket gets a free port first and holds it until this socket is bound to the same number.
        let holder = port == 0 ? try Listener.bound(port: 0, on: loopback) : nil
        defer { if let holder { _ = close(holder) } }
        let port = holder.map { SocketAddress.port(of: $0, getsockname) } ?? port
        let descriptor = try Listener.bound(port: port, on: loopback)
        do {
            _ = try SystemCall.check("listen") { listen(descriptor, backlog) }
            stop = try WakePipe()
        } catch {
            _ = close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = port
    }

    deinit { _ = close(descriptor) }

    /// Returns a socket that holds the port but does not listen yet.
    static func bound(port: UInt16, on loopback: Loopback = .ipv4) throws -> Int32 {
        let descriptor = try SocketAddress.makeSocket(loopback)
        // This allows a port whose last connections are still in TIME_WAIT, but not a port with a listener.
        SocketOption.set(descriptor, level: SOL_SOCKET, option: SO_REUSEADDR, to: 1)
        do {
            _ = try SystemCall.check("bind to port \(port)") {
                SocketAddress.withLoopback(loopback, port: port) { bind(descriptor, $0, $1) }
            }
        } catch {
            _ = close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Returns the next connection, or nil after `wake` or `refuse`.
    func accept() throws -> TestConnection? {
        while true {
            var descriptors = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            _ = try SystemCall.wait(&descriptors, until: Deadline(after: .seconds(86_400)))
            if descriptors[1].revents != 0 { return nil }
            let accepted = Glibc.accept(descriptor, nil, nil)
            if accepted >= 0 {
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                return TestConnection(owning: accepted)
            }
            // The socket no longer listens.
            if errno == EINVAL { return nil }
            // The peer may have closed the connection between the two calls.
            if ![EINTR, EAGAIN, ECONNABORTED].contains(errno) {
                throw TestKitError.system(operation: "accept", code: errno)
            }
        }
    }

    /// Ends `accept` permanently, regardless of the thread on which it runs.
    func wake() {
        stop.wake()
    }

    /// Ends listening and `accept`. From now on the kernel refuses connections, but the port remains occupied.
    func refuse() {
        // Otherwise another listener that reuses addresses could get the port now.
        SocketOption.set(descriptor, level: SOL_SOCKET, option: SO_REUSEADDR, to: 0)
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// A port of 127.0.0.1 that refuses connections and that no other socket can get. The port is bound, but its socket
/// does not listen.
package final class RefusingPort: Sendable {
    private let descriptor: Int32
    /// The number of the port.
    package let number: UInt16

    /// Occupies a free port that the kernel assigns.
    package init() throws {
        descriptor = try Listener.bound(port: 0)
        number = SocketAddress.port(of: descriptor, getsockname)
    }

    deinit { _ = close(descriptor) }
}
