// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("Allowed web origins (--allow-origin)")
struct WebOriginTests {
    private func origins(_ text: String) throws -> [String] {
        try CommandLineUnderTest.serve(["--allow-origin", text]).access.origins.map(\.description)
    }

    @Test(
        arguments: [
            ("none", []), ("https://app.example.com", ["https://app.example.com"]),
            ("HTTPS://App.Example.COM:443", ["https://app.example.com"]), ("http://localhost:80", ["http://localhost"]),
            ("http://localhost:3000", ["http://localhost:3000"]), ("https://a:0080", ["https://a:80"]),
            ("http://[::1]:3000", ["http://[::1]:3000"]), ("capacitor://localhost", ["capacitor://localhost"]),
            ("chrome-extension://abcdef", ["chrome-extension://abcdef"]),
            (
                "https://a.example, http://b_c:1 ,tauri://localhost",
                ["https://a.example", "http://b_c:1", "tauri://localhost"]
            ),
        ] as [(String, [String])])
    func `each valid origin is normalised to the form that browsers send`(text: String, origins expected: [String])
        throws
    {
        #expect(try origins(text) == expected)
    }

    @Test(
        arguments: [
            ("*", "would let every web page use the gateway"), ("null", "is the origin of every sandboxed page"),
            ("app.example.com", "has no scheme"), ("", "has no scheme"), ("://a", "has no valid scheme before ://"),
            ("1a://b", "has no valid scheme before ://"), ("https://", "has no valid ASCII host name"),
            ("https://a/", "contains more than a scheme, a host and a port"),
            ("https://a/b", "contains more than a scheme, a host and a port"),
            ("https://u@a", "contains more than a scheme, a host and a port"),
            ("https://a?b", "contains more than a scheme, a host and a port"),
            ("https://a:b", "has a port that is not a number"),
            ("https://a:", "has a port that is not a number"),
            ("https://a:70000", "has a port that is not a number"),
            ("https://gr\u{f6}\u{df}e.example", "has no valid ASCII host name"),
            ("https://*.example.com", "has no valid ASCII host name"),
            ("https://[::1", "has no valid ASCII host name"),
            ("https://[::1]x", "has a port that is not a number"), ("https://a b", "has no valid ASCII host name"),
            ("https://a,", #"contains "", which has no scheme"#),
            ("https://a,*", #"contains "*", which would let every"#),
        ])
    func `each invalid origin is rejected with a sentence that names the problem`(text: String, problem: String) {
        let message = CommandLineUnderTest.message(["serve", "--allow-origin=\(text)"])

        #expect(message.hasPrefix("--allow-origin \"\(text)\" \(problem)"), "\(message)")
        #expect(message.hasSuffix("."))
    }
}
