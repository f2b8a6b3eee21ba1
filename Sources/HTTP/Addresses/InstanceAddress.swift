// SPDX-License-Identifier: Apache-2.0

/// The address on which an instance listens: a numeric IP address and a port.
package struct InstanceAddress: Sendable, Hashable, CustomStringConvertible {
    /// Returns whether two addresses are equal. The explicit implementation allows other modules to inline the
    /// comparison.
    @inlinable package static func == (left: InstanceAddress, right: InstanceAddress) -> Bool {
        left.ip == right.ip && left.port == right.port
    }

    /// The IP address on which the instance listens.
    package let ip: IPAddress
    /// The TCP port, never 0.
    package let port: UInt16

    /// Creates an address from an IP address and a port.
    package init(ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Returns the loopback address 127.0.0.1 with the given port.
    package static func loopback(_ port: UInt16) -> InstanceAddress { InstanceAddress(ip: .loopback, port: port) }

    /// The address as written in a URL and in a `Host` field (RFC 3986 §3.2, RFC 9110 §7.2), with brackets around an
    /// IPv6 address.
    package var authority: String { ip.isIPv4 ? "\(ip):\(port)" : "[\(ip)]:\(port)" }

    /// The address in the form of ``authority``.
    package var description: String { authority }
}
