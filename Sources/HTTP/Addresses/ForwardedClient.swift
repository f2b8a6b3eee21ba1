// SPDX-License-Identifier: Apache-2.0

/// Finds the client of a request that passed through trusted proxies, using `X-Forwarded-For`.
///
/// Each proxy appends the address of its peer to the list that it received, so only the end of the list is trustworthy.
/// The search walks from the end to the left for as long as the addresses belong to trusted proxies. The first address
/// that belongs to no trusted proxy is the client's address. Everything to the left of this address was supplied by the
/// client and is ignored.
package struct ForwardedClient {
    /// The maximum number of elements to inspect; no deployment chains more proxies than this.
    private static let longestWalk = 32

    /// The client's address according to the values read so far.
    package private(set) var address: IPAddress
    private let trusted: AddressRanges
    private var isFound: Bool
    private var elementsLeft = Self.longestWalk

    /// Creates a search that starts at the connection's peer.
    package init(peer: IPAddress, trusted: AddressRanges) {
        address = peer
        self.trusted = trusted
        isFound = !trusted.contains(peer)
    }

    /// Reads one field's value. If a request has several such fields, pass the last one first.
    package mutating func parse(_ value: ArraySlice<UInt8>) {
        var end = value.endIndex
        while !isFound, end >= value.startIndex {
            let comma = value[..<end].lastIndex(of: UInt8(ascii: ","))
            step(value[(comma.map { $0 + 1 } ?? value.startIndex)..<end])
            guard let comma else { return }
            end = comma
        }
    }

    private mutating func step(_ element: ArraySlice<UInt8>) {
        // Empty elements are ignored (RFC 9110 §5.6.1.2).
        let element = Self.trimmed(element)
        guard !element.isEmpty else { return }
        elementsLeft -= 1
        guard elementsLeft >= 0, let hop = Self.address(in: element) else {
            // The address of this hop is unknown, so the search ends at the last known proxy.
            isFound = true
            return
        }
        address = hop
        isFound = !trusted.contains(hop)
    }

    /// Returns the address of an element. The element may also contain a port and brackets, as some proxies write them:
    /// `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`.
    static func address(in element: ArraySlice<UInt8>) -> IPAddress? {
        // A zone is meaningful only on the machine that observed it, so reject an address with a zone.
        if element.contains(UInt8(ascii: "%")) { return nil }
        if element.first == UInt8(ascii: "[") {
            guard let close = element.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let inside = element[(element.startIndex + 1)..<close]
            guard isPort(element[(close + 1)...]), inside.contains(UInt8(ascii: ":")) else { return nil }
            return IPAddress(inside)
        }
        guard let colon = element.firstIndex(of: UInt8(ascii: ":")) else { return IPAddress(element) }
        guard element[(colon + 1)...].contains(UInt8(ascii: ":")) else {
            return isPort(element[colon...]) ? IPAddress(element[..<colon]) : nil
        }
        return IPAddress(element)
    }

    /// Returns whether the text is empty or a colon followed by a port.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        return first == UInt8(ascii: ":") && (2...6).contains(text.count)
            && text.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
