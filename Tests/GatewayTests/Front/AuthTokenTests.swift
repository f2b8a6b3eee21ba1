// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the parameter `?auth_token=`, which OpenCode would prefer to the credentials that the gateway adds.
@Suite(.onTestThreads) struct AuthTokenTests {
    private static let secret = "b3BlbmNvZGU6c2VjcmV0LXNlY3JldC1zZWNyZXQ"

    @Test func `the auth_token parameter reaches neither the instance nor the log`() throws {
        let fixture = try ProxyFixture(FakeOpenCode(.two()), environment: ["VIBE_LOG_LEVEL": "debug"]) {
            connection, head in
            if head.path == "/closed" { return connection.close() }
            try connection.respond(200, text: head.target)
        }
        for (sent, got) in [
            ("/api/agent?auth_token=\(Self.secret)", "/api/agent"),
            ("/api/agent?limit=5&%61uth%5Ftoken=\(Self.secret)&order=desc", "/api/agent?limit=5&order=desc"),
            ("/api/agent;auth_token=\(Self.secret)", "/api/agent"),
            ("/api/agent;auth_token=\(Self.secret)?limit=5", "/api/agent?limit=5"),
            ("?auth_token=\(Self.secret)&a", "/?a"),
        ] {
            for method in ProxyFixture.carriers {
                #expect(try fixture.request(method, sent).text == got, "\(method) \(sent)")
            }
        }

        #expect(try fixture.request("GET", "/closed?auth_token=\(Self.secret)").status == 502)

        // These are refusals of every kind, which must not log the token.
        for path in [
            "/projects/demo/api/x?directory=/etc&auth_token=\(Self.secret)",
            "/projects/demo/status?auth_token=\(Self.secret)",
            "/projects/unknown/api;auth_token=\(Self.secret)/x", "/nothing;auth_token=\(Self.secret)",
            "/projects/demo/api;auth_token=\(Self.secret)", "/projects/no/api/x;%61uth_token=\(Self.secret)",
            // The token is in the place of a project's name, and could be a name.
            "/projects/;auth_token=\(Self.secret)/api/x", "/projects/demo;auth_token=\(Self.secret)/api/x",
            "/projects/;auth_token=\(Self.secret)/status", "/projects/demo;auth_token=\(Self.secret)/status",
        ] {
            _ = try fixture.gateway.request("GET", path)
        }

        #expect(try fixture.gateway.request("GET", "/health?last").status == 200)

        try fixture.gateway.waitForLog(#""path":"/health""#)

        #expect(fixture.gateway.log.filter { $0.contains(Self.secret) } == [])
        #expect(fixture.gateway.log.count { $0.contains(#""path":"/projects/demo/api/api/agent""#) } == 8)
        #expect(fixture.carried.values.allSatisfy { !$0.target.contains(Self.secret) })
    }

    @Test func `secrets in unusual targets never reach the log`() throws {
        let fixture = try ProxyFixture(environment: ["VIBE_LOG_LEVEL": "debug"]) { connection, head in
            try connection.respond(200, text: head.target)
        }
        let targets = [
            "/projects/demo/api/x;a=b;auth_token=\(Self.secret)", "/projects/demo/api/x%3bauth_token=\(Self.secret)",
            "/projects/demo/api/x%253Bauth_token%3D\(Self.secret)", "/nothing%3Fauth_token=\(Self.secret)",
            "me:\(Self.secret)@example.com:443", "http://me:\(Self.secret)@example.com/health", Self.secret,
        ]

        for target in targets {
            for method in ["CONNECT", "GET"] {
                _ = try fixture.gateway.raw(
                    RequestText.head("\(method) \(target) HTTP/1.1", ["Connection: close"]))
            }
        }

        #expect(try fixture.gateway.request("GET", "/health?last").status == 200)

        try fixture.gateway.waitForLog(#""path":"/health","status":200"#, times: 2)

        #expect(fixture.gateway.log.filter { $0.contains(Self.secret) } == [])
        #expect(fixture.gateway.log.contains { $0.contains(#""path":"/projects/demo/api/x","status":200"#) })
    }

    @Test func `the auth_token parameter of a terminal's WebSocket does not reach the instance`() throws {
        let fixture = try ProxyFixture { connection, head in try connection.respond(200, text: head.target) }
        let answer = try fixture.request(
            "GET", "/api/pty/pty_1/connect?auth_token=\(Self.secret)&ticket=t",
            headers: TestConnection.webSocketUpgrade)

        #expect(answer.text == "/api/pty/pty_1/connect?ticket=t")
    }

    @Test func `the auth_token parameter does not authenticate a client`() throws {
        let fixture = try ProxyFixture(FakeOpenCode(.two())) { connection, head in
            try connection.respond(200, text: "let in")
        }
        let key = Data("opencode:\(GatewayUnderTest.key)".utf8).base64EncodedString()
        for target in [
            "/api/info?auth_token=\(key)", "/api/info;auth_token=\(key)",
            "/api/info?auth_token=\(GatewayUnderTest.key)",
        ] {
            let answer = try TestClient.request(port: fixture.gateway.port, "GET", ProxyFixture.target(target))
            #expect(answer.status == 401)
            // The parameter also does not help a wrong key.
            let wrong = try TestClient.request(
                port: fixture.gateway.port, "GET", ProxyFixture.target(target),
                headers: [("Authorization", "Bearer wrong-key-wrong-key")])
            #expect(wrong.status == 401)
        }

        #expect(fixture.instance.requests.count == 0)
    }
}
