// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests two projects at the same time: a request for one project never reaches the other.
@Suite(.onTestThreads) struct ProjectSeparationTests {
    private static func instance(_ name: String) throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            let request = try connection.readBody(of: head)
            try connection.respond(200, headers: [("X-Instance", name)], text: "\(name) \(head.target) \(request.text)")
        }
    }

    @Test func `concurrent requests of two projects never reach the wrong instance`() throws {
        let instances = try ["alpha", "beta"].map { (name: $0, instance: try Self.instance($0)) }
        let gateway = try GatewayUnderTest()
        for (name, instance) in instances { try gateway.start(instance, as: name) }
        let wrong = Recorded<String>("an answer of the wrong instance")
        let threads = try (0..<8).map { number in
            try TestThread {
                let name = instances[number % 2].name
                do {
                    let client = try gateway.connect()
                    for round in 0..<40 {
                        // Both projects use each client connection alternately.
                        let project = round % 2 == 0 ? name : instances[(number + 1) % 2].name
                        let body = "\(number)-\(round)"
                        let answer = try client.exchange(
                            round % 3 == 0 ? "POST" : "PUT", "/projects/\(project)/api/\(body)",
                            headers: [GatewayUnderTest.authorization], body: Array(body.utf8))
                        if answer.text != "\(project) /\(body) \(body)" { wrong.append(answer.text) }
                    }
                } catch {
                    wrong.append("\(error)")
                }
            }
        }
        for thread in threads { thread.join() }

        #expect(wrong.values == [])
    }

    @Test func `a path cannot lead into another project`() throws {
        let alpha = try Self.instance("alpha")
        let beta = try Self.instance("beta")
        let gateway = try GatewayUnderTest()
        try gateway.start(alpha, as: "alpha")
        try gateway.start(beta, as: "beta")
        for path in ["/../../beta/api/x", "/%2e%2e/%2e%2e/beta/api/x", "/..%2f..%2fbeta/api/x", "//beta/api/x"] {
            let answer = try gateway.request("GET", "/projects/alpha/api\(path)")
            #expect(answer.text == "alpha \(path) ")
        }

        #expect(beta.requests.count == 0)
    }

    @Test func `a stop of one instance does not affect another instance`() throws {
        let alpha = try Self.instance("alpha")
        let beta = try Self.instance("beta")
        let gateway = try GatewayUnderTest()
        try gateway.start(alpha, as: "alpha")
        try gateway.start(beta, as: "beta")
        let answer = try gateway.request("DELETE", "/projects/alpha/stop")

        #expect(answer.status == 200)

        let refused = try gateway.request("GET", "/projects/alpha/api/x")

        #expect(refused.status == 503)
        #expect(refused.text == #"{"detail":"OpenCode instance for alpha is not running. Start it first."}"#)
        #expect(alpha.requests.count == 0)
        #expect(try gateway.request("GET", "/projects/beta/api/x").text == "beta /x ")
    }

    /// Returns a command that writes its process id to a file `pid`.
    private static func mortal(_ tools: TemporaryDirectory) throws -> String {
        try tools.write(
            """
            #!/bin/sh
            echo $$ > pid
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
    }

    @Test func `a dead instance receives no requests, even if another project reuses its port`() throws {
        let instance = try Self.instance("next")
        let tools = try TemporaryDirectory()
        let gateway = try GatewayUnderTest(
            flags: ["--restart-delay", "1h", "--max-restart-delay", "1h"],
            // The instance receives only the clients' requests.
            environment: ["VIBE_THREADS": "1", "VIBE_EVENT_HUB": "off"], opencode: try Self.mortal(tools))
        try gateway.start(instance, as: "first")

        #expect(try gateway.request("GET", "/projects/first/api/1").status == 200)

        let text = try String(contentsOfFile: gateway.home.path + "/first/pid", encoding: .utf8)
        let pid = try #require(Int32(text.dropLast()))
        kill(pid, SIGKILL)
        // The log shows when the gateway has noticed the end. From then on, it sends no request to this port, although
        // a server still responds on the port.
        try gateway.process.waitForLine(on: .error) { $0.contains("first") && $0.contains("SIGKILL") }
        let refused = try gateway.request("GET", "/projects/first/api/2")

        #expect(refused.status == 503)
        #expect(
            refused.text
                == #"{"detail":"OpenCode instance for first exited, and the gateway restarts it (restarting). "#
                + #"Try again in a moment."}"#)

        // The same port belongs to another project now.
        try gateway.start(instance, as: "second")

        #expect(try gateway.request("GET", "/projects/second/api/3").status == 200)
        #expect(try gateway.request("GET", "/projects/first/api/4").status == 503)
        #expect(instance.requests.values.map(\.target) == ["/1", "/3"])

        let credentials = instance.requests.values.map { $0.value(of: "Authorization") }

        #expect(credentials[0] != credentials[1])
    }
}
