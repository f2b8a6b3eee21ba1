// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the assumptions of the phone app about this gateway, line by line.
@Suite(.onTestThreads) struct IOSClientTests {
    /// Returns the setting's default from the program's help.
    private static func defaultText(of name: String) throws -> String {
        let help = try TestProcess(try BuiltProducts.path("viberemote-gateway"), ["help", "serve"])
        #expect(try help.waitForExit(within: .seconds(20)) == .exited(0))
        let line = try #require(help.lines(of: .output).first { $0.contains("(\(name), default ") })
        return String(line[try #require(line.range(of: "default ")).upperBound...].dropLast())
    }

    @Test func `a start request receives its response before the app's timeout of 30 s`() throws {
        #expect(try Self.defaultText(of: "VIBE_START_ANSWER_TIMEOUT") == "25s")

        // The limit is tested with a shorter value. The response refers the app to the status, and the start continues.
        let fixture = try SimulatorFixture("banner-late=1500", flags: ["--start-answer-timeout", "300ms"])
        let answer = try fixture.start()

        #expect(answer.status == 504)
        #expect(
            answer.text
                == #"{"detail":"OpenCode instance for demo is still starting (booting). The start continues: "#
                + #"request the project's status until it is ready."}"#)

        try fixture.waitForLog("the instance is ready")

        #expect(try fixture.start().status == 200)
    }

    @Test func `a project's name is one percent-encoded segment with dots and non-ASCII letters`() throws {
        let instance = try FakeOpenCode().start()
        let gateway = try GatewayUnderTest()

        for (name, segment) in [("my.app", "my.app"), ("größe 2", "gr%C3%B6%C3%9Fe%202"), ("日本", "%E6%97%A5%E6%9C%AC")]
        {
            try gateway.prepare(instance, as: name)
            let start = try gateway.request("POST", "/projects/\(segment)/start")
            #expect(start.text == #"{"name":"\#(name)","port":\#(instance.port),"status":"started"}"#)
            #expect(try gateway.request("GET", "/projects/\(segment)/api/session").text == "/session")
            #expect(try gateway.request("DELETE", "/projects/\(segment)/stop").status == 200)
        }
    }

    @Test func `a Content-Type on a request without a body is accepted`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.respond(200, text: "fine") }
        let headers = [("Content-Type", "application/json")]
        for target in ["/projects", "/projects/demo/status", "/health"] {
            #expect(try fixture.gateway.request("GET", target, headers: headers).status == 200)
        }

        #expect(try fixture.gateway.request("POST", "/projects/demo/start", headers: headers).status == 200)
        #expect(try fixture.request("GET", "/session", headers: headers).text == "fine")
        #expect(fixture.instance.requests.values.last?.values(of: "Content-Type") == ["application/json"])
        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop", headers: headers).status == 200)
    }

    @Test func `each start and stop succeeds with 200, also when repeated`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.prepare(instance)

        for (method, resource) in [
            ("POST", "start"), ("POST", "start"), ("DELETE", "stop"), ("DELETE", "stop"), ("POST", "start"),
        ] {
            #expect(try gateway.request(method, "/projects/demo/\(resource)").status == 200)
        }
    }

    @Test(arguments: OpenCodeVersion.all) func `the app's connection sequence succeeds`(version: OpenCodeVersion) throws
    {
        let app = try PhoneApp(version)

        #expect(try app.startOpenCode().status == 200)

        // The app asks up to three times. The first request is sufficient, because the start waits for the health
        // check.
        let health = try app.api("GET", "/global/health")

        #expect(health.status == 200)
        #expect(health.json["healthy"] == .bool(true))
        #expect(try app.api("GET", "/session").status == 200)

        let session = try app.createSession()
        for path in ["/session/\(session)/message", "/config/providers", "/command"] {
            #expect(try app.api("GET", path).status == 200, "\(path)")
        }
        try app.openEvents().next("server.connected")
    }

    @Test func `each data line of a stream is JSON after one space`() throws {
        let app = try PhoneApp(try #require(OpenCodeVersion.all.last))
        let (session, events) = try app.becomeReady()

        #expect(try app.send("Hello", to: session) == 204)

        try events.next("session.idle")
        let lines = String(decoding: events.stream.raw, as: UTF8.self).split(separator: "\n")
        // The app ignores every line without this prefix, which includes the standard's other fields and comments.
        let data = lines.filter { $0.hasPrefix("data: ") }

        #expect(data.count >= 5)

        for line in data {
            #expect(line.hasPrefix("data: {"), "\(line)")
            #expect((try? JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8))) != nil)
        }
        for line in lines where !line.hasPrefix("data: ") {
            #expect(["id: ", "retry: ", ":"].contains { line.hasPrefix($0) }, "\(line)")
        }
    }

    @Test func `a stream that the instance resets has no clean end, so that the app reconnects`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: {}\n\n")
            connection.reset()
        }
        let answer = try ResponseReader(fixture.send("GET", "/event")).readAll()

        #expect(answer.text == "data: {}\n\n")
        #expect(answer.ending == .truncated || answer.ending == .reset)
    }

    @Test func `the app's restart sequence succeeds`() throws {
        let app = try PhoneApp(try #require(OpenCodeVersion.all.last))
        let (_, events) = try app.becomeReady()

        #expect(try app.gateway.request("DELETE", "/projects/demo/stop", within: .seconds(20)).status == 200)
        // The app waits for one second here and for two seconds after the start. The gateway does not depend on either
        // wait.
        #expect(try app.startOpenCode().status == 200)

        events.connection.close()
        let (_, again) = try app.becomeReady()
        again.connection.close()
    }

    @Test(arguments: [
        ("VIBE_ANSWER_TIMEOUT", ["15min"]), ("VIBE_STREAM_TIMEOUT", ["24h"]),
    ])
    func `no default timeout of the gateway is shorter than the app's own`(name: String, values: [String]) throws {
        // The app's limits are 120 s for a request and 24 h for a stream.
        #expect(values.contains(try Self.defaultText(of: name)))
    }
}
