// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests missing and invalid response heads of an instance. The gateway responds with 502, never reuses the connection,
/// and serves the next request.
@Suite(.onTestThreads) struct BrokenHeadTests {
    /// The bytes that an instance sends instead of a valid head. It leaves the connection open.
    private static let brokenHeads: [(name: String, bytes: String)] = [
        ("no-http", "220 ready\r\n\r\n"),
        ("no-status-line", "Content-Length: 0\r\n\r\n"),
        ("version-2", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ("version-1.2", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ("lower-case-version", "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ("status-of-two-digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n"),
        ("status-of-four-digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"),
        ("status-with-letter", "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n"),
        ("status-below-100", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n"),
        ("two-spaces", "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n"),
        ("field-without-colon", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nNonsense\r\n\r\n"),
        ("field-without-name", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n: value\r\n\r\n"),
        ("space-before-colon", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n"),
        ("space-in-name", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nA B: c\r\n\r\n"),
        ("folded-line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: b\r\n c\r\n\r\n"),
        ("first-field-folded", "HTTP/1.1 200 OK\r\n X-A: b\r\nContent-Length: 0\r\n\r\n"),
        ("bare-LF-after-status", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n"),
        ("bare-LF-after-field", "HTTP/1.1 200 OK\r\nContent-Length: 0\n\r\n"),
        ("bare-LF-at-end", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n"),
        ("bare-CR-in-value", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: b\rc\r\n\r\n"),
        ("NUL-in-value", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: b\0c\r\n\r\n"),
        ("NUL-in-name", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX\0A: b\r\n\r\n"),
        ("DEL-in-value", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: b\u{7f}c\r\n\r\n"),
        (
            "length-and-coding",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        (
            "coding-and-length",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        ("two-lengths-that-differ", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        ("two-equal-lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
        ("list-of-lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello"),
        ("length-with-letters", "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"),
        ("length-in-hexadecimal", "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello"),
        ("length-with-plus", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello"),
        ("length-with-minus", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"),
        ("length-with-unit", "HTTP/1.1 200 OK\r\nContent-Length: 5 bytes\r\n\r\nhello"),
        ("empty-length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello"),
        ("length-beyond-64-bits", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello"),
        ("coding-gzip", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello"),
        ("coding-gzip-chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        ("coding-chunked-twice", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        (
            "two-coding-fields",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("coding-identity", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello"),
        ("coding-of-another-name", "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ("coding-quoted", "HTTP/1.1 200 OK\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
        (
            "broken-interim-head",
            "HTTP/1.1 100 Continue\r\nNonsense\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        ),
        ("switch-unasked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello"),
        (
            "head-too-large",
            "HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 70_000))\r\nContent-Length: 0\r\n\r\n"
        ),
    ]

    @Test(arguments: ProxyFixture.carriers)
    func `each malformed response head causes a 502, and its connection is never reused`(method: String) throws {
        let endings = Recorded<String>("a connection closed by the gateway")
        let fixture = try ProxyFixture { connection, head in
            guard let broken = Self.brokenHeads.first(where: { head.path == "/\($0.name)" }) else {
                return try connection.respond(200, text: "fine")
            }
            try connection.write(broken.bytes)
            try connection.waitForEnd()
            endings.append(broken.name)
            connection.close()
        }

        for broken in Self.brokenHeads {
            guard let answer = try? fixture.request(method, "/\(broken.name)") else {
                Issue.record("no answer to \(broken.name)")
                continue
            }
            #expect(answer.status == 502, "\(broken.name)")
            #expect(answer.text.hasPrefix(#"{"detail":"Proxy error: "#), "\(broken.name): \(answer.text)")
            #expect(answer.values(of: "Content-Type") == ["application/json"])
            let next = try fixture.request("GET", "/after-\(broken.name)")
            #expect(next.status == 200, "\(broken.name)")
            #expect(fixture.port(of: "/after-\(broken.name)") != fixture.port(of: "/\(broken.name)"), "\(broken.name)")
            #expect(fixture.deliveries(of: "/\(broken.name)") == 1, "\(broken.name)")
        }

        try endings.wait(forCount: Self.brokenHeads.count)
    }

    @Test(arguments: ProxyFixture.carriers)
    func `an instance that refuses connections causes a 503`(method: String) throws {
        let gateway = try GatewayUnderTest()
        let instance = try FakeOpenCode().start { connection, _ in connection.close() }
        try gateway.start(instance)
        // The instance's process is alive, so only the connection itself reveals the problem.
        instance.server.refuse()
        let answer = try gateway.request(method, ProxyFixture.target("/x"))

        #expect(answer.status == 503)
        #expect(answer.text == #"{"detail":"Cannot connect to OpenCode instance on port \#(instance.port)"}"#)
    }

    @Test(arguments: ["close", "reset", "half-head"])
    func `an instance that ends the connection before a complete head causes a 502`(how: String) throws {
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            switch how {
            case "close": connection.close()
            case "reset": connection.reset()
            default:
                try connection.write("HTTP/1.1 200 OK\r\nContent-Le")
                connection.close()
            }
        }
        // A method that must not be repeated uses its own connection and is delivered once.
        for (method, body) in [("POST", Array("{}".utf8)), ("PATCH", Array("{}".utf8))] {
            let before = fixture.deliveries(of: "/x")
            let answer = try fixture.request(method, "/x", body: body)
            #expect(answer.status == 502)
            #expect(answer.text.hasPrefix(#"{"detail":"Proxy error: OpenCode ended the connection without a response"#))
            #expect(fixture.deliveries(of: "/x") == before + 1)
            #expect(try fixture.request("GET", "/y").status == 200)
        }

        #expect(try fixture.request("GET", "/x").status == 502)
        #expect(try fixture.request("GET", "/y").status == 200)
    }
}
