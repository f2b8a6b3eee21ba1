// SPDX-License-Identifier: Apache-2.0

import Addresses
import Testing

@Suite struct InstanceAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:4096"), ("::1", "[::1]:4096"), ("::ffff:10.0.0.7", "10.0.0.7:4096"),
    ]) func `an instance's authority has the port, and brackets around an IPv6 address`(
        _ ip: String, _ authority: String
    ) throws {
        let address = InstanceAddress(ip: try #require(IPAddress(ip)), port: 4096)

        #expect(address.authority == authority)
    }
}
