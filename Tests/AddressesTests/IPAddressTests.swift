// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Addresses

@Suite("Addresses (RFC 4291, RFC 5952)")
struct IPAddressTests {
    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("2001:DB8::1", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("fe80::1%eth0", "fe80::1"),
            ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
            // Mapped addresses are IPv4 addresses.
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"), ("::ffff:0.0.0.0", "0.0.0.0"),
            ("0000:0000:0000:0000:0000:ffff:255.255.255.255", "255.255.255.255"),
        ])
    func `an address is parsed and written in canonical form`(text: String, written: String) throws {
        let address = try #require(IPAddress(text))

        #expect(address.description == written)
        #expect(IPAddress(written) == address)
    }

    @Test(
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80", "1.2.3.4/8",
            "0x1.2.3.4",
            ":", ":::", "::1::", "[::1]", "12345::", "g::", "1:2:3:4:5:6:7:8:9", "1.2.3.4%eth0", "%eth0", "localhost",
            "unknown",
            "1.2.3.4\0", "::1\0", "\u{ff11}.2.3.4", String(repeating: "1", count: 100), "_hidden",
        ])
    func `each malformed address is rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
            ("126.255.255.255", false), ("::2", false), ("::", false), ("0.0.0.1", false), ("1::1", false),
            ("::127.0.0.1", false),
        ])
    func `only 127.0.0.0/8, its IPv4-mapped form and ::1 are loopback addresses`(text: String, isLoopback: Bool) throws
    {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }

    @Test(
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("::1", "::"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
        ])
    func `the network of an address is the IPv4 address itself or the first 64 bits of IPv6`(
        text: String, network: String
    ) throws {
        #expect(try #require(IPAddress(text)).network.description == network)
    }

    @Test func `every octet is written without leading zeros at every position`() {
        var wrong: [String] = []
        for octet in 0...255 {
            for text in ["\(octet).7.7.7", "7.\(octet).7.7", "7.7.\(octet).7", "7.7.7.\(octet)"]
            where IPAddress(text)?.description != text {
                wrong.append(text)
            }
        }

        #expect(wrong.isEmpty)
    }

    @Test(
        arguments: ["192.0.2.1", "2001:db8::1", "1.2.3", "", "::1%lo"])
    func `an address is parsed the same from a string, a slice and a span`(text: String) {
        let inside = Array("x\(text)x".utf8)

        #expect(IPAddress(inside[1..<(inside.count - 1)]) == IPAddress(text))
        #expect(IPAddress(Array(text.utf8)) == IPAddress(text))
        #expect(IPAddress(Array(text.utf8).span) == IPAddress(text))
    }

    @Test(
        arguments: ["192.0.2.1", "0.0.0.0", "::", "2001:db8::ff00:1", "ffff::", "::ffff:192.0.2.1"])
    func `an address survives a round trip through its IPv6 number`(text: String) throws {
        let address = try #require(IPAddress(text))

        #expect(IPAddress(ipv6: address.ipv6) == address)
    }
}
