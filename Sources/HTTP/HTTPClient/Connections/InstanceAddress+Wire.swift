// SPDX-License-Identifier: Apache-2.0

import Addresses
internal import Encodings
import EventLoop
import HTTPTypes

extension InstanceAddress {
    /// The address in the form that the socket calls expect. The conversion needs no name look-up.
    var socketAddress: SocketAddress {
        if let number = ip.ipv4 { return SocketAddress(ipv4: number, port: port) }
        return SocketAddress(ipv6: ip.ipv6, port: port)
    }

    /// Appends ``authority``. Creates no string for IPv4, because requests that alternate between many instances need
    /// this text each time.
    func appendAuthority(to text: inout [UInt8]) {
        guard ip.appendDottedDecimal(to: &text) else { return text.append(contentsOf: authority.utf8) }
        text.append(UInt8(ascii: ":"))
        text.append(decimal: UInt64(port))
    }
}
