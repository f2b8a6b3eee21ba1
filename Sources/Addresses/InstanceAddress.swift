/// Where an instance listens: a numeric address and a port.
package struct InstanceAddress: Sendable, Hashable, CustomStringConvertible {
    /// The same address; spelt out so that other modules compare without a call.
    @inlinable package static func == (left: InstanceAddress, right: InstanceAddress) -> Bool {
        left.ip == right.ip && left.port == right.port
    }

    /// The IP address.
    package let ip: IPAddress
    /// The TCP port, never 0.
    package let port: UInt16

    /// The address with these parts.
    package init(ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// A port of 127.0.0.1.
    package static func loopback(_ port: UInt16) -> InstanceAddress { InstanceAddress(ip: .loopback, port: port) }

    /// The address as it stands in a URL and in a `Host` field (RFC 3986 §3.2, RFC 9110 §7.2): IPv6 in brackets.
    package var authority: String { ip.isIPv4 ? "\(ip):\(port)" : "[\(ip)]:\(port)" }

    /// The authority.
    package var description: String { authority }
}
