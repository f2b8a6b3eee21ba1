import Glibc

/// An IPv4 or IPv6 address without port and zone. An IPv4 address that came mapped into IPv6 (RFC 4291 §2.5.5.2) is
/// that IPv4 address: one client has one address, however it was accepted.
package struct IPAddress: Sendable, Hashable {
    /// The first 64 bits, the most significant first; IPv4 is kept in its mapped form.
    let high: UInt64
    /// The last 64 bits.
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads an address as inet_pton(3) does: dotted decimal, or hexadecimal groups with colons, without brackets. A
    /// zone (`%eth0`, RFC 4007 §11) is left out. Nil for anything else.
    package init?(_ text: some Collection<UInt8>) {
        let isIPv6 = text.contains(UInt8(ascii: ":"))
        let digits = isIPv6 ? text.prefix { $0 != UInt8(ascii: "%") } : text[...]
        // The longest is `ffff:…:255.255.255.255` with 45 characters; inet_pton reads up to a NUL.
        guard (2...45).contains(digits.count), !digits.contains(0) else { return nil }
        var bytes = (UInt64(0), UInt64(0))
        let isRead = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { characters in
            var end = 0
            for digit in digits {
                characters[end] = CChar(bitPattern: digit)
                end += 1
            }
            characters[end] = 0
            guard let start = characters.baseAddress else { return false }
            // The address is written in network order: 16 bytes, or 4.
            return inet_pton(isIPv6 ? AF_INET6 : AF_INET, start, &bytes) == 1
        }
        guard isRead else { return nil }
        if isIPv6 {
            self.init(high: UInt64(bigEndian: bytes.0), low: UInt64(bigEndian: bytes.1))
        } else {
            self.init(high: 0, low: Self.mapped | UInt64(bigEndian: bytes.0) >> 32)
        }
    }

    /// Reads an address; see ``init(_:)-(Collection)``.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// `::ffff:0:0`, the last 64 bits.
    private static let mapped: UInt64 = 0xffff_0000_0000

    /// 127.0.0.1.
    package static let loopback = IPAddress(high: 0, low: mapped | 0x7f00_0001)

    /// An IPv4 address as a number, its first octet the most significant; nil for IPv6.
    package var ipv4: UInt32? { isIPv4 ? UInt32(truncatingIfNeeded: low) : nil }

    /// The address in IPv6's form as two numbers, the first octet the most significant; of IPv4 the mapped one.
    package var ipv6: (high: UInt64, low: UInt64) { (high, low) }

    /// `::1`.
    package static let loopbackIPv6 = IPAddress(high: 0, low: 1)

    /// Whether this is an IPv4 address.
    package var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Whether it is one of this machine's own (127.0.0.0/8, `::1`).
    package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }

    /// What one subscriber has: the address itself, of IPv6 the network of 64 bits, in which a host takes as many
    /// addresses as it likes (RFC 8981).
    package var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or as RFC 5952 wants it.
    package var description: String {
        var bytes = isIPv4 ? (UInt64(low << 32).bigEndian, UInt64(0)) : (high.bigEndian, low.bigEndian)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { characters in
            guard let start = characters.baseAddress,
                inet_ntop(isIPv4 ? AF_INET : AF_INET6, &bytes, start, socklen_t(characters.count)) != nil
            else { return "" }
            return String(cString: start)
        }
    }
}
