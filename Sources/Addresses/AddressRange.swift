/// A network: all addresses that begin with the same bits (CIDR, RFC 4632 §3.1, RFC 4291 §2.3).
package struct AddressRange: Sendable, Hashable {
    /// Its first address.
    package let first: IPAddress
    /// The number of bits that count, 0 to 32 or 0 to 128.
    package let length: Int
    private let highMask: UInt64
    private let lowMask: UInt64

    /// Why a text is no network.
    package enum Fault: Error, Sendable, Equatable {
        /// It does not begin with an address.
        case noAddress
        /// What stands behind the slash is no number of bits of such an address.
        case noLength
        /// The address has bits beyond the length; the network that was perhaps meant.
        case bitsBeyondLength(AddressRange)
    }

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or one address.
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
        // A network of mapped addresses is one of IPv4; one that holds more than those is nothing that a peer has.
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

    /// Whether the address lies in it. An IPv4 address lies in no network of IPv6, not even in `::/0`.
    package func contains(_ address: IPAddress) -> Bool {
        address.high & highMask == first.high && address.low & lowMask == first.low && address.isIPv4 == first.isIPv4
    }
}

extension AddressRange: CustomStringConvertible {
    /// `10.0.0.0/8`; of one address, that address.
    package var description: String { length == (first.isIPv4 ? 32 : 128) ? "\(first)" : "\(first)/\(length)" }
}

/// Several networks.
package struct AddressRanges: Sendable, Equatable {
    /// The networks in the order in which they were given.
    package let ranges: [AddressRange]

    /// No network.
    package static let none = AddressRanges([])

    /// These networks.
    package init(_ ranges: [AddressRange]) { self.ranges = ranges }

    /// Whether there is none.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Whether the address lies in any.
    package func contains(_ address: IPAddress) -> Bool {
        for range in ranges where range.contains(address) { return true }
        return false
    }
}
