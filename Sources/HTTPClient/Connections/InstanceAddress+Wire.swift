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
        for octet in 0..<4 as Range<UInt32> {
            text.append(decimal: UInt64(number >> (24 - 8 * octet) & 0xff))
            text.append(octet == 3 ? UInt8(ascii: ":") : UInt8(ascii: "."))
        }
        text.append(decimal: UInt64(port))
    }
}
