// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that the gateway limits wrong keys for each client address (RFC 6585 §4), and no other clients.
@Suite(.onTestThreads) struct FailedTriesTests {
    private static let invalid = #"{"detail":"Invalid API key"}"#
    private static let wrong = ("Authorization", "Bearer not-the-key-0123456789")
    /// The interval is so long that the allowance does not recover during a test.
    private static let flags = ["--failed-tries", "3", "--failed-try-interval", "1h"]
    private static let trusting = flags + ["--trust-proxy", "127.0.0.1"]

    private static func from(_ client: String) -> (String, String) { ("X-Forwarded-For", client) }

    private static func expectTooMany(_ answer: TestResponse, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        #expect(answer.status == 429, sourceLocation: sourceLocation)
        let seconds = try #require(answer.value(of: "Retry-After").flatMap { Int($0) })
        #expect((3500...3600).contains(seconds), sourceLocation: sourceLocation)
        #expect(
            answer.text == #"{"detail":"Too many wrong keys came from your address. Try again in \#(seconds) s."}"#,
            sourceLocation: sourceLocation)
        #expect(answer.values(of: "Content-Type") == ["application/json"], sourceLocation: sourceLocation)
    }

    @Test func `a client with too many wrong keys receives 429`() throws {
        let gateway = try GatewayUnderTest(flags: Self.flags)
        for _ in 0..<3 {
            let answer = try TestClient.request(port: gateway.port, "GET", "/projects", headers: [Self.wrong])
            #expect(answer.status == 401)
            #expect(answer.text == Self.invalid)
        }
        for path in ["/projects", "/projects/demo/api/x", "/projects/demo/status"] {
            try Self.expectTooMany(TestClient.request(port: gateway.port, "GET", path, headers: [Self.wrong]))
        }
        try gateway.process.waitForLine(on: .error) {
            $0.contains("too many wrong keys from one address") && $0.contains("127.0.0.1")
        }

        #expect(gateway.log.count { $0.contains("too many wrong keys from one address") } == 1)
    }

    @Test func `a request without a well-formed key does not count as a failed try`() throws {
        let gateway = try GatewayUnderTest(flags: Self.trusting)
        for value in ["", "Bearer", "Basic !", "Token x"] {
            for _ in 0..<3 {
                let answer = try TestClient.request(
                    port: gateway.port, "GET", "/projects",
                    headers: [Self.from("203.0.113.9"), ("Authorization", value)])
                #expect(answer.status == 401)
            }
        }
        for _ in 0..<5 {
            let answer = try TestClient.request(
                port: gateway.port, "GET", "/projects", headers: [Self.from("203.0.113.9")])
            #expect(answer.status == 401)
        }
        let answer = try gateway.request("GET", "/projects", headers: [Self.from("203.0.113.9")])

        #expect(answer.status == 200)
    }

    @Test func `wrong keys through an untrusted proxy do not lock out clients with a valid key`() throws {
        let gateway = try GatewayUnderTest(flags: Self.flags)
        for _ in 0..<5 { _ = try TestClient.request(port: gateway.port, "GET", "/projects", headers: [Self.wrong]) }

        // A proxy on this machine forwards the requests of all clients. The gateway does not trust its forwarding
        // fields.
        for client in ["203.0.113.9", "203.0.113.8"] {
            #expect(try gateway.request("GET", "/projects", headers: [Self.from(client)]).status == 200)
            try Self.expectTooMany(
                TestClient.request(port: gateway.port, "GET", "/projects", headers: [Self.from(client), Self.wrong]))
        }
    }

    @Test func `clients of a trusted proxy have separate limits on wrong keys`() throws {
        let gateway = try GatewayUnderTest(flags: Self.trusting)
        let proxy = try gateway.connect()

        for _ in 0..<3 {
            let answer = try proxy.exchange("GET", "/projects", headers: [Self.from("203.0.113.9"), Self.wrong])
            #expect(answer.status == 401)
        }

        // The attacker is rejected without a check of its key, on the connection that all clients share.
        for key in [Self.wrong, GatewayUnderTest.authorization] {
            try Self.expectTooMany(proxy.exchange("GET", "/projects", headers: [Self.from("203.0.113.9"), key]))
        }
        // Addresses before the attacker's own in the field have no effect.
        try Self.expectTooMany(
            proxy.exchange("GET", "/projects", headers: [Self.from("198.51.100.1, 203.0.113.9"), Self.wrong]))

        for client in ["203.0.113.8", "2001:db8::1", "203.0.113.9, 203.0.113.8"] {
            let answer = try proxy.exchange(
                "GET", "/projects", headers: [Self.from(client), GatewayUnderTest.authorization])
            #expect(answer.status == 200, "\(client)")
        }
    }

    @Test func `wrong keys do not lock out a valid key from the same address`() throws {
        let gateway = try GatewayUnderTest(flags: Self.trusting)
        let client = Self.from("203.0.113.9")

        #expect(try gateway.request("GET", "/projects", headers: [client]).status == 200)

        for _ in 0..<5 {
            _ = try TestClient.request(port: gateway.port, "GET", "/projects", headers: [client, Self.wrong])
        }
        try Self.expectTooMany(
            TestClient.request(port: gateway.port, "GET", "/projects", headers: [client, Self.wrong]))
        // A correct key works on any connection and any loop.
        for _ in 0..<8 { #expect(try gateway.request("GET", "/projects", headers: [client]).status == 200) }
    }

    @Test func `the allowance of wrong keys recovers with time`() throws {
        let gateway = try GatewayUnderTest(flags: ["--failed-tries", "1", "--failed-try-interval", "1500ms"])
        let connection = try gateway.connect()

        #expect(try connection.exchange("GET", "/projects", headers: [Self.wrong]).status == 401)

        // All requests of this loop arrive before its deadline, rejected or not. One of them is counted again soon.
        var statuses: [Int] = []
        while statuses.last != 401, statuses.count < 100_000 {
            statuses.append(try connection.exchange("GET", "/projects", headers: [Self.wrong]).status)
        }

        #expect(statuses.last == 401)
        #expect(statuses.first == 429)
    }

    @Test func `--failed-tries 0 sets no limit on wrong keys`() throws {
        let gateway = try GatewayUnderTest(flags: ["--failed-tries", "0"])
        let connection = try gateway.connect()
        for _ in 0..<30 {
            #expect(try connection.exchange("GET", "/projects", headers: [Self.wrong]).status == 401)
        }
    }

    @Test func `a page of an allowed origin can read Retry-After of a 429`() throws {
        let gateway = try GatewayUnderTest(flags: Self.flags + ["--allow-origin", "https://app.example.com"])
        let headers = [Self.wrong, ("Origin", "https://app.example.com")]
        for _ in 0..<3 { _ = try TestClient.request(port: gateway.port, "GET", "/projects", headers: headers) }
        let answer = try TestClient.request(port: gateway.port, "GET", "/projects", headers: headers)
        try Self.expectTooMany(answer)

        #expect(answer.values(of: "Access-Control-Allow-Origin") == ["https://app.example.com"])
        #expect(answer.value(of: "Access-Control-Expose-Headers")?.contains("Retry-After") == true)
    }
}
