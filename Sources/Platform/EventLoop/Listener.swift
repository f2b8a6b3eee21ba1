// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// A listening TCP socket. Several loops can each open a listener for the same address (SO_REUSEPORT, socket(7)).
package final class Listener {
    /// The result of one attempt to accept a connection.
    package enum Accepted {
        /// A connected, non-blocking descriptor that the caller owns, and the peer's address.
        case connection(Int32, SocketAddress)
        /// No connection is waiting to be accepted.
        case noClient
        /// The process or the system has no descriptor or memory left (EMFILE, ENFILE, ENOBUFS, ENOMEM), or another
        /// error occurred. The value is the error number.
        case exhausted(Int32)
    }

    /// The listening socket's descriptor, for watching.
    package let descriptor: Int32
    /// Whether other loops accept from the same socket.
    package let isShared: Bool
    /// The address that the socket listens on, with the chosen port if 0 was requested.
    package let address: SocketAddress

    /// Creates a socket that listens on `address`.
    package init(on address: SocketAddress, backlog: Int32 = 1024) throws(SystemCallError) {
        let descriptor = try check("socket") {
            socket(
                address.family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        do {
            Self.set(SO_REUSEADDR, on: descriptor)
            Self.set(SO_REUSEPORT, on: descriptor)
            try check("bind") { address.withPointer { bind(descriptor, $0, $1) } }
            try check("listen") { listen(descriptor, backlog) }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        isShared = false
        self.address = SocketAddress.filled { getsockname(descriptor, $0, $1) }.address
    }

    /// Accepts connections from a socket that already listens, such as one from a service manager. Several loops may
    /// share the socket, and the socket continues to listen after the loops have ended. The caller keeps ownership of
    /// `inherited`.
    package init(sharing inherited: Int32) throws(SystemCallError) {
        let descriptor = try check("fcntl(F_DUPFD_CLOEXEC)") { fcntl(inherited, F_DUPFD_CLOEXEC, 0) }
        let flags = fcntl(descriptor, F_GETFL)
        if flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        self.descriptor = descriptor
        isShared = true
        self.address = SocketAddress.filled { getsockname(descriptor, $0, $1) }.address
    }

    deinit { close(descriptor) }

    /// Throws if any process already listens on `address`. With SO_REUSEPORT alone, a second gateway would start
    /// without an error.
    package static func requireUnused(_ address: SocketAddress) throws(SystemCallError) {
        let descriptor = try check("socket") {
            socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        }
        defer { close(descriptor) }
        set(SO_REUSEADDR, on: descriptor)
        try check("bind") { address.withPointer { bind(descriptor, $0, $1) } }
    }

    /// Makes the kernel end connections whose peer has vanished. The setting applies to connections that are accepted
    /// after this call.
    package func detect(_ loss: PeerLoss) { loss.set(on: descriptor) }

    /// Accepts the next waiting connection.
    package func accept() -> Accepted {
        while true {
            let (descriptor, address) = SocketAddress.filled { clinux_accept(self.descriptor, $0, $1) }
            if descriptor >= 0 { return .connection(descriptor, address) }
            switch errno {
            case EAGAIN: return .noClient
            // EINTR is an interruption. Each of the other errors concerns only one connection, which failed before it
            // was accepted (accept(2)).
            case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
                ENETUNREACH:
                continue
            default: return .exhausted(errno)
            }
        }
    }

    private static func set(_ option: Int32, on descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
