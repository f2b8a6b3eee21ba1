import Addresses
import EventLoop

extension InstanceAddress {
    /// The address as the socket calls want it. Costs no name look-up.
    var socketAddress: SocketAddress {
        if let number = ip.ipv4 { return SocketAddress(ipv4: number, port: port) }
        return SocketAddress(ipv6: ip.ipv6, port: port)
    }
}
