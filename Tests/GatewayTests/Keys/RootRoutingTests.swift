// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that a key for exactly one project reaches the project's OpenCode at the root.
@Suite(.onTestThreads) struct RootRoutingTests {
    private struct Fixture {
        let requests = Recorded<ReceivedRequest>()
        let instance: FakeOpenCode.Server
        let gateway: GatewayUnderTest
        let key: NamedKey

        init(_ environment: [String: String] = [:], scope: String = "run") throws {
            let requests = requests
            instance = try FakeOpenCode().start { connection, head in
                requests.append(try connection.readBody(of: head))
                if head.path == "/pty/1/connect" { return try connection.acceptWebSocket(early: "prompt>") }
                try connection.respond(
                    200,
                    headers: [("Content-Type", "text/html"), ("Link", "<http://127.0.0.1/next>; rel=\"next\"")],
                    text: "[]")
            }
            gateway = try GatewayUnderTest(environment: environment)
            try gateway.prepare(instance, as: "my app")
            let start = try gateway.request("POST", "/projects/my%20app/start")
            guard start.status == 200 else { throw TestFailure("the start has failed: \(start.text)") }
            key = try gateway.createKey("phone", #""projects":["my app"]"#, #""allow":"\#(scope)""#)
        }
    }

    @Test(arguments: ["/event", "/session?limit=5", "/config/providers", "/", "/a%20b/c?d=e&f", "/project"])
    func `a path that is not the gateway's own reaches the instance as it came`(target: String) throws {
        let fixture = try Fixture()
        let response = try fixture.gateway.request("GET", target, key: fixture.key)

        #expect(response.status == 200 || target == "/project")
        #expect(fixture.requests.values.last?.target == target)
        #expect(fixture.requests.values.last?.value(of: "authorization")?.contains(fixture.key.token) == false)
    }

    @Test func `the key works as the password of Basic credentials and for terminals`() throws {
        let fixture = try Fixture()
        let basic = Data("opencode:\(fixture.key.token)".utf8).base64EncodedString()
        let response = try TestClient.request(
            port: fixture.gateway.port, "GET", "/session", headers: [("Authorization", "Basic \(basic)")])

        #expect(response.status == 200)

        let terminal = try fixture.gateway.connect()
        try terminal.send(
            "GET", "/pty/1/connect", headers: [fixture.key.authorization] + TestConnection.webSocketUpgrade)
        _ = try terminal.readThrough("prompt>", waitingFor: "the terminal")
    }

    @Test func `the gateway's own paths take precedence`() throws {
        let fixture = try Fixture()
        for path in ["/health", "/openapi.json", "/docs", "/projects"] {
            #expect(try fixture.gateway.request("GET", path, key: fixture.key).status == 200)
        }
        #expect(try fixture.gateway.request("GET", "/-/keys", key: fixture.key).status == 403)
        for path in ["/-/unknown", "/-", "/projects/other", "/projects/a/b/c", "/events/x"] {
            #expect(try fixture.gateway.request("GET", path, key: fixture.key).text == #"{"detail":"Not Found"}"#)
        }
        #expect(fixture.requests.values.isEmpty)
    }

    @Test func `other keys get 404 at the root`() throws {
        let fixture = try Fixture()
        let all = try fixture.gateway.createKey("all", #""allow":"run""#)
        let several = try fixture.gateway.createKey("several", #""projects":["my app","other"]"#)

        #expect(try fixture.gateway.request("GET", "/session").text == #"{"detail":"Not Found"}"#)
        #expect(try fixture.gateway.request("GET", "/session", key: all).text == #"{"detail":"Not Found"}"#)
        #expect(try TestClient.request(port: fixture.gateway.port, "GET", "/session").status == 404)

        let response = try fixture.gateway.request("GET", "/session", key: several)

        #expect(response.status == 404)
        #expect(
            response.json["detail"]?.text
                == "This key opens several projects, so the path must name one. Use one of these base paths: "
                + "/projects/my%20app/api, /projects/other/api.")
        #expect(fixture.requests.values.isEmpty)
    }

    @Test func `the scope of the key applies at the root`() throws {
        let fixture = try Fixture(scope: "read")

        #expect(try fixture.gateway.request("GET", "/session", key: fixture.key).status == 200)

        let refused = try fixture.gateway.request("POST", "/session", key: fixture.key)

        #expect(refused.status == 403)
        #expect(
            refused.json["detail"]?.text == #"This key may read my app but not change it: it needs "write"."#)
    }

    @Test func `the rate of the key applies at the root`() throws {
        let fixture = try Fixture()
        let slow = try fixture.gateway.createKey("slow", #""projects":["my app"]"#, #""rate":"1/h""#)

        #expect(try fixture.gateway.request("GET", "/session", key: slow).status != 429)
        #expect(try fixture.gateway.request("GET", "/session", key: slow).status == 429)
    }

    @Test func `a reference to the instance becomes a reference to the root`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            try connection.respond(
                302, headers: [("Location", "http://127.0.0.1:\(head.value(of: "x-port") ?? "")/other")], text: "")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let key = try gateway.createKey("phone", #""projects":["demo"]"#, #""allow":"run""#)
        let fields = [key.authorization, ("X-Port", "\(instance.port)")]
        let root = try TestClient.request(port: gateway.port, "GET", "/a", headers: fields)
        let base = try TestClient.request(port: gateway.port, "GET", "/projects/demo/api/a", headers: fields)

        #expect(root.value(of: "location")?.hasSuffix("/other") == true)
        #expect(root.value(of: "location")?.contains("/projects/") == false)
        #expect(base.value(of: "location")?.contains("/projects/demo/api/other") == true)
    }

    @Test func `preflights at the root are answered as at the base path`() throws {
        let fixture = try Fixture(["VIBE_ALLOW_ORIGIN": "https://app.example.com"])
        let fields = [
            ("Origin", "https://app.example.com"), ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "authorization"),
        ]
        func preflight(_ target: String) throws -> TestResponse {
            try TestClient.request(port: fixture.gateway.port, "OPTIONS", target, headers: fields)
        }
        let base = try preflight("/projects/demo/api/session")
        let root = try preflight("/session")

        #expect(root.status == 204)
        for name in ["access-control-allow-methods", "access-control-allow-origin", "access-control-allow-headers"] {
            #expect(root.value(of: name) == base.value(of: name))
        }
        #expect(try preflight("/-/unknown").status == 404)
    }

    @Test(arguments: [
        "/api/fs/read/page.html", "/api/fs/%72ead/page.html", "//API/fs/read/page.html", "//api/fs/read/page",
    ])
    func `a page among the agent's files runs no scripts`(path: String) throws {
        let fixture = try Fixture()
        for target in [path, "/projects/my%20app/api\(path)"] {
            let response = try fixture.gateway.request("GET", target, key: fixture.key)
            #expect(response.value(of: "content-security-policy") == "sandbox")
        }
        let other = try fixture.gateway.request("GET", "/session", key: fixture.key)

        #expect(other.value(of: "content-security-policy") == nil)
    }
}
