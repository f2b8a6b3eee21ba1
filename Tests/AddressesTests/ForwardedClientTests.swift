// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Addresses

@Suite("The client of a trusted proxy (X-Forwarded-For)")
struct ForwardedClientTests {
    /// Returns the client of a request with these field values, in the order of the request's head.
    private func client(_ values: [String], peer: String = "10.0.0.1") throws -> String {
        let trusted = AddressRanges([try AddressRange("10.0.0.0/8"), try AddressRange("fd00::/8")])
        var walk = ForwardedClient(peer: try #require(IPAddress(peer)), trusted: trusted)
        for value in values.reversed() { walk.parse(Array(value.utf8)[...]) }
        return walk.address.description
    }

    @Test func `an untrusted peer is the client, regardless of its X-Forwarded-For`() throws {
        #expect(try client(["203.0.113.9"], peer: "192.0.2.7") == "192.0.2.7")
        #expect(try client(["203.0.113.9, 10.0.0.2"], peer: "192.0.2.7") == "192.0.2.7")
    }

    @Test(
        arguments: [
            ([], "10.0.0.1"), ([""], "10.0.0.1"), (["203.0.113.9"], "203.0.113.9"),
            (["203.0.113.9, 10.0.0.2"], "203.0.113.9"), (["203.0.113.9,10.0.0.2,fd00::5"], "203.0.113.9"),
            // The elements that the client itself sent are to the left of its address.
            (["127.0.0.1, 203.0.113.9"], "203.0.113.9"), (["10.0.0.9, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            (["10.0.0.7, 10.0.0.8"], "10.0.0.7"), (["2001:db8::1"], "2001:db8::1"),
            (["  203.0.113.9\t,\t10.0.0.2  "], "203.0.113.9"), ([", 203.0.113.9,, ,10.0.0.2,"], "203.0.113.9"),
            // Several fields form one list (RFC 9110 §5.3).
            (["198.51.100.1", "203.0.113.9"], "203.0.113.9"), (["203.0.113.9", "10.0.0.2"], "203.0.113.9"),
            (["203.0.113.9", ""], "203.0.113.9"), (["198.51.100.1, 10.0.0.3", "10.0.0.2"], "198.51.100.1"),
            (["::ffff:203.0.113.9"], "203.0.113.9"), (["203.0.113.9, ::ffff:10.0.0.2"], "203.0.113.9"),
        ] as [([String], String)])
    func `the last untrusted address in X-Forwarded-For is the client of a trusted proxy`(
        values: [String], client expected: String
    ) throws {
        #expect(try client(values) == expected)
    }

    @Test(
        arguments: [
            (["unknown"], "10.0.0.1"), (["203.0.113.9, unknown"], "10.0.0.1"),
            (["203.0.113.9, _hidden, 10.0.0.2"], "10.0.0.2"),
            (["203.0.113.9 10.0.0.2"], "10.0.0.1"), (["\"203.0.113.9\""], "10.0.0.1"),
            (["for=203.0.113.9"], "10.0.0.1"),
            (["203.0.113.9", "nonsense"], "10.0.0.1"), (["203.0.113.256"], "10.0.0.1"), (["203.0.113.9;"], "10.0.0.1"),
        ] as [([String], String)])
    func `an element that is not an address ends the search at the last known trusted proxy`(
        values: [String], client expected: String
    ) throws {
        #expect(try client(values) == expected)
    }

    @Test(
        arguments: [
            ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"), ("203.0.113.9:", nil), ("203.0.113.9:x", nil), ("[203.0.113.9]", nil),
            ("[::1", nil),
            ("::1]", nil), ("[::1]x", nil), ("[::1]:", nil), ("[]", nil), ("203.0.113.9:123456", nil), (":80", nil),
            ("", nil), ("fe80::1%eth0", nil),
        ] as [(String, String?)])
    func `an element of X-Forwarded-For may include a port, and a malformed one yields no address`(
        element: String, address: String?
    ) {
        #expect(ForwardedClient.address(in: Array(element.utf8)[...])?.description == address)
    }

    @Test func `at most 32 elements of X-Forwarded-For are examined`() throws {
        let proxies = Array(repeating: "10.0.0.2", count: 40)

        #expect(try client([(["203.0.113.9"] + proxies.prefix(31)).joined(separator: ",")]) == "203.0.113.9")
        #expect(try client([(["203.0.113.9"] + proxies.prefix(32)).joined(separator: ",")]) == "10.0.0.2")
        #expect(try client(["203.0.113.9"] + proxies) == "10.0.0.2")
        #expect(try client([String(repeating: ",", count: 10_000)]) == "10.0.0.1")
    }
}
