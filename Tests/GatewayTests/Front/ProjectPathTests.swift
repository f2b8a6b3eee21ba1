// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the project that a path names, which is one raw segment, percent-decoded exactly once.
@Suite(.onTestThreads) struct ProjectPathTests {
    @Test func `names with dots, spaces and Unicode reach their own project`() throws {
        let gateway = try GatewayUnderTest()
        // Each row has the name and its spellings in a request.
        let names = [
            ("my.app", ["my.app", "my%2Eapp", "%6d%79.app"]), ("my_app", ["my_app"]), ("a b", ["a%20b"]),
            ("größe", ["gr%C3%B6%c3%9fe", "größe"]), ("日本", ["%E6%97%A5%E6%9C%AC"]), ("a+b", ["a+b", "a%2Bb"]),
            ("100%", ["100%25"]), ("%2F", ["%252F"]), ("a&b=c;d", ["a&b=c;d"]), ("quote\"d", ["quote%22d"]),
            ("UPPER", ["UPPER"]), ("upper", ["upper"]), ("a..b", ["a..b"]), ("a.", ["a."]),
            ("back\\slash", ["back%5Cslash"]),
            ("question?", ["question%3F"]), ("@", ["@"]), ("~", ["~"]),
        ]
        for (name, _) in names { try gateway.makeProject(name) }

        for (name, segments) in names {
            for segment in segments {
                let answer = try gateway.request("GET", "/projects/\(segment)/status")
                #expect(answer.status == 200, "\(segment)")
                let path = "\(gateway.home.path)/\(name)".replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                #expect(answer.text.contains("\"path\":\"\(path)\","), "\(segment)")
            }
        }
    }

    @Test func `a name that no project can have is answered with a 404 that repeats the name`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        try gateway.makeProject(".hidden")
        try gateway.makeProject("demo/inner")

        for segment in [
            ".", "..", "%2e", "%2e%2e", "%2E%2e", ".hidden", "%2ehidden", "demo%2Finner", "%2e%2e%2fdemo", "demo%2f..",
            "demo%00", "%00", "%", "%2", "%zz", "demo%", "%C0%AE%C0%AE", "%c0%af", "%ff", "%ED%A0%80", "demo%0a", "%7f",
            "%C2%80", "", String(repeating: "a", count: 256), String(repeating: "%61", count: 256),
        ] {
            for (method, resource) in [("GET", "status"), ("POST", "start"), ("DELETE", "stop"), ("GET", "api/x")] {
                let answer = try gateway.request(method, "/projects/\(segment)/\(resource)")
                #expect(answer.status == 404, "\(segment)/\(resource)")
                #expect(answer.text == #"{"detail":"Project not found: \#(segment)"}"#, "\(segment)/\(resource)")
            }
        }
    }

    @Test func `a symbolic link that leads out of the home directory is not a project`() throws {
        let gateway = try GatewayUnderTest()
        let outside = try TemporaryDirectory()
        try gateway.makeProject("real")
        try gateway.link("inside", to: "\(gateway.home.path)/real")
        try gateway.link("outside", to: outside.path)
        try gateway.link("root", to: "/")

        #expect(try gateway.request("GET", "/projects/inside/status").status == 200)

        for name in ["outside", "root"] {
            #expect(try gateway.request("GET", "/projects/\(name)/status").status == 404, "\(name)")
            #expect(try gateway.request("POST", "/projects/\(name)/start").status == 404, "\(name)")
        }
    }

    @Test func `dot segments never lead from one project to another`() throws {
        let alpha = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "alpha") }
        let beta = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "beta") }
        let gateway = try GatewayUnderTest()
        try gateway.start(alpha, as: "alpha")
        try gateway.start(beta, as: "beta")
        for target in [
            "/projects/alpha/api/../../beta/api/x", "/projects/alpha/api/%2e%2e/%2e%2e/beta/api/x",
            "/projects/alpha/api/x/../../../../projects/beta/api/x", "/projects/alpha/api//projects/beta/api/x",
        ] {
            #expect(try gateway.request("GET", target).text == "alpha", "\(target)")
        }

        #expect(beta.requests.count == 0)

        for target in [
            "/projects/alpha/../beta/api/x", "/projects/../projects/beta/api/x", "/x/../projects/beta/api/x",
        ] {
            #expect(try gateway.request("GET", target).status == 404, "\(target)")
        }

        #expect(beta.requests.count == 0)
    }
}
