// SPDX-License-Identifier: Apache-2.0

/// A network: all addresses that share a prefix of `length` bits (CIDR, RFC 4632 §3.1, RFC 4291 §2.3).
package struct AddressRange: Sendable, Hashable {
    /// The lowest address of the network.
    package let first: IPAddress
    /// The prefix length in bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
    package let length: Int
    private let highMask: UInt64
    private let lowMask: UInt64

    /// The reasons why a text is not a network.
    package enum Fault: Error, Sendable, Equatable {
        /// The text does not begin with an address.
        case noAddress
        /// The text after the slash is not a valid prefix length for the address.
        case noLength
        /// The address has bits set beyond the prefix length. The associated value is the network that was probably
        /// meant.
        case bitsBeyondLength(AddressRange)
    }

    /// Parses `10.0.0.0/8`, `2001:db8::/32` or a single address.
    package init(_ text: String) throws(Fault) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !text.contains("%"), let address = IPAddress(String(parts[0])) else { throw .noAddress }
        let isMapped = address.isIPv4 && parts[0].contains(":")
        let bits = address.isIPv4 && !isMapped ? 32 : 128
        guard parts.count == 2 else {
            self.init(address, address.isIPv4 ? 32 : 128)
            return
        }
        guard let written = Int(parts[1]), (0...bits).contains(written), parts[1] == "\(written)" else {
            throw .noLength
        }
        // A network of IPv4-mapped addresses becomes an IPv4 network. Reject a prefix of less than 96 bits, because it
        // would also cover addresses that are not mapped.
        guard !isMapped || written >= 96 else { throw .noLength }
        let range = AddressRange(address, isMapped ? written - 96 : written)
        guard range.first == address else { throw .bitsBeyondLength(range) }
        self = range
    }

    private init(_ address: IPAddress, _ length: Int) {
        self.length = length
        let bits = address.isIPv4 ? length + 96 : length
        highMask = bits == 0 ? 0 : ~0 << UInt64(64 - min(bits, 64))
        lowMask = bits <= 64 ? 0 : ~0 << UInt64(128 - bits)
        first = IPAddress(high: address.high & highMask, low: address.low & lowMask)
    }

    /// Returns whether the network contains the address. No IPv6 network contains an IPv4 address, not even `::/0`.
    package func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low && address.isIPv4 == first.isIPv4
    }
}

extension AddressRange: CustomStringConvertible {
    /// The network in CIDR notation, such as `10.0.0.0/8`. A network of one address is written as that address.
    package var description: String { length == (first.isIPv4 ? 32 : 128) ? "\(first)" : "\(first)/\(length)" }
}

/// A list of networks that is searched as one set.
package struct AddressRanges: Sendable, Equatable {
    /// The networks in the order of the initializer's argument.
    package let ranges: [AddressRange]

    /// The empty list of networks.
    package static let none = AddressRanges([])

    /// Creates a list of the given networks.
    package init(_ ranges: [AddressRange]) { self.ranges = ranges }

    /// Whether the list contains no network.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Returns whether any of the networks contains the address.
    package func contains(_ address: IPAddress) -> Bool {
        for range in ranges where range.contains(address) { return true }
        return false
    }
}
