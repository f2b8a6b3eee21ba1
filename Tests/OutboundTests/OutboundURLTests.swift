// SPDX-License-Identifier: Apache-2.0

import Addresses
import Testing

@testable import Outbound

@Suite("URLs of external servers (RFC 3986)")
struct OutboundURLTests {
    @Test(
        arguments: [
            ("https://example.com", "https://example.com/", "example.com", 443, "https://example.com"),
            (
                "HTTPS://EXAMPLE.com:443/a?b=c#d", "https://EXAMPLE.com:443/a?b=c", "example.com", 443,
                "https://example.com"
            ),
            (
                "https://example.com:8443/x", "https://example.com:8443/x", "example.com", 8443,
                "https://example.com:8443"
            ),
            (
                "https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443/", "2001:db8::1", 8443,
                "https://[2001:db8::1]:8443"
            ),
            // The legacy notations of IPv4 addresses denote the same addresses.
            ("https://127.1/", "https://127.0.0.1/", "127.0.0.1", 443, "https://127.0.0.1"),
            ("https://0x7f000001/", "https://127.0.0.1/", "127.0.0.1", 443, "https://127.0.0.1"),
            ("https://2130706433/", "https://127.0.0.1/", "127.0.0.1", 443, "https://127.0.0.1"),
            ("https://%6cocalhost/", "https://localhost/", "localhost", 443, "https://localhost"),
        ])
    func `each URL is normalized to one form`(text: String, normal: String, host: String, port: UInt16, origin: String)
        throws
    {
        let url = try OutboundURL(text)

        #expect(url.text.lowercased() == normal.lowercased())
        #expect((url.host, url.port, url.origin) == (host, port, origin))
        #expect("\(url)" == origin)
    }

    @Test(
        arguments: [
            "", "example.com", "//example.com/", "http://example.com/", "ftp://example.com/", "file:///etc/passwd",
            "https:/example.com", "https:///example.com", "https:example.com", "https://", "https:// example.com/",
            "https://example.com/\r\nHost: other", "https://example.com/a b", "https://example.com/\u{7f}",
            "https://exämple.com/", "https://user@example.com/", "https://user:secret@example.com/",
            "https://example.com\\@127.0.0.1/", "https://example.com:0/", "https://example.com:65536/",
            "https://example.com:x/", "https://[fe80::1%25eth0]/", "https://[::1/", "https://exa%00mple.com/",
            "https://exa%0ample.com/", "https://..example.com/", "https://\(String(repeating: "a", count: 300)).com/",
            "https://example.com/\(String(repeating: "a", count: 8200))",
        ])
    func `each invalid URL is rejected with an error that does not quote it`(text: String) {
        let error = #expect(throws: OutboundURL.Invalid.self) { try OutboundURL(text) }

        #expect(error?.description.hasPrefix("The URL ") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `an http URL is accepted only if the caller allows it`() throws {
        #expect(throws: OutboundURL.Invalid.self) { try OutboundURL("http://example.com/") }

        let url = try OutboundURL("http://example.com/", allowing: .httpToo)

        #expect(url.scheme == "http")
        #expect(url.port == 80)
        #expect(url.origin == "http://example.com")
    }

    @Test func `a host that is an IP address is recognized in each notation`() throws {
        #expect(try OutboundURL("https://127.0.0.1/").address?.description == "127.0.0.1")
        #expect(try OutboundURL("https://[::ffff:127.0.0.1]/").address?.description == "127.0.0.1")
        #expect(try OutboundURL("https://127.0.0.1./").address?.description == "127.0.0.1")
        #expect(try OutboundURL("https://example.com/").address == nil)
    }
}
