// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests behaviour that clients rely on beyond the rows of the wire contract.
@Suite(.onTestThreads) struct UnlistedBehaviourTests {
    @Test func `/docs and /openapi.json need no key`() throws {
        let gateway = try GatewayUnderTest()
        let docs = try TestClient.request(port: gateway.port, "GET", "/docs")

        #expect(docs.status == 200)
        #expect(docs.value(of: "Content-Type")?.hasPrefix("text/html") == true)

        let description = try TestClient.request(port: gateway.port, "GET", "/openapi.json")

        #expect(description.status == 200)
        #expect(description.text.hasPrefix(#"{"openapi":"3.1"#))
    }

    @Test func `a CORS preflight needs no key`() throws {
        let gateway = try GatewayUnderTest(flags: ["--allow-origin", "https://app.example.com"])
        let answer = try TestClient.request(
            port: gateway.port, "OPTIONS", "/projects",
            headers: [
                ("Origin", "https://app.example.com"), ("Access-Control-Request-Method", "GET"),
                ("Access-Control-Request-Headers", "authorization"),
            ])

        #expect(answer.status == 204)
        #expect(answer.values(of: "Access-Control-Allow-Origin") == ["https://app.example.com"])
        #expect(answer.values(of: "Access-Control-Allow-Headers") == ["authorization"])
    }

    @Test func `VIBE_AUTH_SECRET and HOME_DIR configure the gateway`() throws {
        let home = try TemporaryDirectory()
        _ = try home.makeDirectory("of-home-dir")
        let process = try TestProcess(
            try BuiltProducts.path("viberemote-gateway"), ["serve", "--listen", "127.0.0.1:0"],
            environment: [
                "VIBE_AUTH_SECRET": GatewayUnderTest.key, "HOME_DIR": home.path, "VIBE_SUPERVISOR": "process",
            ])
        let line = try process.waitForLine(on: .output, within: .seconds(30)) { $0.contains(" listening on ") }
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        let answer = try TestClient.request(port: port, "GET", "/projects", headers: [GatewayUnderTest.authorization])

        #expect(answer.text.contains("\"name\":\"of-home-dir\""))

        process.terminate()

        #expect(try process.waitForExit(within: .seconds(20)) == .exited(0))
    }

    @Test func `the gateway listens on 0.0.0.0:4000 by default`() throws {
        let help = try TestProcess(try BuiltProducts.path("viberemote-gateway"), ["help", "serve"])

        #expect(try help.waitForExit(within: .seconds(20)) == .exited(0))
        #expect(help.lines(of: .output).contains { $0.contains("VIBE_LISTEN, default 0.0.0.0:4000") })
    }

    @Test func `an instance's unit keeps its limits and its PATH`() throws {
        let unit = try Shipped.text("units/user/opencode@.service")
        for line in [
            "Restart=on-failure", "RestartSec=5", "Environment=HOME=%h", "MemoryMax=75%", "CPUQuota=200%",
            "SyslogIdentifier=opencode-%i", "WantedBy=default.target",
        ] {
            #expect(unit.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
        let path = try #require(unit.split(separator: "\n").first { $0.hasPrefix("Environment=PATH=") })

        #expect(path.hasPrefix("Environment=PATH=%h/.local/bin:%h/.bun/bin:%h/.opencode/bin:"))
        // This is the gateway's own unit under its old name.
        #expect(try Shipped.text("units/user/viberemote-gateway.service").contains("[Install]"))
    }

    @Test func `the announced port is reported once the health check succeeds`() throws {
        let isHealthy = Monitor(false)
        let checks = Recorded<String>("a health check")
        let instance = try FakeOpenCode().intercept { connection, head in
            checks.append(head.path)
            let healthy = isHealthy.withLock { $0 }
            try connection.respond(healthy ? 200 : 503, json: #"{"healthy":\#(healthy),"version":"fake"}"#)
            return true
        }.start()
        let gateway = try GatewayUnderTest()
        try gateway.prepare(instance)
        let client = try gateway.connect()
        try client.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        try checks.wait(forCount: 3)
        let status = try gateway.request("GET", "/projects/demo/status")

        #expect(status.text.contains(#""is_running":false,"port":null"#))

        isHealthy.withLock { $0 = true }
        let answer = try ResponseReader(client).readAll()

        #expect(answer.text == #"{"name":"demo","port":\#(instance.port),"status":"started"}"#)
        #expect(checks.values.allSatisfy { $0 == "/global/health" })
    }

    @Test func `the proxy replaces Host and removes the client's key`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.respond(200) }
        _ = try fixture.request("GET", "/x", headers: [("Host", "gateway.example.com")])
        let request = try #require(fixture.instance.requests.values.last)

        #expect(request.values(of: "Host") == ["127.0.0.1:\(fixture.instance.port)"])
        #expect(request.raw.firstRange(of: Array(GatewayUnderTest.key.utf8)) == nil)
    }

    @Test func `an event stream is forwarded regardless of the Accept field`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: first\n\n")
            try connection.waitForEnd()
        }

        for (path, headers) in [
            ("/event", []), ("/global/event", []), ("/else", [("Accept", "text/event-stream")]),
            ("/else", [("Accept", "*/*")]),
        ] {
            let connection = try fixture.send("GET", path, headers: headers)
            #expect(try EventStreamReader(connection).next() == "first", "\(path)")
            connection.close()
        }
    }
}
