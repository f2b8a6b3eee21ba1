// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests routes and methods, with the exact bodies of the wire contract.
@Suite(.onTestThreads) struct RouteTests {
    private static let proxied = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"

    @Test func `each proxied method reaches the instance with its exact spelling`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, headers: [("X-Method", head.method)], body: head.method == "HEAD" ? [] : [0x61])
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let answer = try gateway.request(method, "/projects/demo/api/x")
            #expect(answer.status == 200, "\(method)")
            #expect(answer.values(of: "X-Method") == [method])
            #expect(instance.requests.values.last?.method == method)
        }
    }

    @Test func `an unknown method on an instance's path is rejected with 405 and the Allow list`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        for method in ["TRACE", "CONNECT", "PROPFIND", "get", "Get", "GETT", "QUERY", "!#$%&'*+-.^_`|~9"] {
            let answer = try gateway.request(method, "/projects/demo/api/x")
            #expect(answer.status == 405, "\(method)")
            #expect(answer.text == #"{"detail":"Method Not Allowed"}"#)
            #expect(answer.values(of: "Allow") == [Self.proxied])
            #expect(answer.values(of: "Content-Type") == ["application/json"])
        }

        #expect(instance.requests.count == 0)
    }

    @Test func `a wrong method on a control route is rejected with 405 and the Allow list`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"]

        for (target, allow) in [
            ("/health", "GET, HEAD"), ("/projects", "GET, HEAD"), ("/projects/demo/start", "POST"),
            ("/projects/demo/stop", "DELETE"), ("/projects/demo/status", "GET, HEAD"),
        ] {
            for method in methods where !allow.split(separator: ", ").contains(Substring(method)) {
                let answer = try gateway.request(method, target)
                #expect(answer.status == 405, "\(method) \(target)")
                #expect(answer.values(of: "Allow") == [allow])
                if method != "HEAD" { #expect(answer.text == #"{"detail":"Method Not Allowed"}"#) }
            }
        }
    }

    @Test func `an unknown path is answered with 404 with and without a key`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let targets = [
            "/", "/healthz", "/health/", "//health", "/Health", "/projects/", "/projects/demo", "/projects/demo/",
            "/projects/demo/restart", "/projects/demo/apix", "/projects/demo/start/", "/projects/demo/start/x", "*",
            "/project/demo/status", "/projects/demo//status", "/projects/a/b/status", "/%68ealth", "/..", "/health%00",
        ]

        for target in targets {
            for answer in [
                try gateway.request("GET", target), try TestClient.request(port: gateway.port, "GET", target),
            ] {
                #expect(answer.status == 404, "\(target)")
                #expect(answer.text == #"{"detail":"Not Found"}"#)
                #expect(answer.values(of: "Content-Type") == ["application/json"])
            }
        }
    }

    @Test func `/health needs no key and responds with the contract's body`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(port: gateway.port, "GET", "/health?probe=1")

        #expect(answer.status == 200)
        #expect(answer.text == #"{"status":"ok","service":"viberemote-gateway"}"#)
        #expect(answer.values(of: "Content-Type") == ["application/json"])

        let head = try TestClient.request(port: gateway.port, "HEAD", "/health")

        #expect(head.status == 200)
        #expect(head.values(of: "Content-Length") == ["\(answer.body.count)"])
    }

    @Test func `each of the gateway's own responses has a distinct X-Request-Id`() throws {
        let gateway = try GatewayUnderTest()
        let identifiers = try (0..<4).map { _ in
            try #require(gateway.request("GET", "/nothing").value(of: "X-Request-Id"))
        }

        #expect(Set(identifiers).count == 4)
    }
}
