// SPDX-License-Identifier: Apache-2.0

internal import Addresses
import Glibc

/// An address on which the gateway listens. The host is numeric, so the gateway resolves no names.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// An IPv4 or IPv6 address without brackets.
    package let host: String
    /// The port. With 0, the kernel selects a port.
    package let port: UInt16

    /// Creates an address from parts that have been validated.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Whether `host` is an IPv6 address.
    package var isIPv6: Bool { host.contains(":") }

    /// Whether only this machine can reach the address.
    package var isLoopback: Bool { IPAddress(host)?.isLoopback == true }

    /// The address as `HOST:PORT`. An IPv6 host is in brackets, as in a URL (RFC 3986 §3.2.2).
    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ListenAddress {
    /// Parses `HOST:PORT`. The host is an IPv4 address, an IPv6 address in brackets, or `localhost`, which means
    /// 127.0.0.1.
    static func parse(_ text: String) throws(InvalidValue) -> ListenAddress {
        let wanted = "write HOST:PORT, for example 127.0.0.1:4000, 0.0.0.0:4000 or [::1]:4000"
        // inet_pton(3) would stop at a NUL and accept the text before it.
        if text.utf8.contains(0) { throw InvalidValue("contains a NUL character", fix: wanted) }
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else {
            throw InvalidValue("has no port", fix: wanted)
        }
        let portText = text[text.index(after: colon)...]
        guard let port = UInt16(portText), portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw InvalidValue("has a port that is not a number from 0 to 65535", fix: wanted)
        }
        let hostText = text[..<colon]
        if hostText.hasPrefix("["), hostText.hasSuffix("]") {
            let host = String(hostText.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else {
                throw InvalidValue("has no valid IPv6 address in its brackets", fix: wanted)
            }
            return ListenAddress(host: host, port: port)
        }
        let host = hostText == "localhost" ? "127.0.0.1" : String(hostText)
        if host.contains(":") { throw InvalidValue("has an IPv6 address without brackets", fix: wanted) }
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else {
            throw InvalidValue("has no valid IP address before the port", fix: wanted)
        }
        return ListenAddress(host: host, port: port)
    }
}
