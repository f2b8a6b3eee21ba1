// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests that there is one line per request, with the fields that an operator needs and no secrets.
@Suite(.onTestThreads) struct AccessLogTests {
    @Test func `a request has one JSON line with all its fields`() throws {
        let instance = try FakeOpenCode.answering("hello")
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        _ = try gateway.request("POST", "/projects/demo/api/a%2Fb?token=secret", body: [0x61])
        let line = try gateway.accessLine { $0.contains("a%2Fb") }
        let pattern =
            #/\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"info","message":"request","method":"POST",/#

        #expect(line.prefixMatch(of: pattern) != nil)

        let fields = try gateway.fields(of: line)

        #expect(fields["path"] as? String == "/projects/demo/api/a%2Fb")
        #expect(fields["status"] as? Int == 200)
        #expect(fields["bytes"] as? Int == 5)
        #expect(try #require(fields["duration_ms"] as? Double) >= 0)
        #expect(fields["project"] as? String == "demo")
        #expect(fields["client"] as? String == "127.0.0.1")
        #expect((fields["request_id"] as? String)?.wholeMatch(of: #/\d+-\d+/#) != nil)
        #expect(
            Set(fields.keys) == [
                "time", "level", "message", "method", "path", "status", "bytes", "duration_ms", "project", "key",
                "request_id", "client",
            ])
        #expect(gateway.log.filter { $0.contains("a%2Fb") }.count == 1)
    }

    @Test func `a client without a key causes a bounded number of log lines, and omitted lines are counted`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_THREADS": "1"])
        let connection = try gateway.connect()
        let path = "/projects/\(String(repeating: "x", count: 5_000))/status"

        for _ in 0..<300 { #expect(try connection.exchange("GET", path).status == 401) }
        for _ in 0..<20 { _ = try gateway.request("GET", "/projects/unknown/status") }

        try gateway.terminate()
        let lines = gateway.log
        let refused = lines.filter { $0.contains(#""status":401"#) }
        let omitted = try #require(lines.last { $0.contains("log lines about refused requests omitted") })
        let count = try #require(try gateway.fields(of: omitted)["count"] as? Int)

        // More of these lines may be written while the test runs.
        #expect(refused.count + count == 300)
        #expect((100..<280).contains(refused.count))
        #expect(refused.allSatisfy { $0.utf8.count < 1_000 })
        #expect(lines.count { $0.contains(#""status":404"#) } == 20)
    }

    @Test func `the logged client address is taken only from a trusted proxy's X-Forwarded-For`() throws {
        for (trusted, client) in [("127.0.0.1", "203.0.113.9"), ("10.0.0.0/8", "127.0.0.1"), ("none", "127.0.0.1")] {
            let gateway = try GatewayUnderTest(flags: ["--trust-proxy", trusted])
            let connection = try gateway.connect()
            _ = try connection.exchange("GET", "/named", headers: [("X-Forwarded-For", "198.51.100.1, 203.0.113.9")])
            let named = try gateway.fields(of: try gateway.accessLine { $0.contains("/named") })
            #expect(named["client"] as? String == client)

            // The client's address belongs to one request, not to the connection.
            _ = try connection.exchange("GET", "/unnamed")
            let unnamed = try gateway.fields(of: try gateway.accessLine { $0.contains("/unnamed") })
            #expect(unnamed["client"] as? String == "127.0.0.1")
        }
    }

    @Test(
        arguments: [
            ("[::ffff:127.0.0.1]:0", Loopback.ipv4, "127.0.0.1"), ("[::1]:0", .ipv6, "::1"),
        ])
    func `an IPv4-mapped client address is logged and trusted as its IPv4 address (RFC 4291)`(
        listen: String, loopback: Loopback, client: String
    ) throws {
        // A range that contains the address trusts it in either form.
        let gateway = try GatewayUnderTest(flags: ["--listen", listen, "--trust-proxy", client])
        let connection = try TestClient.connect(port: gateway.port, on: loopback)
        _ = try connection.exchange("GET", "/plain")
        let plain = try gateway.fields(of: try gateway.accessLine { $0.contains("/plain") })

        #expect(plain["client"] as? String == client)

        _ = try connection.exchange("GET", "/named", headers: [("X-Forwarded-For", "203.0.113.9")])
        let named = try gateway.fields(of: try gateway.accessLine { $0.contains("/named") })

        #expect(named["client"] as? String == "203.0.113.9")
    }

    @Test func `each kind of response has its log line`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        for (method, target, status) in [
            ("GET", "/health", 200), ("GET", "/projects", 200), ("GET", "/projects/demo/status", 200),
            ("GET", "/nothing", 404), ("BREW", "/projects/demo/api/pot", 405), ("GET", "/projects/demo/api/x", 503),
            ("GET", "/projects/no/status", 404),
        ] {
            let answer = try gateway.request(method, target)
            let fields = try gateway.fields(of: try gateway.accessLine { $0.contains("\"\(target)\"") })
            #expect(fields["method"] as? String == method)
            #expect(fields["status"] as? Int == status)
            #expect(fields["bytes"] as? Int == answer.body.count)
            if let identifier = answer.value(of: "X-Request-Id") {
                #expect(fields["request_id"] as? String == identifier)
            }
        }
        _ = try TestClient.request(port: gateway.port, "GET", "/projects/demo/api/locked")

        #expect(try gateway.fields(of: try gateway.accessLine { $0.contains("locked") })["status"] as? Int == 401)
    }

    @Test func `a log line names only an existing project`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        try gateway.makeProject("a b")

        for (target, project) in [
            ("/projects/demo/status", "demo"), ("/projects/demo/api/1", "demo"), ("/projects/a%20b/status", "a b"),
            ("/projects/a%20b/api/2", "a b"), ("/projects/unknown/status", nil), ("/projects/unknown/api/3", nil),
            ("/projects", nil),
        ] as [(String, String?)] {
            _ = try gateway.request("GET", target)
            let fields = try gateway.fields(of: try gateway.accessLine { $0.contains("\"\(target)\"") })
            #expect(fields["project"] as? String == project, "\(target)")
        }
    }

    @Test func `a stream is logged when it ends`() throws {
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: first\n\n")
            try connection.waitForEnd()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/event?x=1", headers: [GatewayUnderTest.authorization])

        #expect(try EventStreamReader(connection).next() == "first")
        #expect(!gateway.log.contains { $0.contains("/api/event") })

        connection.close()
        let fields = try gateway.fields(of: try gateway.accessLine { $0.contains("/api/event") })

        #expect(fields["status"] as? Int == 200)
        #expect(fields["bytes"] as? Int == 13)
    }

    @Test func `a request whose client has disconnected has the status 0`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.waitForEnd() }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/left", headers: [GatewayUnderTest.authorization])
        try instance.requests.wait(forCount: 1)
        connection.close()
        let fields = try gateway.fields(of: try gateway.accessLine { $0.contains("/api/left") })

        #expect(fields["status"] as? Int == 0)
        #expect(fields["bytes"] as? Int == 0)
    }

    @Test func `a rejected request head is logged with its reason`() throws {
        let gateway = try GatewayUnderTest()
        _ = try gateway.raw("GET /health HTTP/1.1\r\n\r\n")

        try gateway.process.waitForLine(on: .error) {
            // A strict libmicrohttpd rejects the request before the gateway can, and does not report the status.
            $0.contains("a client was rejected") && $0.contains(MessageLibrary.isStrict ? "malformed_head" : "400")
                && $0.contains("127.0.0.1")
        }
    }

    @Test func `queries, keys and passwords are never logged`() throws {
        let instance = try FakeOpenCode.answering("hello")
        let gateway = try GatewayUnderTest(flags: ["--log-level", "debug"])
        try gateway.start(instance)
        let secret = "hunter2hunter2"
        let connection = try gateway.connect()
        for target in [
            "/projects/demo/api/x?auth_token=\(secret)", "/health?\(secret)", "/nothing?\(secret)",
            "/projects/demo/status?a=\(secret)", "http://user:\(secret)@h/projects/demo/api/x?\(secret)",
            "/projects/demo/api/x#\(secret)",
        ] {
            _ = try connection.exchange("GET", target, headers: [GatewayUnderTest.authorization])
        }
        for value in ["Bearer \(secret)\(secret)", "Basic \(secret)"] {
            _ = try connection.exchange("GET", "/projects", headers: [("Authorization", value)])
        }
        _ = try gateway.raw("GET /x?\(secret)\u{1} HTTP/1.1\r\nHost: h\r\nCookie: \(secret)\r\n\r\n")
        let password = try #require(instance.requests.values.last?.value(of: "Authorization")).split(separator: " ")[1]
        let decoded = String(decoding: try #require(Data(base64Encoded: String(password))), as: UTF8.self)

        #expect(try gateway.terminate() == .exited(0))

        let log = gateway.log.joined(separator: "\n")

        #expect(log.contains("\"/projects/demo/api/x\""))

        for text in [secret, GatewayUnderTest.key, String(password), String(decoded.split(separator: ":")[1])] {
            #expect(!log.contains(text))
        }
    }

    @Test func `a path cannot forge a log line`() throws {
        let gateway = try GatewayUnderTest()
        let path = #"/x","status":200,"y":"\u001b[2J"#
        _ = try gateway.request("GET", path)
        let fields = try gateway.fields(of: try gateway.accessLine { $0.contains("2J") })

        #expect(fields["path"] as? String == path)
        #expect(fields["status"] as? Int == 404)
    }

    @Test func `--access-log off disables the access log`() throws {
        let gateway = try GatewayUnderTest(flags: ["--access-log", "off"])
        _ = try gateway.request("GET", "/health")

        #expect(try gateway.terminate() == .exited(0))

        try gateway.waitForLog("the gateway has ended")

        #expect(!gateway.log.contains { $0.contains("\"message\":\"request\"") })

        // The counters do not depend on the access log.
        let counts = try #require(gateway.log.first { $0.contains("all requests have ended") })

        #expect(counts.contains(#""requests":1,"server_errors":0,"rejected":0"#))
    }

    @Test func `--log-format text writes a request as NAME=VALUE fields`() throws {
        let gateway = try GatewayUnderTest(flags: ["--log-format", "text"])
        _ = try gateway.request("GET", "/nothing?secret")
        let line = try gateway.process.waitForLine(on: .error) { $0.contains("/nothing") }
        for part in ["method=GET", "path=/nothing", "status=404", "client=127.0.0.1"] { #expect(line.contains(part)) }

        #expect(!line.contains("secret"))
    }
}

extension GatewayUnderTest {
    /// Returns the access log line that matches, and waits for it if necessary.
    fileprivate func accessLine(_ matches: (String) -> Bool) throws -> String {
        try process.waitForLine(on: .error) { $0.contains("\"message\":\"request\"") && matches($0) }
    }

    /// Returns the fields of a log line.
    fileprivate func fields(of line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
}
