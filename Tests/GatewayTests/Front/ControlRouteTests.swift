// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests start, stop, status and the list in sequence. ``WireContractTests`` tests each route alone.
@Suite(.onTestThreads) struct ControlRouteTests {
    private static func silent() throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, _ in try connection.respond(200) }
    }

    @Test func `start, stop, status and the list respond as the contract requires`() throws {
        let instance = try Self.silent()
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let path = "\(gateway.home.path)/demo"
        let stopped =
            #"{"name":"demo","path":"\#(path)","has_git":false,"has_package_json":false,"is_running":false,"port":null}"#
        let running =
            #"{"name":"demo","path":"\#(path)","has_git":false,"has_package_json":false,"is_running":true,"port":\#(instance.port)}"#

        try gateway.expectStatus(stopped, "stopped")

        _ = try gateway.home.write("\(instance.port)\n", to: "demo/upstream-port")
        try gateway.expect(
            "POST", "/projects/demo/start", 200, #"{"name":"demo","port":\#(instance.port),"status":"started"}"#)
        try gateway.expect(
            "POST", "/projects/demo/start", 200, #"{"name":"demo","port":\#(instance.port),"status":"already_running"}"#
        )
        try gateway.expectStatus(running, "ready")
        try gateway.expect("GET", "/projects", 200, "[\(running)]")

        try gateway.expect("DELETE", "/projects/demo/stop", 200, #"{"name":"demo","status":"stopped"}"#)
        try gateway.expectStatus(stopped, "stopped")
        try gateway.expect("DELETE", "/projects/demo/stop", 200, #"{"name":"demo","status":"stopped"}"#)
    }

    @Test func `requests to a project that is not running are answered with 503`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        for (method, target) in [("GET", "/x"), ("POST", ""), ("GET", "/event"), ("OPTIONS", "/?a")] {
            try gateway.expect(
                method, "/projects/demo/api\(target)", 503,
                #"{"detail":"OpenCode instance for demo is not running. Start it first."}"#)
        }
    }

    @Test func `a start request with a body starts the instance`() throws {
        let instance = try Self.silent()
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        _ = try gateway.home.write("\(instance.port)\n", to: "demo/upstream-port")

        for (size, status) in [(2, "started"), (200_000, "already_running")] {
            let answer = try gateway.request("POST", "/projects/demo/start", body: Bytes.pattern(size))
            #expect(answer.text == #"{"name":"demo","port":\#(instance.port),"status":"\#(status)"}"#)
        }
    }

    @Test func `each response of the control routes is JSON`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        for (method, target) in [
            ("GET", "/projects"), ("GET", "/projects/demo/status"), ("DELETE", "/projects/demo/stop"),
            ("GET", "/projects/no/status"), ("GET", "/projects/demo/api/x"), ("GET", "/no"),
        ] {
            let answer = try gateway.request(method, target)
            #expect(answer.values(of: "Content-Type") == ["application/json"], "\(target)")
            #expect(answer.values(of: "Content-Length") == ["\(answer.body.count)"])
            #expect(answer.values(of: "Date").count == 1)
        }
    }
}

extension GatewayUnderTest {
    /// Expects that the status of `demo` has the list's fields, followed by further fields.
    fileprivate func expectStatus(
        _ fields: String, _ state: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try request("GET", "/projects/demo/status")
        #expect(answer.status == 200, sourceLocation: sourceLocation)
        let beginning = fields.dropLast() + #","state":"\#(state)","since":""#
        #expect(answer.text.hasPrefix(beginning), "\(answer.text)", sourceLocation: sourceLocation)
    }
}
