// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Outbound

@Suite("Proxies in the environment, according to curl's rules")
struct ProxyEnvironmentTests {
    private static func proxy(_ variables: [String: String], _ url: String) throws -> String? {
        ProxyEnvironment(variables).proxy(for: try OutboundURL(url, allowing: .httpToo))?.text
    }

    @Test(
        arguments: [
            ([:], "https://a.example/", nil),
            (["https_proxy": "p"], "https://a.example/", "p"), (["HTTPS_PROXY": "p"], "https://a.example/", "p"),
            (["https_proxy": "p", "HTTPS_PROXY": "q"], "https://a.example/", "p"),
            (["https_proxy": "", "HTTPS_PROXY": "q"], "https://a.example/", "q"),
            (["https_proxy": "p"], "http://a.example/", nil), (["http_proxy": "p"], "https://a.example/", nil),
            (["http_proxy": "p"], "http://a.example/", "p"), (["HTTP_PROXY": "p"], "http://a.example/", nil),
            (["ALL_PROXY": "p"], "http://a.example/", "p"),
            (["all_proxy": "p", "ALL_PROXY": "q"], "https://a.example/", "p"),
            (["all_proxy": "p", "https_proxy": "q"], "https://a.example/", "q"),
        ] as [([String: String], String, String?)])
    func `the scheme and the precedence of curl determine the proxy variable`(
        variables: [String: String], url: String, expected: String?
    ) throws {
        #expect(try Self.proxy(variables, url) == expected)
    }

    @Test(
        arguments: [
            ("*", "https://a.example/", true), ("a.example", "https://a.example/", true),
            ("a.example", "https://A.Example./", true), (".a.example", "https://a.example/", true),
            ("example", "https://a.example/", true), ("a.example", "https://b.a.example/", true),
            ("a.example", "https://ba.example/", false), ("x,a.example", "https://a.example/", true),
            ("x a.example\t", "https://a.example/", true), ("", "https://a.example/", false),
            ("127.0.0.1", "https://127.0.0.1/", true), ("127.0.0.0/8", "https://127.9.9.9/", true),
            ("127.0.0.1/8", "https://127.9.9.9/", true), ("0.0.1", "https://127.0.0.1/", false),
            ("10.0.0.0/8", "https://11.0.0.1/", false), ("[::1]", "https://[::1]/", true),
            ("::1", "https://[::1]/", true),
            ("127.0.0.1", "https://a.example/", false), (",,", "https://a.example/", false),
        ])
    func `a host bypasses the proxy only if no_proxy matches it`(list: String, url: String, isException: Bool) throws {
        #expect(try Self.proxy(["https_proxy": "p", "no_proxy": list], url) == (isException ? nil : "p"))
        #expect(try Self.proxy(["https_proxy": "p", "NO_PROXY": list], url) == (isException ? nil : "p"))
    }

    @Test(
        arguments: [
            ("socks4://u:p@h:1", "socks4a://u:p@h:1"), ("socks://h", "socks4a://h"), ("SOCKS5://h:1", "socks5h://h:1"),
            // libcurl also accepts one slash and three slashes.
            ("socks5:/h", "socks5h:/h"), ("socks5:///h", "socks5h:///h"),
            ("socks4a://h", "socks4a://h"), ("socks5h://h", "socks5h://h"), ("http://socks5://h", "http://socks5://h"),
            ("https://h", "https://h"), ("h:1", "h:1"), ("h", "h"),
            // This is a host with the name of a scheme.
            ("socks5:1080", "socks5:1080"), ("socks5", "socks5"),
        ])
    func `a SOCKS URL is rewritten so that the proxy resolves names, and others are unchanged`(
        text: String, expected: String
    ) {
        let proxy = ProxyEnvironment.Proxy(text: text, variable: "https_proxy").lookingNamesUp

        #expect(proxy == ProxyEnvironment.Proxy(text: expected, variable: "https_proxy"))
    }
}
