// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the defects of the FastAPI gateway, each by its number. This gateway has none of them.
@Suite(.onTestThreads) struct DefectTests {
    @Test func `defect 1: encoded bodies are forwarded unchanged with their header fields`() throws {
        let content: [UInt8] = [0x1f, 0x8b, 0x08, 0x00] + (0...255).map { UInt8($0) }
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(
                200, headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: content)
        }
        let answer = try fixture.request("GET", "/session", headers: [("Accept-Encoding", "gzip")])

        #expect(isSame(answer.body, content))
        #expect(answer.values(of: "Content-Encoding") == ["gzip"])
        #expect(answer.values(of: "Content-Length") == ["\(content.count)"])
    }

    @Test func `defect 2: a rejected stream is answered with the instance's status`() throws {
        let fixture = try ProxyFixture { connection, head in
            try connection.respond(head.path == "/event" ? 500 : 404, text: "no events")
        }
        for (path, status) in [("/event", 500), ("/global/event", 404)] {
            let answer = try fixture.request("GET", path, headers: [("Accept", "text/event-stream")])
            #expect(answer.status == status)
            #expect(answer.text == "no events")
        }
        fixture.instance.server.refuse()

        #expect(try fixture.request("GET", "/event", headers: [("Accept", "text/event-stream")]).status == 503)
    }

    @Test func `defect 3: several Set-Cookie fields stay separate and escapes stay encoded`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(200, headers: [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
        }
        let answer = try fixture.request("GET", "/file/a%2Fb")

        #expect(answer.values(of: "Set-Cookie") == ["a=1", "b=2"])
        #expect(fixture.instance.requests.values.last?.target == "/file/a%2Fb")
    }

    @Test func `defect 4: dot segments and hidden directories are not projects`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject(".hidden")
        for segment in ["..", "%2e%2e", ".", "%2E", ".hidden", "%2ehidden"] {
            for (method, resource) in [("POST", "start"), ("GET", "status"), ("DELETE", "stop"), ("GET", "api/x")] {
                let answer = try gateway.request(method, "/projects/\(segment)/\(resource)")
                #expect(answer.status == 404, "\(segment)/\(resource)")
                #expect(answer.text == #"{"detail":"Project not found: \#(segment)"}"#)
            }
        }

        #expect(try gateway.request("GET", "/projects").text == "[]")
    }

    @Test func `defect 5: project folders with similar names have separate instances`() throws {
        let gateway = try GatewayUnderTest()
        let names = ["my.app", "my_app", "my-app", "my app"]
        let instances = try names.map { name in
            try FakeOpenCode().start { connection, _ in try connection.respond(200, text: name) }
        }

        for (name, instance) in zip(names, instances) {
            try gateway.prepare(instance, as: name)
            let segment = name.replacing(" ", with: "%20")
            #expect(try gateway.request("POST", "/projects/\(segment)/start").status == 200)
        }

        for name in names {
            let segment = name.replacing(" ", with: "%20")
            #expect(try gateway.request("GET", "/projects/\(segment)/api/x").text == name)
        }
    }

    @Test func `defect 6: an instance that restarts by itself is reachable again`() throws {
        let fixture = try SimulatorFixture(flags: ["--restart-delay", "10ms"])
        try fixture.start()

        for round in 1...2 {
            let before = try fixture.status()
            try? fixture.misbehave("crash-after=0")
            try fixture.waitForLog("the instance is ready", times: round + 1)
            // There is no stop and start in between.
            #expect(try fixture.request("/path").status == 200)
            #expect(try fixture.status().pid != before.pid)
        }
    }

    @Test func `defect 7: the port belongs to the current run regardless of how much output follows it`() throws {
        let tools = try TemporaryDirectory()
        // Every run prints a thousand lines, and some of them resemble an announcement.
        let chatty = try tools.write(
            """
            #!/bin/sh
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            for i in $(seq 500); do echo "line $i"; echo "agent: server listening on http://127.0.0.1:1"; done
            echo all-printed
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        let instances = try ["first", "second"].map { name in
            try FakeOpenCode().start { connection, _ in try connection.respond(200, text: name) }
        }
        let gateway = try GatewayUnderTest(opencode: chatty)

        for (number, name) in ["first", "second"].enumerated() {
            try gateway.start(instances[number])
            try gateway.process.output.wait("the last line of run \(number)") { lines in
                lines.count { $0.text.contains("all-printed") } == number + 1
            }
            #expect(try gateway.request("GET", "/projects/demo/api/x").text == name)
            try gateway.expect(
                "POST", "/projects/demo/start", 200,
                #"{"name":"demo","port":\#(instances[number].port),"status":"already_running"}"#)
            #expect(try gateway.request("DELETE", "/projects/demo/stop").status == 200)
        }
    }

    @Test func `defect 8: a response may take longer than all other timeouts`() throws {
        // The whole turn passes before the first byte is sent. All limits that do not apply here are shorter.
        let fixture = try ProxyFixture(flags: [
            "--head-timeout", "2s", "--idle-timeout", "2s", "--body-timeout", "2s", "--stream-timeout", "2s",
        ]) { connection, head in
            _ = try connection.readBody(of: head)
            try connection.pause(.seconds(4))
            try connection.respond(200, text: "the whole turn")
        }
        let answer = try fixture.request("POST", "/session/ses_1/message", body: Array("{}".utf8))

        #expect(answer.status == 200)
        #expect(answer.text == "the whole turn")
    }

    @Test func `defect 9: global events arrive at once without an Accept field`() throws {
        let mayContinue = Monitor(false)
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: first\n\n")
            _ = try mayContinue.wait(for: "the first event's arrival") { $0 ? true : nil }
            try connection.writeChunk("data: second\n\n")
            try connection.waitForEnd()
        }
        let events = try fixture.events("/global/event")

        #expect(try events.next() == "first")

        mayContinue.withLock { $0 = true }

        #expect(try events.next() == "second")
    }

    @Test func `defect 10: the published key is rejected and no response allows every origin`() throws {
        let process = try TestProcess(
            try BuiltProducts.path("viberemote-gateway"), ["serve", "--listen", "127.0.0.1:0"],
            environment: ["VIBE_AUTH_SECRET": "change-me-in-production"])

        #expect(try process.waitForExit(within: .seconds(20)) == .exited(2))

        let open = try TestProcess(
            try BuiltProducts.path("viberemote-gateway"), ["serve", "--listen", "127.0.0.1:0", "--allow-origin", "*"],
            environment: ["VIBE_AUTH_SECRET": GatewayUnderTest.key])

        #expect(try open.waitForExit(within: .seconds(20)) == .exited(2))

        let fixture = try ProxyFixture(flags: ["--allow-origin", "https://app.example.com"]) { connection, _ in
            try connection.respond(200, headers: [("Access-Control-Allow-Origin", "*")])
        }
        for origin in ["https://app.example.com", "https://evil.example"] {
            let answer = try fixture.request("GET", "/session", headers: [("Origin", origin)])
            #expect(!answer.values(of: "Access-Control-Allow-Origin").contains("*"))
        }
    }

    @Test func `defect 11: a port that another project had before leads only to its new owner`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "of the new one") }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance, as: "old")

        #expect(try gateway.request("GET", "/projects/old/api/1").status == 200)
        #expect(try gateway.request("DELETE", "/projects/old/stop").status == 200)

        try gateway.start(instance, as: "new")

        #expect(try gateway.request("GET", "/projects/new/api/2").text == "of the new one")
        #expect(try gateway.request("GET", "/projects/old/api/3").status == 503)
        #expect(instance.requests.values.map(\.target) == ["/1", "/2"])
    }

    @Test func `defect 12: an instance that requires a password receives it`() throws {
        let app = try PhoneApp(try #require(OpenCodeVersion.all.last))
        let start = try app.startOpenCode()
        guard case .integer(let port)? = start.json["port"] else {
            Issue.record("start has answered \(start.text)")
            return
        }

        // The simulator has the password that the gateway generated for it, and requires it.
        #expect(try TestClient.request(port: UInt16(port), "GET", "/session").status == 401)
        #expect(try app.api("GET", "/session").status == 200)
    }

    @Test func `defect 13: listing projects starts no process`() throws {
        let tools = try TemporaryDirectory()
        // Each of these programs leaves a trace when it is called.
        for name in ["systemctl", "journalctl", "sh", "git"] {
            _ = try tools.write("#!/bin/sh\necho $0 >> \(tools.path)/calls\n", to: name, mode: 0o755)
        }
        let gateway = try GatewayUnderTest(environment: ["PATH": "\(tools.path):/usr/bin:/bin"])
        for number in 0..<300 { try gateway.makeProject("project-\(number)") }
        let client = try gateway.connect()
        let children = "/proc/\(gateway.process.pid)/task/\(gateway.process.pid)/children"
        for _ in 0..<20 {
            let answer = try client.exchange("GET", "/projects", headers: [GatewayUnderTest.authorization])
            #expect(answer.text.matches(of: /"name":/).count == 300)
            #expect(try FileTree.contents(children).isEmpty)
        }

        #expect(access("\(tools.path)/calls", F_OK) != 0)
    }

    @Test func `defect 14: no shipped file needs a container or curl`() throws {
        // Neither an image nor a compose file is shipped, because a container cannot control its host's systemd.
        let shipped = Shipped.files(in: ["deploy", "units"]) + ["README.md"]

        #expect(shipped.count > 5)

        for file in shipped {
            #expect(!file.lowercased().contains("docker"), "\(file)")
            #expect(!file.contains("compose"), "\(file)")
            guard file.hasSuffix(".service") || file.hasSuffix(".socket") else { continue }
            #expect(try !Shipped.text(file).contains("curl"), "\(file)")
        }
        // A health check needs only a connection.
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()
        try connection.write("GET /health HTTP/1.0\r\n\r\n")
        let answer = try connection.readRawAnswer()

        #expect(answer.statuses == [200])
        #expect(answer.text.hasSuffix("\r\n\r\n{\"status\":\"ok\",\"service\":\"viberemote-gateway\"}"))
    }
}
