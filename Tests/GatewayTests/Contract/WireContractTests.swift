// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the behaviour that clients of the FastAPI gateway rely on, with one test for each row of its wire contract and
/// with exact statuses and bodies.
@Suite(.onTestThreads) struct WireContractTests {
    // MARK: GET /health

    @Test func `GET /health needs no key and returns the status ok`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(port: gateway.port, "GET", "/health")

        #expect(answer.status == 200)
        #expect(answer.text == #"{"status":"ok","service":"viberemote-gateway"}"#)
        #expect(answer.values(of: "Content-Type") == ["application/json"])
    }

    // MARK: GET /projects

    @Test func `GET /projects returns a bare array of directories sorted by lower-cased name`() throws {
        let gateway = try GatewayUnderTest()
        for name in ["beta", "Alpha", "gamma", ".hidden", "alpha2"] { try gateway.makeProject(name) }
        _ = try gateway.home.write("", to: "a-file")
        _ = try gateway.home.write("{}", to: "gamma/package.json")
        try gateway.makeProject("Alpha/.git")

        let path = gateway.home.path
        let projects = [
            ("Alpha", true, false), ("alpha2", false, false), ("beta", false, false), ("gamma", false, true),
        ].map { name, git, package in
            #"{"name":"\#(name)","path":"\#(path)/\#(name)","has_git":\#(git),"has_package_json":\#(package),"#
                + #""is_running":false,"port":null}"#
        }

        try gateway.expect("GET", "/projects", 200, "[" + projects.joined(separator: ",") + "]")
    }

    @Test func `GET /projects returns an empty array when there are no projects`() throws {
        try GatewayUnderTest().expect("GET", "/projects", 200, "[]")
    }

    @Test func `GET /projects reports why it fails`() throws {
        let gateway = try GatewayUnderTest()
        let moved = gateway.home.path + ".moved"

        #expect(rename(gateway.home.path, moved) == 0)

        defer { rename(moved, gateway.home.path) }
        let answer = try gateway.request("GET", "/projects")

        #expect(answer.text.hasPrefix(#"{"detail":"Failed to list projects: "#), "\(answer.text)")
    }

    // MARK: POST /projects/{n}/start

    @Test func `a start returns the name, the port and the status started`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.prepare(instance)
        try gateway.expect(
            "POST", "/projects/demo/start", 200, #"{"name":"demo","port":\#(instance.port),"status":"started"}"#)
    }

    @Test func `a start of a running instance returns the status already_running`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        try gateway.expect(
            "POST", "/projects/demo/start", 200, #"{"name":"demo","port":\#(instance.port),"status":"already_running"}"#
        )
    }

    @Test func `a start of an unknown project is answered with 404`() throws {
        try GatewayUnderTest().expect(
            "POST", "/projects/unknown/start", 404, #"{"detail":"Project not found: unknown"}"#)
    }

    @Test func `a start that fails reports the reason`() throws {
        let gateway = try GatewayUnderTest(opencode: "/nonexistent/opencode")
        try gateway.makeProject("demo")
        let answer = try gateway.request("POST", "/projects/demo/start")

        #expect(answer.status == 500)
        #expect(answer.text.hasPrefix(#"{"detail":"Failed to start service: "#), "\(answer.text)")
    }

    @Test func `a start without an announced port reports that the port is unknown`() throws {
        let fixture = try SimulatorFixture("banner-never", flags: ["--start-timeout", "300ms"])
        let answer = try fixture.start()

        #expect(answer.status == 500)
        // No unit has a journal with more details, so the sentence ends with the reason.
        #expect(
            answer.text
                == #"{"detail":"Service started but failed to get port. "#
                + #"OpenCode did not announce its port within 0.3 s."}"#)
    }

    // MARK: DELETE /projects/{n}/stop

    @Test func `a stop returns the name and the status stopped`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for _ in 0..<2 {
            try gateway.expect("DELETE", "/projects/demo/stop", 200, #"{"name":"demo","status":"stopped"}"#)
        }
    }

    // MARK: GET /projects/{n}/status

    @Test func `a status response begins with the project's members`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.prepare(instance)
        let path = "\(gateway.home.path)/demo"

        for (isRunning, port) in [(false, "null"), (true, "\(instance.port)")] {
            if isRunning { try gateway.start(instance) }
            let answer = try gateway.request("GET", "/projects/demo/status")
            // The contract's members come first and are unchanged. More members may follow.
            let contract =
                #"{"name":"demo","path":"\#(path)","has_git":false,"has_package_json":false,"#
                + #""is_running":\#(isRunning),"port":\#(port)"#
            #expect(answer.text.hasPrefix(contract + ",") || answer.text == contract + "}", "\(answer.text)")
        }
    }

    @Test func `a status request for an unknown project is answered with 404`() throws {
        try GatewayUnderTest().expect(
            "GET", "/projects/unknown/status", 404, #"{"detail":"Project not found: unknown"}"#)
    }

    // MARK: /projects/{n}/api/{path}

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func `an API request of each method returns the instance's response`(method: String) throws {
        let fixture = try ProxyFixture { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(418, headers: [("Content-Type", "text/x-own"), ("X-Own", head.method)], text: "tea")
        }
        let answer = try fixture.request(method, "/some/path?a=%2F&b=c+d")

        #expect(answer.status == 418)
        #expect(answer.values(of: "Content-Type") == ["text/x-own"])
        #expect(answer.values(of: "X-Own") == [method])
        #expect(answer.text == "tea")
        #expect(fixture.instance.requests.values.map(\.target) == ["/some/path?a=%2F&b=c+d"])
    }

    @Test func `an API request to a stopped project is answered with 503`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let answer = try gateway.request("GET", "/projects/demo/api/session")

        #expect(answer.status == 503)
        #expect(answer.text == #"{"detail":"OpenCode instance for demo is not running. Start it first."}"#)
    }

    @Test func `an API request to an instance that refuses connections is answered with 503`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.respond(200) }
        fixture.instance.server.refuse()
        let answer = try fixture.request("GET", "/session")

        #expect(answer.status == 503)
        #expect(answer.text == #"{"detail":"Cannot connect to OpenCode instance on port \#(fixture.instance.port)"}"#)
    }

    @Test func `an API request to an instance that closes the connection is answered with 502`() throws {
        let fixture = try ProxyFixture { connection, _ in connection.close() }
        let answer = try fixture.request("POST", "/session")

        #expect(answer.status == 502)
        #expect(answer.text.hasPrefix(#"{"detail":"Proxy error: "#), "\(answer.text)")
    }

    // MARK: Errors

    @Test func `each error body is a JSON object with a detail`() throws {
        let gateway = try GatewayUnderTest()

        for (method, target) in [
            ("GET", "/nothing"), ("POST", "/health"), ("GET", "/projects/unknown/status"), ("GET", "/projects/x/api/y"),
        ] {
            let answer = try gateway.request(method, target)
            #expect(answer.status >= 400)
            #expect(answer.values(of: "Content-Type") == ["application/json"])
            let body = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: String]
            #expect(body?.keys.sorted() == ["detail"], "\(answer.text)")
        }
    }

    @Test func `a request without a key is rejected with 401`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(port: gateway.port, "GET", "/projects")

        #expect(answer.status == 401)
        #expect(answer.text == #"{"detail":"Missing or invalid Authorization header"}"#)
    }

    @Test func `a request with a wrong key is rejected with 401`() throws {
        let gateway = try GatewayUnderTest()
        let answer = try TestClient.request(
            port: gateway.port, "GET", "/projects", headers: [("Authorization", "Bearer not-the-key-0123456789")])

        #expect(answer.status == 401)
        #expect(answer.text == #"{"detail":"Invalid API key"}"#)
    }

    @Test func `a request for an unknown path is answered with 404`() throws {
        try GatewayUnderTest().expect("GET", "/nothing", 404, #"{"detail":"Not Found"}"#)
    }

    @Test func `a request with a wrong method is answered with 405`() throws {
        try GatewayUnderTest().expect("POST", "/health", 405, #"{"detail":"Method Not Allowed"}"#)
    }
}
