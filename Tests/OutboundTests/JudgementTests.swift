// SPDX-License-Identifier: Apache-2.0

import Addresses
import Testing

@testable import Outbound

@Suite("Addresses that an outbound request may reach")
struct OutboundReachTests {
    private static let own = Set([IPAddress("93.184.215.14")].compactMap { $0 })

    @Test(
        arguments: [
            ("8.8.8.8", nil), ("127.0.0.1", "this machine itself"), ("10.1.2.3", "an address of a private network"),
            ("93.184.215.14", "this machine itself"), ("::ffff:192.168.0.1", "an address of a private network"),
            ("64:ff9b::a00:1", "an address of a private network"),
        ] as [(String, String?)])
    func `private addresses and this machine's are rejected unless every address is allowed`(
        text: String, reason: String?
    ) throws {
        let address = try #require(IPAddress(text))

        #expect(OutboundReach.publicInternet.refusal(of: address, localAddresses: Self.own) == reason)
        #expect(OutboundReach.everywhere.refusal(of: address, localAddresses: Self.own) == nil)
        // An unknown address is not allowed.
        #expect(OutboundReach.publicInternet.refusal(of: address, localAddresses: nil) != nil)
        #expect(OutboundReach.everywhere.refusal(of: address, localAddresses: nil) == nil)
    }

    @Test func `a private network is allowed only if a setting names it`() throws {
        let reach = OutboundReach.publicInternet(and: AddressRanges([try AddressRange("10.0.0.0/8")]))

        #expect(reach.refusal(of: try #require(IPAddress("10.1.2.3")), localAddresses: []) == nil)
        #expect(
            reach.refusal(of: try #require(IPAddress("192.168.0.1")), localAddresses: [])
                == "an address of a private network")
        #expect(reach.refusal(of: try #require(IPAddress("8.8.8.8")), localAddresses: []) == nil)
    }

    @Test(
        arguments: [
            ("https://hooks.example.com/", true), ("https://8.8.8.8/", true), ("https://[2606:4700::1]/", true),
            ("https://localhost/", false), ("https://a.localhost/", false), ("https://localhost./", false),
            ("https://nas.local/", false), ("https://intranet/", false), ("https://db.internal/", false),
            ("https://pi.home.arpa/", false), ("https://127.0.0.1/", false), ("https://127.0.0.1./", false),
            ("https://[::1]/", false), ("https://10.0.0.1/", false), ("https://169.254.169.254/", false),
            ("https://1.2.3.4.5/", false), ("https://a.0x1/", false), ("https://[::ffff:10.0.0.1]/", false),
        ])
    func `local names and private addresses are rejected before a proxy resolves them`(url: String, isAllowed: Bool)
        throws
    {
        let url = try OutboundURL(url)

        #expect((OutboundReach.publicInternet.refusal(viaProxy: url, localAddresses: Self.own) == nil) == isAllowed)
        #expect(OutboundReach.everywhere.refusal(viaProxy: url, localAddresses: Self.own) == nil)
    }
}

@Suite("Heads of external servers' responses")
struct AnswerHeadReaderTests {
    private static func parse(_ lines: [String]) -> (reader: AnswerHeadReader, last: AnswerHeadReader.Step) {
        var reader = AnswerHeadReader()
        var last = AnswerHeadReader.Step.more
        for line in lines { last = reader.parse(Array((line + "\r\n").utf8)) }
        return (reader, last)
    }

    @Test func `the status, the version and the fields of a head are read`() {
        let (reader, last) = Self.parse(["HTTP/1.1 200 OK", "A: 1", "b:  two \t", "A:", ""])

        #expect(last == .whole)
        #expect(reader.status == 200)
        #expect(reader.version == .one)
        #expect(reader.fields == [OutboundField("A", "1"), OutboundField("b", "two"), OutboundField("A", "")])
        #expect(Self.parse(["HTTP/2 404 ", "x: y", ""]).reader.version == .two)
    }

    @Test func `interim responses and trailer fields are ignored`() {
        let (reader, last) = Self.parse([
            "HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 204 No Content", "A: 1", "",
        ])

        #expect(last == .whole)
        #expect(reader.status == 204)
        #expect(reader.fields == [OutboundField("A", "1")])

        var following = reader

        #expect(following.parse(Array("Trailer: x\r\n".utf8)) == .more)
        #expect(following.fields.count == 1)
    }

    @Test(
        arguments: [
            ["NONSENSE"], ["HTTP/1.1 abc"], ["HTTP/1.1 2000 OK"], ["HTTP/1.1 200 OK", "no field"],
            ["HTTP/1.1 200 OK", ": x"], ["HTTP/1.1 200 OK", "A: 1", " folded"],
            ["HTTP/1.1 200 OK"] + (0..<70).map { "A\($0): " + String(repeating: "x", count: 1000) },
        ])
    func `each malformed head is rejected`(lines: [String]) {
        guard case .fault(let words) = Self.parse(lines).last else {
            Issue.record("accepted as a head")
            return
        }

        #expect(!words.isEmpty)
    }

    @Test(
        arguments: [
            ("Nov 22 16:00:00 2026 GMT", 1_795_363_200), ("Jan  1 00:00:00 1970 GMT", 0),
            ("Feb 29 23:59:59.5 2028 GMT", 1_835_481_599), ("", nil), ("Nov 22 16:00:00 2026", nil),
            ("Foo 22 16:00:00 2026 GMT", nil), ("Nov 32 16:00:00 2026 GMT", nil), ("Nov 22 16:00 2026 GMT", nil),
        ] as [(String, Int?)])
    func `a certificate's date is parsed in OpenSSL's format`(text: String, seconds: Int?) {
        #expect(CertificateDate.seconds(text) == seconds)
    }
}
