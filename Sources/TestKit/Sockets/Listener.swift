import Glibc

/// A listening socket on a loopback address whose accepting can be woken up and ended from another thread.
final class Listener: Sendable {
    private let descriptor: Int32
    private let stop: WakePipe
    /// Holds the port when nothing listens on it any more.
    private let holder = Monitor<Int32?>(nil)
    private let loopback: Loopback
    let port: UInt16

    /// Listens on the port, 0 for any free one. Throws `system("bind …", EADDRINUSE)` when it is taken.
    init(port: UInt16, on loopback: Loopback = .ipv4, backlog: Int32) throws {
        let descriptor = try Listener.bound(port: port, on: loopback)
        do {
            _ = try SystemCall.check("listen") { listen(descriptor, backlog) }
            stop = try WakePipe()
        } catch {
            _ = close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.loopback = loopback
        self.port = SocketAddress.port(of: descriptor, getsockname)
    }

    deinit {
        _ = close(descriptor)
        if let holding = holder.withLock({ $0 }) { _ = close(holding) }
    }

    /// A socket that holds the port; not listening yet.
    static func bound(port: UInt16, on loopback: Loopback = .ipv4) throws -> Int32 {
        let descriptor = try SocketAddress.makeSocket(loopback)
        // A port whose last connections are still in TIME_WAIT is free again; one with a listener is not.
        SocketOption.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
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

    /// The next connection; nil once `wake` or `refuse` was called.
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
            // The socket does not listen any more.
            if errno == EINVAL { return nil }
            // The peer may have given up between the two calls.
            if ![EINTR, EAGAIN, ECONNABORTED].contains(errno) {
                throw TestKitError.system(operation: "accept", code: errno)
            }
        }
    }

    /// Ends `accept` for good.
    func wake() {
        stop.wake()
    }

    /// Ends listening, and `accept` with it: from now on the kernel refuses connections. The port stays taken.
    func refuse() {
        // Or another listener that reuses addresses could take the port now.
        SocketOption.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 0)
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        // A port that the kernel has chosen is free from here on.
        holder.withLock { if $0 == nil { $0 = try? Listener.bound(port: port, on: loopback) } }
    }
}

/// A port of 127.0.0.1 that refuses connections and that nobody else can get: bound, but not listening.
package final class RefusingPort: Sendable {
    private let descriptor: Int32
    /// The port's number.
    package let number: UInt16

    /// Takes any free port.
    package init() throws {
        descriptor = try Listener.bound(port: 0)
        number = SocketAddress.port(of: descriptor, getsockname)
    }

    deinit { _ = close(descriptor) }
}
