// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the calls that a bridged request makes to an OpenCode 2 scripted byte for byte, and their results.
@Suite("The bridge's calls to an instance", .onTestThreads)
struct BridgeRunnerTests {
    private static let json = [("Content-Type", "application/json")]
    private static let prompt = Array(BridgeFixture.prompt("Hello").utf8)

    /// Starts an instance that has the session `ses_1` with this model. `handler` serves all other requests.
    private static func fixture(
        flags: [String] = [], model: String? = nil,
        _ handler: @escaping @Sendable (TestConnection, ReceivedRequestHead, String) throws -> Void
    ) throws -> ProxyFixture {
        let folder = Recorded<String>("the project's folder")
        let fixture = try ProxyFixture(
            FakeOpenCode(.two()), flags: flags, environment: ["VIBE_THREADS": "2"]
        ) { connection, head in
            let body = String(decoding: try connection.readBody(of: head).body, as: UTF8.self)
            switch (head.method, head.path) {
            case ("GET", "/api/model/default"):
                try connection.respond(200, headers: Self.json, text: #"{"data":null}"#)
            case ("GET", let path) where path.hasPrefix("/api/session/ses_") && !path.dropFirst(13).contains("/"):
                let directory = try folder.wait(forCount: 1)[0]
                let id = String(path.dropFirst("/api/session/".count))
                try connection.respond(200, headers: Self.json, text: openCode2Session(id, in: directory, model: model))
            case ("GET", "/api/session/active"): try connection.respond(200, headers: Self.json, text: #"{"data":{}}"#)
            default: try handler(connection, head, body)
            }
        }
        folder.append("\(fixture.gateway.home.path)/demo")
        return fixture
    }

    @Test func `the settings and prompts of concurrent requests to one session are not interleaved`() throws {
        let calls = Recorded<String>("a change of the session")
        let fixture = try Self.fixture { connection, head, body in
            calls.append("\(head.path.split(separator: "/").last ?? "") \(body)")
            let answer = head.path.hasSuffix("/prompt") ? #"{"data":{"id":"msg_1"}}"# : ""
            try connection.respond(answer.isEmpty ? 204 : 200, headers: Self.json, text: answer)
        }
        let clients = try (0..<12).map { number in
            let body = BridgeFixture.prompt(
                "\(number)", model: "model-\(number)", more: #""agent":"agent-\#(number)","#)
            return try fixture.send("POST", "/session/ses_1/prompt_async", headers: Self.json, body: Array(body.utf8))
        }
        for client in clients { #expect(try ResponseReader(client, method: "POST").readAll().status == 204) }
        let all = calls.values

        #expect(all.count == 36)

        for start in stride(from: 0, to: all.count, by: 3) {
            let number = all[start].split(separator: "agent-").last?.prefix { $0.isNumber } ?? ""
            #expect(all[start].hasPrefix("agent "), "\(all)")
            #expect(all[start + 1].hasPrefix("model "), "\(all)")
            #expect(all[start + 1].contains("model-\(number)\""))
            #expect(all[start + 2].contains(#""text":"\#(number)""#))
        }
    }

    @Test func `a setting that fails is the prompt's error, and the prompt is not sent`() throws {
        let fixture = try Self.fixture { connection, head, _ in
            try connection.respond(
                head.path.hasSuffix("/model") ? 400 : 204, headers: Self.json,
                text: head.path.hasSuffix("/model") ? #"{"_tag":"InvalidRequestError","message":"no"}"# : "")
        }
        let answer = try fixture.request("POST", "/session/ses_1/message", body: Self.prompt)

        #expect(answer.status == 400)
        #expect(answer.json["data"]?["message"] == "no")
        #expect(fixture.deliveries(of: "/api/session/ses_1/prompt") == 0)
        // The session's lock is free again.
        #expect(try fixture.request("POST", "/session/ses_1/message", body: Self.prompt).status == 400)
    }

    @Test func `a client that disconnects ends its own requests, and the turn continues`() throws {
        let waiting = Recorded<String>("a call that waits")
        let released = Recorded<String>("a call that the gateway has released")
        let fixture = try Self.fixture { connection, head, _ in
            guard head.path.hasSuffix("/wait") || head.path.hasSuffix("/agent") else {
                return try connection.respond(200, headers: Self.json, text: #"{"data":{"id":"msg_1"}}"#)
            }
            waiting.append(head.path)
            try connection.waitForEnd(within: .seconds(30))
            released.append(head.path)
            connection.close()
        }
        let clients = [
            try fixture.send("POST", "/session/ses_1/message", body: Self.prompt), try fixture.send("GET", "/agent"),
        ]
        try waiting.wait(forCount: 2)
        for client in clients { client.close() }
        try released.wait(forCount: 2)

        #expect(!fixture.carried.values.contains { $0.target.hasSuffix("/interrupt") })
        // The request that had begun was sent.
        #expect(fixture.deliveries(of: "/api/session/ses_1/prompt") == 1)
    }

    @Test func `a prompt_async request is completed after its client has disconnected`() throws {
        let held = Latch("the client has gone")
        let prompted = Recorded<String>("a prompt")
        let fixture = try Self.fixture { connection, head, body in
            if head.path.hasSuffix("/model") { try held.wait() }
            if head.path.hasSuffix("/prompt") { prompted.append(body) }
            try connection.respond(200, headers: Self.json, text: #"{"data":{"id":"msg_1"}}"#)
        }

        let client = try fixture.send("POST", "/session/ses_1/prompt_async", body: Self.prompt)
        try fixture.carried.wait("the model") { $0.contains { $0.target.hasSuffix("/model") } }

        client.close()
        try fixture.gateway.waitForLog("/prompt_async")
        held.open()

        try prompted.wait(forCount: 1)
    }

    @Test func `a summary restores the session's model after its client has disconnected`() throws {
        let ended = Latch("the summary is there")
        let models = Recorded<String>("a model that is set")
        let fixture = try Self.fixture(model: "own") { connection, head, body in
            if head.path.hasSuffix("/wait") { try ended.wait() }
            if head.path.hasSuffix("/model") { models.append(body) }
            try connection.respond(200, headers: Self.json, text: #"{"data":{"id":"msg_1"}}"#)
        }
        let summary = Array(#"{"providerID":"p","modelID":"summing"}"#.utf8)
        let client = try fixture.send("POST", "/session/ses_1/summarize", body: summary)
        try fixture.carried.wait("the wait") { $0.contains { $0.target.hasSuffix("/wait") } }
        client.close()
        try fixture.gateway.waitForLog("/summarize")
        ended.open()
        try models.wait(forCount: 2)

        #expect(models.values[0].contains("summing"))
        #expect(models.values[1].contains("own"))
    }

    @Test func `a waiting client receives 503 with the reason when the instance is stopped`() throws {
        let fixture = try Self.fixture { connection, head, _ in
            guard head.path.hasSuffix("/wait") else {
                return try connection.respond(200, headers: Self.json, text: #"{"data":{"id":"msg_1"}}"#)
            }
            try connection.waitForEnd(within: .seconds(30))
            connection.close()
        }
        let client = try fixture.send("POST", "/session/ses_1/message", body: Self.prompt)
        try fixture.carried.wait("the wait") { $0.contains { $0.target.hasSuffix("/wait") } }

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer.json["name"] == "UnknownError", "\(answer.text)")
        #expect(answer.json["data"]?["message"] == answer.json["detail"])
        #expect(answer.json["detail"]?.text?.contains("was stopped through the gateway") == true)
    }

    @Test func `a prompt is not repeated after the instance has closed the connection`() throws {
        let fixture = try Self.fixture { connection, head, _ in
            guard head.path.hasSuffix("/prompt") else {
                return try connection.respond(204, headers: Self.json, text: "")
            }
            connection.close()
        }
        let answer = try fixture.request("POST", "/session/ses_1/message", body: Self.prompt)

        #expect(answer.status == 502, "\(answer.text)")
        #expect(answer.json["name"] == "UnknownError", "\(answer.text)")
        #expect(answer.json["data"]?["message"]?.text?.contains("may have received the request") == true)
        #expect(fixture.deliveries(of: "/api/session/ses_1/prompt") == 1)
    }

    enum Loss: CaseIterable { case cut, refused }

    /// The instance responds to the prompt, but not to a call after it.
    @Test(arguments: Loss.allCases)
    func `a prompt to an instance that then ends is reported as possibly accepted`(loss: Loss) throws {
        // The closure must not capture the server itself, because the server keeps its connection handler, which would
        // retain the server.
        let refuse = Recorded<@Sendable () -> Void>("a way to have the instance refuse")
        let fixture = try Self.fixture { connection, head, _ in
            switch (head.path, loss) {
            case (let path, .refused) where path.hasSuffix("/prompt"):
                // The response ends with the connection, which closes after the listener.
                try connection.writeHead(200, headers: Self.json + [("Connection", "close")])
                try connection.write(#"{"data":{"id":"msg_1"}}"#)
                try refuse.wait(forCount: 1)[0]()
            case (let path, .cut) where path.hasSuffix("/ses_1/message"): connection.close()
            default: try connection.respond(200, headers: Self.json, text: #"{"data":{"id":"msg_1"}}"#)
            }
        }
        refuse.append { [weak server = fixture.instance.server] in server?.refuse() }
        let answer = try fixture.request("POST", "/session/ses_1/message", body: Self.prompt)

        #expect(answer.status == 502, "\(answer.text)")
        #expect(answer.value(of: "Retry-After") == nil, "\(answer.text)")
        #expect(answer.json["detail"]?.text?.contains("may have received the request") == true, "\(answer.text)")
        #expect(fixture.deliveries(of: "/api/session/ses_1/prompt") == 1)
    }

    /// No request to the instance is in progress at that moment, so no connection reports the end.
    @Test func `an instance that ends after a command is reported as possibly having accepted it`() throws {
        let running = #"{"data":[{"id":"msg_1","type":"shell","command":"ls","status":"running"}]}"#
        let fixture = try Self.fixture(flags: ["--restart-delay", "30s"]) { connection, head, _ in
            try connection.respond(200, headers: Self.json, text: head.method == "GET" ? running : "{}")
        }
        let command = Array(#"{"agent":"build","command":"ls"}"#.utf8)
        let client = try fixture.send("POST", "/session/ses_1/shell", headers: Self.json, body: command)
        try fixture.carried.wait("the message") { $0.contains { $0.target.contains("/message?") } }
        let status = try fixture.gateway.request("GET", "/projects/demo/status")
        guard case .integer(let pid)? = status.json["pid"] else { throw TestFailure(status.text) }
        kill(Int32(pid), SIGKILL)
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 502, "\(answer.text)")
        #expect(answer.value(of: "Retry-After") == nil, "\(answer.text)")
        #expect(answer.json["detail"]?.text?.contains("may have received the request") == true, "\(answer.text)")
    }

    @Test func `each waiting client receives 503 with advice when the gateway shuts down`() throws {
        // With one loop, the beginning of the second request has arrived before the query for the third request is
        // sent.
        let fixture = try Self.fixture(flags: ["--drain-timeout", "1s", "--threads", "1"]) { connection, head, _ in
            guard head.path.hasSuffix("/wait") || head.path.hasSuffix("/agent") else {
                return try connection.respond(200, headers: Self.json, text: #"{"data":{"id":"msg_1"}}"#)
            }
            try connection.waitForEnd(within: .seconds(30))
            connection.close()
        }
        let client = try fixture.send("POST", "/session/ses_1/message", body: Self.prompt)
        // This is the beginning of a request that the instance has not received at all.
        let begun = try fixture.send(
            "POST", "/session/ses_2/message", headers: [("Content-Length", "1000000")],
            body: [UInt8](repeating: 0x20, count: 200_000))
        let request = try fixture.send("GET", "/agent")
        for path in ["/wait", "/agent"] {
            try fixture.carried.wait(path) { $0.contains { $0.target.split(separator: "?")[0].hasSuffix(path) } }
        }
        fixture.gateway.process.terminate()
        let answer = try ResponseReader(client, method: "POST").readAll(within: .seconds(10))

        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer.json["name"] == "UnknownError", "\(answer.text)")
        #expect(
            answer.json["detail"]?.text?.hasSuffix("Check the session before you send the request again.") == true)
        #expect(answer.value(of: "Retry-After") == nil)

        for other in [begun, request] {
            let answer = try ResponseReader(other).readAll(within: .seconds(10))
            #expect(answer.status == 503, "\(answer.text)")
            #expect(answer.json["detail"] == "The gateway is shutting down. Try again in a moment.")
        }
    }

    @Test func `a request that exceeds --answer-timeout is answered with 504`() throws {
        let fixture = try Self.fixture(flags: ["--answer-timeout", "1s"]) { connection, _, _ in
            try connection.waitForEnd(within: .seconds(30))
            connection.close()
        }
        let answer = try fixture.request("GET", "/agent")

        #expect(answer.status == 504)
        #expect(answer.json["data"]?["message"]?.text?.contains("--answer-timeout") == true)
    }
}
