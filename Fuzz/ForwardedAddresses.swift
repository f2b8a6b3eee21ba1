// SPDX-License-Identifier: Apache-2.0

// length: 160

@testable import Addresses

private let trusted = ["10.0.0.0/8", "::1", "2001:db8::/32", "192.0.2.0/24"]
private let ranges = AddressRanges(trusted.map(range))
private let peers = ["10.0.0.1", "::1", "2001:db8::5", "203.0.113.1"].map(address)

/// Checks that the client of a request through proxies is the last address of the list that is not trusted. Also checks
/// that addresses and networks have one canonical text.
///
/// The input consists of a byte that selects the peer, and one field value in each line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let peer = peers[Int(input.byte() & 3)]
    var values: [ArraySlice<UInt8>] = []
    while let line = input.bytes(endedBy: 0x0A) { values.append(line) }
    var walk = ForwardedClient(peer: peer, trusted: ranges)
    for value in values.reversed() { walk.parse(value) }
    precondition(walk.address == client(via: peer, values))
    for value in values {
        checkAddress(value)
        checkRange(value)
    }
    return 0
}

/// Implements the same rule in the opposite direction, based on the complete list.
private func client(via peer: IPAddress, _ values: [ArraySlice<UInt8>]) -> IPAddress {
    let elements = values.flatMap { $0.split(separator: UInt8(ascii: ",")) }.map(Characters.trimmed).filter {
        !$0.isEmpty
    }
    var client = peer
    for (position, element) in elements.reversed().enumerated() {
        guard isTrusted(client), position < 32, let hop = hop(element) else { return client }
        client = hop
    }
    return client
}

private func isTrusted(_ address: IPAddress) -> Bool {
    let text = "\(address)"
    return text.hasPrefix("10.") || text == "::1" || text.hasPrefix("2001:db8:") || text.hasPrefix("192.0.2.")
}

/// Returns the address of an element without its port and brackets.
private func hop(_ element: ArraySlice<UInt8>) -> IPAddress? {
    let colon = UInt8(ascii: ":")
    let parts = element.split(separator: colon, omittingEmptySubsequences: false)
    guard let port = parts.last, !element.contains(UInt8(ascii: "%")) else { return nil }
    let isPort = (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
    if element.first == UInt8(ascii: "[") {
        let literal = element.last == UInt8(ascii: "]") ? element : isPort ? element.dropLast(port.count + 1) : []
        let inside = literal.dropFirst().dropLast()
        let isLiteral =
            literal.last == UInt8(ascii: "]") && inside.contains(colon) && !inside.contains(UInt8(ascii: "]"))
        return isLiteral ? IPAddress(inside) : nil
    }
    if parts.count == 2 { return isPort ? IPAddress(parts[0]) : nil }
    return IPAddress(element)
}

private func checkAddress(_ text: ArraySlice<UInt8>) {
    guard let address = IPAddress(text) else { return }
    let written = address.description
    precondition(IPAddress(written) == address && IPAddress(Array("\(address)".utf8)) == address)
    precondition(address.isIPv4 == !written.contains(":"))
    precondition(address.network.network == address.network)
    precondition(AddressRanges([range(written)]).contains(address))
}

private func checkRange(_ text: ArraySlice<UInt8>) {
    do throws(AddressRange.Fault) {
        let found = try AddressRange(String(decoding: text, as: UTF8.self))
        precondition(found.contains(found.first) && range(found.description) == found)
    } catch {
        if case .bitsBeyondLength(let meant) = error { precondition(meant.contains(meant.first)) }
    }
}

private func range(_ text: String) -> AddressRange {
    do throws(AddressRange.Fault) { return try AddressRange(text) } catch { preconditionFailure("\(text): \(error)") }
}

private func address(_ text: String) -> IPAddress {
    guard let address = IPAddress(text) else { preconditionFailure(text) }
    return address
}
