// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the accepted credentials, which are a key as Bearer token or as the password of Basic credentials (RFC 6750
/// §2.1, RFC 7617).
@Suite(.onTestThreads) struct CredentialTests {
    private static let missing = #"{"detail":"Missing or invalid Authorization header"}"#
    private static let invalid = #"{"detail":"Invalid API key"}"#
    /// All routes that require the key.
    private static let routes = [
        ("GET", "/projects"), ("POST", "/projects/demo/start"), ("DELETE", "/projects/demo/stop"),
        ("GET", "/projects/demo/status"), ("GET", "/projects/demo/api/x"), ("OPTIONS", "/projects/demo/api/x"),
        ("GET", "/projects/unknown/status"), ("GET", "/projects/%2e%2e/status"),
    ]

    private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

    @Test func `each route that requires a key rejects a request without credentials with 401`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        for (method, target) in Self.routes {
            let answer = try TestClient.request(port: gateway.port, method, target)
            #expect(answer.status == 401, "\(method) \(target)")
            #expect(answer.text == Self.missing)
            #expect(answer.values(of: "WWW-Authenticate") == ["Bearer"])
            #expect(answer.values(of: "Content-Type") == ["application/json"])
        }
    }

    @Test func `a wrong key is rejected as invalid on each route`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        for (method, target) in Self.routes {
            let answer = try TestClient.request(
                port: gateway.port, method, target, headers: [("Authorization", "Bearer not-the-key-0123456789")])
            #expect(answer.status == 401, "\(method) \(target)")
            #expect(answer.text == Self.invalid)
        }
    }

    @Test func `a key is accepted as a Bearer token and as a Basic password`() throws {
        let gateway = try GatewayUnderTest()
        let key = GatewayUnderTest.key

        for value in [
            "Bearer \(key)", "bearer \(key)", "BEARER \(key)", Self.basic("opencode:\(key)"), Self.basic(":\(key)"),
            Self.basic("a user:\(key)").replacing("Basic", with: "basic"),
        ] {
            let answer = try TestClient.request(
                port: gateway.port, "GET", "/projects", headers: [("authorization", value)])
            #expect(answer.status == 200, "\(value)")
            #expect(answer.text == "[]")
        }
    }

    @Test func `each malformed or incorrect Authorization value is rejected`() throws {
        let gateway = try GatewayUnderTest()
        let key = GatewayUnderTest.key

        for (value, body) in [
            ("Bearer \(key)x", Self.invalid), ("Bearer \(key.dropLast())", Self.invalid),
            ("Bearer \(key.uppercased())", Self.invalid), (Self.basic("\(key):"), Self.invalid),
            (Self.basic("a:b:\(key)"), Self.invalid), (Self.basic("opencode:wrong"), Self.invalid),
            (Self.basic(key), Self.missing), ("Basic \(key)", Self.missing), ("Basic", Self.missing),
            ("", Self.missing),
            ("Bearer", Self.missing), ("Token \(key)", Self.missing), (key, Self.missing),
            ("Bearer\(key)", Self.missing), ("Digest username=\"\(key)\"", Self.missing),
        ] {
            let answer = try TestClient.request(
                port: gateway.port, "GET", "/projects", headers: [("Authorization", value)])
            #expect(answer.status == 401, "\(value)")
            #expect(answer.text == body, "\(value)")
        }
    }

    @Test func `a request with several Authorization fields is rejected as if it had none`() throws {
        let gateway = try GatewayUnderTest()
        let right = GatewayUnderTest.authorization

        for headers in [[right, right], [right, ("authorization", "Bearer wrong-key-0123456789")]] {
            let answer = try TestClient.request(port: gateway.port, "GET", "/projects", headers: headers)
            #expect(answer.status == 401)
            #expect(answer.text == Self.missing)
        }
    }

    @Test func `a key in a query or a cookie does not authenticate a client`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(
            port: gateway.port, "GET", "/projects?key=\(GatewayUnderTest.key)&auth_token=\(GatewayUnderTest.key)",
            headers: [("Cookie", "Authorization=\(GatewayUnderTest.key)")])

        #expect(answer.status == 401)
    }

    @Test func `a connection remains usable after a 401`() throws {
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()

        #expect(try connection.exchange("GET", "/projects").status == 401)
        #expect(try connection.exchange("POST", "/projects/x/start", body: Array("body".utf8)).status == 401)
        #expect(try connection.exchange("GET", "/projects", headers: [GatewayUnderTest.authorization]).status == 200)
    }
}
