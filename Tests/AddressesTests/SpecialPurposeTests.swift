// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Addresses

@Suite("Special-purpose addresses (RFC 6890)")
struct SpecialPurposeTests {
    @Test(
        arguments: [
            // Each row has the first and the last address, the address before the first, and the address after the
            // last. An address is "" if it is also special.
            ("0.0.0.0", "0.255.255.255", "", "1.0.0.0"), ("10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"),
            ("100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"),
            ("127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"),
            ("169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"),
            ("172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"),
            ("192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"),
            ("192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"),
            ("192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"),
            ("192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"),
            ("198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"),
            ("198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"),
            ("203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"),
            ("224.0.0.0", "255.255.255.255", "223.255.255.255", ""),
            ("::", "::1", "", ""), ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "", ""),
            ("100::", "100::ffff:ffff:ffff:ffff", "", ""), ("2001::", "2001:1ff:ffff::", "", "2001:200::"),
            ("2001:db8::", "2001:db8:ffff::", "2001:db7:ffff::", "2001:db9::"),
            ("2002::", "2002:ffff::", "2001:ffff::", "2003::"), ("3fff::", "3fff:fff::", "3ffe::", ""),
            ("fc00::", "fdff:ffff::", "", ""), ("fe80::", "febf:ffff::", "", ""), ("fec0::", "ffff::", "", ""),
            // These addresses are outside the space that is allocated to the public Internet.
            ("::2", "1fff:ffff::", "", "2000::"), ("4000::", "fbff:ffff::", "", ""),
        ])
    func `each special-purpose network extends exactly from its first address to its last`(
        first: String, last: String, before: String, after: String
    ) throws {
        for text in [first, last] { #expect(try #require(IPAddress(text)).specialPurpose != nil, "\(text)") }
        for text in [before, after] where !text.isEmpty {
            #expect(try #require(IPAddress(text)).specialPurpose == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            "1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::200e", "2001:4860::8888",
        ])
    func `each public address has no special purpose`(text: String) throws {
        #expect(try #require(IPAddress(text)).specialPurpose == nil)
    }

    @Test(
        arguments: [
            ("::ffff:127.0.0.1", true), ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false),
            ("64:ff9b::127.0.0.1", true), ("64:ff9b::c0a8:1", true), ("64:ff9b::8.8.8.8", false),
            ("64:ff9b::1:8.8.8.8", true), ("::127.0.0.1", true), ("::8.8.8.8", true), ("2002:7f00:1::", true),
        ])
    func `IPv4-mapped and NAT64 addresses are classified by their IPv4 address`(text: String, isSpecial: Bool) throws {
        #expect((try #require(IPAddress(text)).specialPurpose != nil) == isSpecial)
    }

    @Test func `every row of the special-purpose table is a valid network`() {
        #expect(IPAddress.specialNetworks.count == IPAddress.specialNetworkTexts.count)
    }

    @Test func `the special purpose of an address has a readable description`() throws {
        #expect(try #require(IPAddress("127.0.0.2")).specialPurpose == "this machine itself")
        #expect(try #require(IPAddress("192.168.1.1")).specialPurpose == "an address of a private network")
        #expect(try #require(IPAddress("255.255.255.255")).specialPurpose == "the broadcast address")
        #expect(try #require(IPAddress("169.254.169.254")).specialPurpose == "a link-local address")
    }
}
