// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests two instances that swap their ports. No request may reach the wrong one.
@Suite(.onTestThreads) struct SwappedPortsTests {
    /// Returns a command that runs a simulator on the port that the folder names, regardless of the port that the
    /// gateway requests. The command writes its process id to a file.
    private static func command(_ tools: TemporaryDirectory) throws -> String {
        try tools.write(
            """
            #!/bin/sh
            echo $$ >pid
            exec '\(try BuiltProducts.path("opencode-simulator"))' serve --hostname 127.0.0.1 --port "$(cat port)"
            """, to: "opencode", mode: 0o755)
    }

    /// The gateway's own 401 means that the client's key is wrong, and a client would discard its key.
    @Test func `a server that rejects the instance's password is treated as a different server`() throws {
        let fixture = try ProxyFixture(FakeOpenCode().requiringPassword()) { connection, head in
            let fields =
                switch head.path {
                case "/other": [("www-authenticate", #"Basic realm="Secure Area""#)]
                case "/bearer": [("WWW-Authenticate", #"Bearer realm="model", error="invalid_token""#)]
                default: [(String, String)]()
                }
            try connection.respond(401, headers: fields, text: "from the instance")
        }
        let answer = try fixture.request("GET", "/other")

        #expect(answer.status == 503)
        #expect(
            answer.text
                == #"{"detail":"Cannot connect to OpenCode instance on port \#(fixture.instance.port): "#
                + #"another server uses that port. Try again in a moment."}"#)
        #expect(answer.value(of: "retry-after") == "1")
        #expect(answer.values(of: "www-authenticate") == [])

        // OpenCode forwards a model provider's challenge.
        let bearer = try fixture.request("GET", "/bearer")

        #expect(bearer.status == 401)
        #expect(bearer.text == "from the instance")
        #expect(bearer.values(of: "WWW-Authenticate") == [#"Bearer realm="model", error="invalid_token""#])
        // Without a challenge, this response is like any other, so the gateway forwards it.
        #expect(try fixture.request("GET", "/own").text == "from the instance")
        #expect(try fixture.request("GET", "/own").status == 401)
    }

    @Test func `two instances that swap their ports never receive each other's requests`() throws {
        let tools = try TemporaryDirectory()
        let gateway = try GatewayUnderTest(
            flags: ["--restart-delay", "50ms", "--max-restart-delay", "100ms", "--max-quick-failures", "1000"],
            opencode: try Self.command(tools))
        let names = ["alpha", "beta"]
        let ports = try (0..<2).map { _ in try FreePort.find() }
        for (name, port) in zip(names, ports) {
            try gateway.makeProject(name)
            _ = try gateway.home.write("\(port)\n", to: "\(name)/port")
            let answer = try gateway.request("POST", "/projects/\(name)/start", within: SimulatorFixture.patience)
            #expect(answer.status == 200, "\(answer.text)")
        }

        let wrong = Recorded<String>("an answer of the wrong instance")
        let right = Recorded<String>("an answer of the right instance")
        let isOver = Latch("the end of the requests")
        let clients = try names.map { name in
            try TestThread {
                while !isOver.isOpen {
                    guard let answer = try? gateway.request("GET", "/projects/\(name)/api/path") else { continue }
                    switch answer.status {
                    case 200 where answer.text.contains("/\(name)\""): right.append(name)
                    // The instance is restarting, or its connection ended early.
                    case 502, 503: break
                    case 200 where answer.ending != .complete: break
                    default: wrong.append("\(name): \(answer.status) \(answer.text)")
                    }
                }
            }
        }
        for round in 1...3 {
            let swapped = round % 2 == 1 ? Array(ports.reversed()) : ports
            for (name, port) in zip(names, swapped) { _ = try gateway.home.write("\(port)\n", to: "\(name)/port") }
            // Both end at the same time, and each restarts on the other's port.
            for name in names {
                kill(try #require(Int32(gateway.readFile("\(name)/pid").dropLast())), SIGKILL)
            }
            for (name, port) in zip(names, swapped) {
                try gateway.process.output.wait("\(name) on \(port)", within: SimulatorFixture.patience) { lines in
                    let ready = lines.filter {
                        $0.text.contains("the instance is ready") && $0.text.contains("\"project\":\"\(name)\"")
                    }
                    return ready.count > round && ready.last?.text.contains("\"port\":\(port)") == true
                }
            }
        }
        isOver.open()
        for client in clients { client.join() }

        #expect(wrong.values == [])
        #expect(Set(right.values) == Set(names))
    }
}
