// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Sets the few socket options that tests need (setsockopt(2)).
enum SocketOption {
    /// The level of TCP_NODELAY. glibc declares the protocol numbers with a different type.
    static let tcpLevel = Int32(IPPROTO_TCP)

    static func set(_ descriptor: Int32, level: Int32, option: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func setLinger(_ descriptor: Int32, seconds: Int32) {
        var value = linger(l_onoff: 1, l_linger: seconds)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}

/// The loopback addresses of the machine.
package enum Loopback: Sendable, Equatable {
    case ipv4
    case ipv6
}

/// Loopback socket addresses; their traffic never leaves the machine.
enum SocketAddress {
    /// Calls `body` with a loopback address and a port as a generic socket address.
    static func withLoopback<Result>(
        _ loopback: Loopback = .ipv4, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) rethrows -> Result {
        if loopback == .ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return try withUnsafePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Returns the port that getsockname(2) or getpeername(2) reports, or 0 if there is none. The port is at the same
    /// offset in both address families.
    static func port(
        of descriptor: Int32,
        _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }

    /// Ends a connection with RST immediately, even if other processes have a copy of its descriptor (connect(2),
    /// AF_UNSPEC).
    static func disconnect(_ descriptor: Int32) {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNSPEC)
        _ = connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Returns a new TCP socket that child processes do not inherit.
    static func makeSocket(_ loopback: Loopback = .ipv4) throws -> Int32 {
        try SystemCall.check("socket") {
            socket(
                loopback == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        }
    }
}
