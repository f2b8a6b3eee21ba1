// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the content of requests and responses that depends on the scope of the key.
@Suite(.onTestThreads) struct KeyContentTests {
    private static let secret = "sk-secret-0123456789"
    private static let providers =
        #"{"providers":[{"id":"acme","name":"Acme","source":"env","env":["ACME_KEY"],"key":"\#(secret)","options":{"apiKey":"\#(secret)"},"models":{}}],"default":{}}"#

    /// A gateway whose instance responds with the same body to each request.
    private struct Fixture {
        let requests = Recorded<ReceivedRequest>()
        let instance: FakeOpenCode.Server
        let gateway: GatewayUnderTest

        init(
            _ body: String, headers: [(String, String)] = [("Content-Type", "application/json"), ("ETag", "\"1\"")]
        ) throws {
            let requests = requests
            instance = try FakeOpenCode().start { connection, head in
                requests.append(try connection.readBody(of: head))
                try connection.respond(200, headers: headers, text: body)
            }
            gateway = try GatewayUnderTest()
            try gateway.start(instance)
        }
    }

    private static let target = "/projects/demo/api/config/providers"

    @Test func `only keys with the scope run receive the secrets of providers`() throws {
        let fixture = try Fixture(Self.providers)

        #expect(try fixture.gateway.request("GET", Self.target).text == Self.providers)

        for scope in ["read", "answer", "write", "run", "admin"] {
            let key = try fixture.gateway.createKey(scope, #""allow":"\#(scope)""#)
            let response = try fixture.gateway.request("GET", Self.target, key: key)
            let isExamined = !["run", "admin"].contains(scope)
            #expect(response.status == 200)
            #expect(response.text.contains(Self.secret) == !isExamined, "\(scope): \(response.text)")
            #expect(response.json["providers"]?.elements?.first?["name"]?.text == "Acme")
            // The fields that describe the original body are removed with it.
            #expect((response.value(of: "etag") == nil) == isExamined)
        }
    }

    @Test func `the instance is asked for an uncompressed and complete body`() throws {
        let fixture = try Fixture(Self.providers)
        let key = try fixture.gateway.createKey()
        let response = try TestClient.request(
            port: fixture.gateway.port, "GET", Self.target,
            headers: [
                key.authorization, ("Accept-Encoding", "gzip"), ("If-None-Match", "\"1\""), ("Range", "bytes=0-9"),
            ])
        let received = try #require(fixture.requests.values.last)

        #expect(response.status == 200)
        for name in ["accept-encoding", "if-none-match", "range"] { #expect(received.value(of: name) == nil) }
    }

    @Test(arguments: [
        (#"{"providers":["#, [("Content-Type", "application/json")]),
        (#"{"providers":[],"providers":[]}"#, [("Content-Type", "application/json")]),
        (#"{"providers":[]}"#, [("Content-Type", "application/json"), ("Content-Encoding", "gzip")]),
        ("data: {}\n\n", [("Content-Type", "text/event-stream")]),
    ])
    func `a response that cannot be examined is refused`(body: String, headers: [(String, String)]) throws {
        let fixture = try Fixture(body, headers: headers)
        let key = try fixture.gateway.createKey()
        let response = try fixture.gateway.request("GET", Self.target, key: key)

        #expect(response.status == 403)
        #expect(response.json["detail"]?.text?.hasPrefix("The response may contain secrets") == true)
    }

    @Test func `HEAD and the loss of the instance are answered as for other requests`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            if head.path == "/config" { return connection.close() }
            if head.method == "HEAD" {
                return try connection.writeHead(200, headers: [("Content-Type", "application/json")])
            }
            try connection.respond(200, headers: [("Content-Type", "application/json")], text: Self.providers)
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let key = try gateway.createKey()

        #expect(try gateway.request("HEAD", Self.target, key: key).status == 200)

        let lost = try gateway.request("GET", "/projects/demo/api/config", key: key)

        #expect(lost.status == 502)
        #expect(lost.json["detail"]?.text?.hasPrefix("Proxy error: OpenCode ended the connection") == true)
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `a simulated OpenCode's configuration is readable without secrets`(version: String) throws {
        let fixture = try SimulatorFixture(environment: ["SIMULATOR_PROFILE": version])
        let key = try fixture.gateway.createKey()
        _ = try fixture.gateway.request("POST", "/projects/demo/start", within: SimulatorFixture.patience)
        for path in ["/config", "/config/providers", "/provider", "/agent"] {
            let target = "/projects/demo/api\(path)"
            let whole = try fixture.gateway.request("GET", target)
            let examined = try fixture.gateway.request("GET", target, key: key)
            #expect(whole.status == 200)
            #expect(examined.status == 200, "\(path) \(examined.text)")
        }
    }

    // MARK: Replies

    private static let reply = "/projects/demo/api/permission/per_1/reply"

    @Test func `a key with the scope answer grants a permission once, but not always`() throws {
        let fixture = try Fixture("true")
        let key = try fixture.gateway.createKey("watch", #""allow":"answer""#)
        let once = try fixture.gateway.json("POST", Self.reply, #"{"reply":"once"}"#, key: key)

        #expect(once.status == 200)
        #expect(fixture.requests.values.last?.text == #"{"reply":"once"}"#)

        let count = fixture.requests.values.count
        let always = try fixture.gateway.json("POST", Self.reply, #"{"reply":"always"}"#, key: key)

        #expect(always.status == 403)
        #expect(
            always.json["detail"]?.text
                == #"This key may read demo and answer questions but not change it: it needs "write"."#)

        for body in [
            #"{"reply":"once","reply":"always"}"#, "{", #"{"reply":"once","more":1}"#, "[]", #"{"reply":"reject"}{}"#,
        ] {
            let refused = try fixture.gateway.json("POST", Self.reply, body, key: key)
            #expect(refused.status == 403)
            #expect(refused.json["detail"]?.text?.hasPrefix("The body of a reply") == true)
        }
        // No refused reply has reached the instance.
        #expect(fixture.requests.values.count == count)
        #expect(try fixture.gateway.json("POST", Self.reply, #"{"reply":"always"}"#).status == 200)
    }

    @Test func `a reply may arrive in parts and in the chunked coding`() throws {
        let fixture = try Fixture("true")
        let key = try fixture.gateway.createKey("watch", #""allow":"answer""#)
        let connection = try fixture.gateway.connect()
        try connection.write(
            "POST \(Self.reply) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key.token)\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"reply\":\r\n")

        #expect(try connection.staysSilent(for: .milliseconds(100)))

        try connection.write("8\r\n\"reject\"\r\n1\r\n}\r\n0\r\n\r\n")

        #expect(try ResponseReader(connection).readHead().status == 200)
        #expect(fixture.requests.values.last?.text == #"{"reply":"reject"}"#)
    }

    @Test func `a long reply is refused`() throws {
        let fixture = try Fixture("true")
        let key = try fixture.gateway.createKey("watch", #""allow":"answer""#)
        let body = #"{"reply":"\#(String(repeating: "a", count: 1 << 20))"}"#

        #expect(try fixture.gateway.json("POST", Self.reply, body, key: key).status == 413)
        #expect(fixture.requests.values.isEmpty)
    }

    @Test func `examined responses that exceed the limit in total are refused until other requests end`() throws {
        let size = 31 << 20
        let sent = Recorded<Int>("a body without its last byte")
        let finish = Recorded<Bool>("the permission to send the last byte")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "application/json"), ("Content-Length", "\(size)")])
            let start = Array("{}".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: size - 3)
            try connection.write(start, within: .seconds(60))
            sent.append(size)
            try finish.wait(forCount: 1, within: .seconds(60))
            try connection.write(" ")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let key = try gateway.createKey()
        func request() throws -> TestConnection {
            let connection = try gateway.connect()
            try connection.send("GET", Self.target, headers: [key.authorization])
            return connection
        }
        let waiting = try [request(), request()]
        try sent.wait(forCount: 2, within: .seconds(60))

        let refusal = try ResponseReader(request()).readAll(within: .seconds(60))
        finish.append(true)

        #expect(refusal.status == 503)
        #expect(refusal.text.contains("64 MiB"))
        #expect(refusal.value(of: "Retry-After") == "1")
        for connection in waiting {
            #expect(try ResponseReader(connection).readAll(within: .seconds(60)).status == 200)
        }
        // The memory of these requests is free again.
        for _ in 0..<2 {
            #expect(try ResponseReader(request()).readAll(within: .seconds(60)).status == 200)
        }
    }
}
