// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a response reveals nothing about other folders. Every name without a project gets the same 404 on every
/// route.
@Suite(.onTestThreads) struct UnknownProjectTests {
    private static let routes = [
        ("GET", "status"), ("HEAD", "status"), ("POST", "start"), ("DELETE", "stop"), ("GET", "api"), ("GET", "api/x"),
        ("POST", "api/session"), ("OPTIONS", "api/x"), ("GET", "api/event"), ("GET", "api/x?directory=/etc"),
    ]

    @Test func `each name without a project is answered with the same 404 on each route`() throws {
        let gateway = try GatewayUnderTest()
        let outside = try TemporaryDirectory()
        try gateway.makeProject(".hidden")
        try gateway.makeProject("real/inner")
        _ = try gateway.home.write("text", to: "file")
        try gateway.makePipe("pipe")
        try gateway.link("outside", to: outside.path)
        try gateway.link("root", to: "/")
        try gateway.link("up", to: "..")
        try gateway.link("self", to: ".")
        try gateway.link("broken", to: "nowhere")
        try gateway.link("to-file", to: "file")

        for segment in [
            "nothing", ".hidden", "%2ehidden", "file", "pipe", "outside", "root", "up", "self", "broken", "to-file",
            "real%2Finner", "REAL", "re%61", "", ".", "..", "%2e%2e", "%00", "%ff",
        ] {
            for (method, route) in Self.routes {
                let answer = try gateway.request(method, "/projects/\(segment)/\(route)")
                #expect(answer.status == 404, "\(method) \(segment)/\(route)")
                // A segment that can be a name is returned decoded, and any other segment is returned unchanged.
                let shown = segment == "re%61" ? "rea" : segment
                let body = method == "HEAD" ? "" : #"{"detail":"Project not found: \#(shown)"}"#
                #expect(answer.text == body, "\(method) \(segment)/\(route)")
                #expect(
                    answer.fields.map(\.name).sorted() == ["Content-Length", "Content-Type", "Date", "X-Request-Id"],
                    "\(method) \(segment)/\(route)")
            }
        }
    }

    @Test func `requests for stopped projects are answered with 503, and for unknown projects with 404`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")

        try gateway.expect(
            "GET", "/projects/demo/api/x", 503,
            #"{"detail":"OpenCode instance for demo is not running. Start it first."}"#)

        // This also applies to a project that was created a moment ago.
        for number in 0..<20 {
            try gateway.makeProject("new\(number)")
            #expect(try gateway.request("GET", "/projects/new\(number)/api/x").status == 503)
        }

        try gateway.expect("GET", "/projects/other/api/x", 404, #"{"detail":"Project not found: other"}"#)
    }

    @Test func `a link that leads out of the home directory is a project with --follow-links on`() throws {
        let outside = try TemporaryDirectory()
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "linked") }
        _ = try outside.write("\(instance.port)\n", to: "upstream-port")
        let gateway = try GatewayUnderTest(flags: ["--follow-links", "on"])
        try gateway.link("outside", to: outside.path)
        try gateway.link("root", to: "/")

        #expect(try gateway.request("POST", "/projects/outside/start").status == 200)
        #expect(try gateway.request("GET", "/projects/outside/api/x?directory=\(outside.path)").text == "linked")
        #expect(try gateway.request("GET", "/projects/root/status").status == 404)
    }
}
