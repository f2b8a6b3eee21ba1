// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// A numeric IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    private init() {}

    /// Creates the address of `host`, which is a numeric address or a name such as `localhost`. Returns nil if the name
    /// cannot be resolved.
    ///
    /// A name may cause a resolver query, so call this initializer at start-up only, never on the request path.
    package init?(host: String, port: UInt16) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else { return nil }
        defer { freeaddrinfo(found) }
        length = first.pointee.ai_addrlen
        withUnsafeMutableBytes(of: &storage) { memory in
            memory.copyMemory(from: UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(length)))
        }
    }

    /// Creates an IPv4 address from a number whose most significant byte is the first octet (ip(7)).
    package init(ipv4: UInt32, port: UInt16) {
        length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { memory in
            memory.storeBytes(of: sa_family_t(AF_INET), as: sa_family_t.self)
            memory.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            memory.storeBytes(of: ipv4.bigEndian, toByteOffset: 4, as: UInt32.self)
        }
    }

    /// Creates an IPv6 address from two numbers whose most significant bytes come first (ipv6(7)).
    package init(ipv6: (high: UInt64, low: UInt64), port: UInt16) {
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &storage) { memory in
            memory.storeBytes(of: sa_family_t(AF_INET6), as: sa_family_t.self)
            memory.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
            memory.storeBytes(of: ipv6.high.bigEndian, toByteOffset: 8, as: UInt64.self)
            memory.storeBytes(of: ipv6.low.bigEndian, toByteOffset: 16, as: UInt64.self)
        }
    }

    /// The address family, AF_INET or AF_INET6.
    package var family: Int32 { Int32(storage.ss_family) }

    /// The address in IPv6's format as two numbers, the most significant bytes first. An IPv4 address is mapped (RFC
    /// 4291 §2.5.5.2). The value is nil for any other address family.
    package var ipv6: (high: UInt64, low: UInt64)? {
        withUnsafeBytes(of: storage) { memory in
            switch family {
            case AF_INET:
                (
                    0,
                    0xffff_0000_0000
                        | UInt64(UInt32(bigEndian: memory.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
                )
            case AF_INET6:
                (
                    UInt64(bigEndian: memory.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                    UInt64(bigEndian: memory.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
                )
            default: nil
            }
        }
    }

    /// Returns the same host with another port.
    package func with(port: UInt16) -> SocketAddress {
        var other = self
        // The port has the same offset and network byte order in sockaddr_in (ip(7)) and sockaddr_in6 (ipv6(7)).
        withUnsafeMutableBytes(of: &other.storage) { memory in
            memory.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        return other
    }

    /// The numeric address without the port.
    package var host: String { nameInfo().host }

    /// The port, in host byte order.
    package var port: UInt16 { nameInfo().port }

    /// The address as `HOST:PORT`. An IPv6 host is in brackets.
    package var description: String {
        let (host, port) = nameInfo()
        return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Calls `body` with the address in the form that the socket calls expect.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            // Every sockaddr_XX begins with the fields of sockaddr, and the socket calls distinguish the types by these
            // fields.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Returns the result of `body` and the address that `body` fills in. For example, `body` calls accept(2).
    static func filled(
        by body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> (result: Int32, address: SocketAddress) {
        var address = SocketAddress()
        let result = withUnsafeMutablePointer(to: &address.storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &address.length) }
        }
        return (result, address)
    }

    private func nameInfo() -> (host: String, port: UInt16) {
        var host = [UInt8](repeating: 0, count: 64)
        var service = [UInt8](repeating: 0, count: 8)
        let result = withPointer { address, length in
            host.withUnsafeMutableBytes { hostMemory in
                service.withUnsafeMutableBytes { serviceMemory in
                    getnameinfo(
                        address, length, hostMemory.baseAddress?.assumingMemoryBound(to: CChar.self), 64,
                        serviceMemory.baseAddress?.assumingMemoryBound(to: CChar.self), 8,
                        NI_NUMERICHOST | NI_NUMERICSERV)
                }
            }
        }
        guard result == 0 else { return ("?", 0) }
        let text = String(decoding: host.prefix { $0 != 0 }, as: UTF8.self)
        return (text, UInt16(String(decoding: service.prefix { $0 != 0 }, as: UTF8.self)) ?? 0)
    }
}
