// SPDX-License-Identifier: Apache-2.0

import Addresses
import Testing

@Suite("Networks (CIDR, RFC 4632 §3.1)")
struct AddressRangeTests {
    @Test(
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
                ["9.255.255.255", "11.0.0.0", "::a00:0", "a00::"]
            ),
            ("192.0.2.1", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2", "::c000:201"]),
            ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127"]),
            ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255", "127.0.0.1"], ["::", "::1", "2001:db8::"]),
            ("::/0", ["::", "::1", "ffff::"], ["0.0.0.0", "127.0.0.1", "::ffff:1.2.3.4"]),
            ("2001:db8::/32", ["2001:db8::", "2001:db8:ffff::1"], ["2001:db9::", "2001:db7:ffff::"]),
            ("2001:db8::/65", ["2001:db8::7fff:0:0:0"], ["2001:db8::8000:0:0:0"]),
            ("fe80::/64", ["fe80::1", "fe80::1%eth0"], ["fe80:0:0:1::1"]),
            ("::1/128", ["::1"], ["::", "127.0.0.1"]),
            ("::ffff:10.0.0.0/104", ["10.9.9.9"], ["11.0.0.0", "::"]),
            ("::ffff:0:0/96", ["1.2.3.4"], ["::1"]),
            ("::ffff:192.0.2.1", ["192.0.2.1"], ["192.0.2.2"]),
        ] as [(String, [String], [String])])
    func `a network contains exactly the addresses that share its prefix`(
        text: String, inside: [String], outside: [String]
    ) throws {
        let range = try AddressRange(text)
        for address in inside { #expect(range.contains(try #require(IPAddress(address))), "\(address)") }
        for address in outside { #expect(!range.contains(try #require(IPAddress(address))), "\(address)") }

        #expect(try AddressRange(range.description) == range)
    }

    @Test(
        arguments: [
            ("10.0.0.0/8", "10.0.0.0/8"), ("127.0.0.1/32", "127.0.0.1"), ("::1/128", "::1"),
            ("2001:DB8:0::/48", "2001:db8::/48"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ])
    func `a network is written in canonical form`(text: String, written: String) throws {
        #expect(try AddressRange(text).description == written)
    }

    @Test(
        arguments: [
            ("", .noAddress), ("/8", .noAddress), ("localhost", .noAddress), ("10.0.0/8", .noAddress),
            ("fe80::%eth0/64", .noAddress),
            ("10.0.0.0/", .noLength), ("10.0.0.0/33", .noLength), ("10.0.0.0/-1", .noLength),
            ("10.0.0.0/08", .noLength),
            ("10.0.0.0/+8", .noLength), ("10.0.0.0/8/8", .noLength), ("10.0.0.0/255.0.0.0", .noLength),
            ("::/129", .noLength),
            ("10.0.0.0/ 8", .noLength), ("::ffff:10.0.0.0/8", .noLength), ("::ffff:0.0.0.0/95", .noLength),
        ] as [(String, AddressRange.Fault)])
    func `each malformed network is rejected with the reason`(text: String, fault: AddressRange.Fault) {
        #expect(throws: fault) { try AddressRange(text) }
    }

    @Test func `a network with host bits set is rejected, and the error names the intended network`() throws {
        for (text, meant) in [
            ("10.1.2.3/8", "10.0.0.0/8"), ("2001:db8::1/64", "2001:db8::/64"), ("192.0.2.129/31", "192.0.2.128/31"),
            ("1.0.0.0/0", "0.0.0.0/0"),
        ] {
            #expect(throws: AddressRange.Fault.bitsBeyondLength(try AddressRange(meant))) { try AddressRange(text) }
        }
    }

    @Test func `a set of networks contains the addresses of each one, and an empty set contains none`() throws {
        let ranges = AddressRanges([try AddressRange("10.0.0.0/8"), try AddressRange("::1")])
        for (text, isInside) in [("10.1.1.1", true), ("::1", true), ("127.0.0.1", false)] {
            let address = try #require(IPAddress(text))
            #expect(ranges.contains(address) == isInside)
            #expect(!AddressRanges.none.contains(address))
        }

        #expect(AddressRanges.none.isEmpty)
        #expect(!ranges.isEmpty)
    }
}
