/// Finds who sent a request that came through trusted proxies, by `X-Forwarded-For`.
///
/// Each proxy adds the address that it saw behind what it got, so only the end of the list is known to be true: it is
/// walked from there to the left for as long as the addresses are trusted proxies' own. The first other one is the
/// client; what stands left of it is what that client has said of itself.
package struct ForwardedClient {
    /// Elements that are looked at: nobody has more proxies one behind the other.
    private static let longestWalk = 32

    /// The client, as far as the values read so far tell.
    package private(set) var address: IPAddress
    private let trusted: AddressRanges
    private var isFound: Bool
    private var elementsLeft = Self.longestWalk

    /// A walk that begins at whoever has connected.
    package init(peer: IPAddress, trusted: AddressRanges) {
        address = peer
        self.trusted = trusted
        isFound = !trusted.contains(peer)
    }

    /// Reads the value of one field; of several, the last one comes first.
    package mutating func read(_ value: ArraySlice<UInt8>) {
        var end = value.endIndex
        while !isFound, end >= value.startIndex {
            let comma = value[..<end].lastIndex(of: UInt8(ascii: ","))
            step(value[(comma.map { $0 + 1 } ?? value.startIndex)..<end])
            guard let comma else { return }
            end = comma
        }
    }

    private mutating func step(_ element: ArraySlice<UInt8>) {
        // Empty elements say nothing (RFC 9110 §5.6.1.2).
        let element = Self.trimmed(element)
        guard !element.isEmpty else { return }
        elementsLeft -= 1
        guard elementsLeft >= 0, let hop = Self.address(in: element) else {
            // Nobody knows who that is: the last proxy that is known stands for it.
            isFound = true
            return
        }
        address = hop
        isFound = !trusted.contains(hop)
    }

    /// The address of an element: alone, or with a port as some proxies write it: `192.0.2.1:80`, `[2001:db8::1]`,
    /// `[2001:db8::1]:80`.
    static func address(in element: ArraySlice<UInt8>) -> IPAddress? {
        // A zone means something on the machine that has seen it, and nowhere else.
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

    /// Whether this is nothing, or a colon and a port.
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
