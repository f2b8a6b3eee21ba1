import Addresses
import EventLoop
import HTTPTypes

extension InstanceAddress {
    /// The address as the socket calls want it. Costs no name look-up.
    var socketAddress: SocketAddress {
        if let number = ip.ipv4 { return SocketAddress(ipv4: number, port: port) }
        return SocketAddress(ipv6: ip.ipv6, port: port)
    }

    /// Adds ``authority``; each request needs it, so no string is made of IPv4.
    func appendAuthority(to text: inout [UInt8]) {
        guard let number = ip.ipv4 else { return text.append(contentsOf: authority.utf8) }
        text.append(octet: UInt8(truncatingIfNeeded: number >> 24))
        for shift in stride(from: 16 as UInt32, through: 0, by: -8) {
            text.append(UInt8(ascii: "."))
            text.append(octet: UInt8(truncatingIfNeeded: number >> shift))
        }
        text.append(UInt8(ascii: ":"))
        text.append(decimal: UInt64(port))
    }
}

extension [UInt8] {
    /// Adds one of an IPv4 address's numbers: cheaper than numbers of any length.
    fileprivate mutating func append(octet: UInt8) {
        if octet >= 100 { append(UInt8(ascii: "0") + octet / 100) }
        if octet >= 10 { append(UInt8(ascii: "0") + octet / 10 % 10) }
        append(UInt8(ascii: "0") + octet % 10)
    }
}
