// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Settings

@Suite("The address that clients use")
struct PublicURLTests {
    @Test(
        arguments: [
            ("https://gateway.example.com", "https://gateway.example.com"),
            ("HTTPS://Gateway.Example.com:443/", "https://gateway.example.com"),
            ("https://gateway.example.com:8443/vibe/", "https://gateway.example.com:8443/vibe"),
            ("http://192.168.1.5:4000", "http://192.168.1.5:4000"),
            ("http://[FD00::1]:4000//", "http://[fd00::1]:4000"),
            ("https://example.com/A%20b/c", "https://example.com/A%20b/c"),
        ])
    func `each valid --public-url is normalised to one form`(text: String, normal: String) throws {
        let configuration = try CommandLineUnderTest.serve(["--public-url", text])

        #expect(configuration.publicURL?.description == normal)
        #expect(configuration.publicURL?.isEncrypted == normal.hasPrefix("https"))
        #expect(try PublicURL.parse(normal).description == normal)
    }

    @Test(
        arguments: [
            "", "gateway.example.com", "gateway.example.com:443", "ftp://example.com", "https://", "https:///x",
            "https:/example.com",
            "https://example.com/?a", "https://example.com?a", "https://example.com/#a", "https://example.com:99999",
            "https://user@example.com", "https://example.com/a b", "https://exämple.com", "https://example.com/ä",
            "https://example.com\\x",
        ])
    func `each invalid --public-url is rejected with a fix`(text: String) {
        let error = #expect(throws: InvalidValue.self) { try PublicURL.parse(text) }

        #expect(error?.fix.isEmpty == false)
    }

    @Test func `the public URL is unset by default, and --public-url none overrides the environment`() throws {
        #expect(try CommandLineUnderTest.serve().publicURL == nil)
        #expect(
            try CommandLineUnderTest.serve(["--public-url", "none"], ["VIBE_PUBLIC_URL": "https://a.example"]).publicURL
                == nil)
    }
}
