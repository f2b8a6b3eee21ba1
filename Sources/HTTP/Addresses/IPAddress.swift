// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import Glibc

/// An IPv4 or IPv6 address without port and zone.
///
/// An IPv4 address in its IPv6-mapped form (RFC 4291 §2.5.5.2) equals the plain IPv4 address. A client therefore has
/// the same address regardless of whether its connection was accepted over IPv4 or IPv6.
package struct IPAddress: Sendable, Hashable {
    /// The first 64 bits, most significant first. IPv4 addresses are stored in their mapped form.
    @usableFromInline let high: UInt64
    /// The last 64 bits, most significant first.
    @usableFromInline let low: UInt64

    /// Returns whether two addresses are equal. The explicit implementation allows other modules to inline the
    /// comparison.
    @inlinable package static func == (left: IPAddress, right: IPAddress) -> Bool {
        left.high == right.high && left.low == right.low
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an address from its IPv6 form as two numbers whose first octets are the most significant. IPv4 addresses
    /// are passed in their mapped form.
    package init(ipv6: (high: UInt64, low: UInt64)) { self.init(high: ipv6.high, low: ipv6.low) }

    /// Parses an address as inet_pton(3) does: dotted decimal, or hexadecimal groups with colons, without brackets. The
    /// initializer drops a zone (`%eth0`, RFC 4007 §11). Returns nil for any other text.
    package init?(_ text: Span<UInt8>) {
        var isIPv6 = false
        var count = 0
        while count < text.count {
            if text[count] == UInt8(ascii: ":") { isIPv6 = true }
            if text[count] == UInt8(ascii: "%"), isIPv6 { break }
            count += 1
        }
        // The longest form is `ffff:…:255.255.255.255` with 45 characters. inet_pton stops at a NUL, so reject a text
        // that contains one.
        guard (2...45).contains(count) else { return nil }
        var characters = InlineArray<46, CChar>(repeating: 0)
        for index in 0..<count {
            guard text[index] != 0 else { return nil }
            characters[index] = CChar(bitPattern: text[index])
        }
        // inet_pton writes the address in network order: 16 bytes for IPv6, 4 bytes for IPv4.
        var bytes = (UInt64(0), UInt64(0))
        let family = isIPv6 ? AF_INET6 : AF_INET
        guard characters.span.withUnsafeBufferPointer({ inet_pton(family, $0.baseAddress, &bytes) }) == 1 else {
            return nil
        }
        if isIPv6 {
            self.init(high: UInt64(bigEndian: bytes.0), low: UInt64(bigEndian: bytes.1))
        } else {
            self.init(high: 0, low: Self.mapped | UInt64(bigEndian: bytes.0) >> 32)
        }
    }

    // These initializers replace a generic initializer. In other modules, a generic initializer would not be
    // specialised and would take forty times as long.

    /// Parses an address; see ``init(_:)-(Span)``.
    package init?(_ text: [UInt8]) { self.init(text.span) }

    /// Parses an address; see ``init(_:)-(Span)``.
    package init?(_ text: ArraySlice<UInt8>) { self.init(text.span) }

    /// Parses an address; see ``init(_:)-(Span)``.
    package init?(_ text: String) { self.init(Array(text.utf8)) }

    /// The last 64 bits of `::ffff:0:0`, the prefix of mapped addresses.
    private static let mapped: UInt64 = 0xffff_0000_0000

    /// The IPv4 loopback address, 127.0.0.1.
    package static let loopback = IPAddress(high: 0, low: mapped | 0x7f00_0001)

    /// The IPv4 address as a number whose first octet is the most significant; nil for IPv6.
    package var ipv4: UInt32? { isIPv4 ? UInt32(truncatingIfNeeded: low) : nil }

    /// The address in its IPv6 form as two numbers whose first octets are the most significant. IPv4 addresses have
    /// their mapped form.
    package var ipv6: (high: UInt64, low: UInt64) { (high, low) }

    /// The IPv6 loopback address, `::1`.
    package static let loopbackIPv6 = IPAddress(high: 0, low: 1)

    /// Whether this is an IPv4 address.
    package var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Whether the address is a loopback address (127.0.0.0/8, `::1`).
    package var isLoopback: Bool { isIPv4 ? low >> 24 & 0xff == 127 : high == 0 && low == 1 }

    /// The part of the address that identifies one subscriber: an IPv4 address as a whole, or the /64 network of an
    /// IPv6 address. A host can use any number of addresses within its /64 network (RFC 8981).
    package var network: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }
}

extension IPAddress: CustomStringConvertible {
    /// The address in dotted decimal, or in the canonical form of RFC 5952.
    package var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(15)
        if appendDottedDecimal(to: &text) { return String(decoding: text, as: UTF8.self) }
        var bytes = (high.bigEndian, low.bigEndian)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { characters in
            guard let start = characters.baseAddress,
                inet_ntop(AF_INET6, &bytes, start, socklen_t(characters.count)) != nil
            else { return "" }
            return String(cString: start)
        }
    }

    /// Appends an IPv4 address in dotted decimal. For an IPv6 address, appends nothing and returns false.
    ///
    /// Each new connection needs this text once. inet_ntop(3) uses a format string, which takes longer than writing the
    /// digits.
    package func appendDottedDecimal(to text: inout [UInt8]) -> Bool {
        guard let ipv4 else { return false }
        for shift in stride(from: 24 as UInt32, through: 0, by: -8) {
            let octet = UInt8(truncatingIfNeeded: ipv4 >> shift)
            text.append(decimal: UInt64(octet))
            if shift > 0 { text.append(UInt8(ascii: ".")) }
        }
        return true
    }
}
