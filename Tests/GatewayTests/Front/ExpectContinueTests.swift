// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests `Expect: 100-continue` (RFC 9110 §10.1.1). The gateway requests the body, unless it rejects the request by its
/// head.
@Suite(.onTestThreads) struct ExpectContinueTests {
    private static let key = GatewayUnderTest.authorization
    private static let expect = ("Expect", "100-continue")

    private static func echoing() throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            let request = try connection.readBody(of: head)
            try connection.respond(200, body: request.body)
        }
    }

    @Test(arguments: [10, 500_000]) func `an accepted head is answered with 100 Continue before the body is read`(
        size: Int
    ) throws {
        let instance = try Self.echoing()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()

        for value in ["100-continue", "100-Continue"] {
            try connection.send(
                "POST", "/projects/demo/api/x", headers: [Self.key, ("Expect", value), ("Content-Length", "\(size)")])
            let line = try connection.readThrough("\r\n\r\n", waitingFor: "100 Continue")
            #expect(line == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            let body = Bytes.pattern(size)
            try connection.write(body)
            let answer = try ResponseReader(connection).readAll()
            #expect(answer.status == 200)
            #expect(answer.body == body)
            #expect(answer.interim.isEmpty)
            // The gateway has responded to the expectation and does not forward it to the instance.
            #expect(instance.requests.values.last?.values(of: "Expect") == [])
        }
    }

    @Test func `a rejected head is answered without 100 Continue`() throws {
        let instance = try Self.echoing()
        // With one loop, the loop knows the folder by the time it responds to the start.
        let gateway = try GatewayUnderTest(flags: ["--threads", "1"])
        try gateway.makeProject("idle")
        try gateway.start(instance)
        let wrong = ("Authorization", "Bearer wrong-key-0123456789")
        for (target, headers, status) in [
            ("/projects/demo/api/x", [], 401), ("/projects/demo/api/x", [wrong], 401), ("/nothing", [], 404),
            ("/projects/idle/api/x", [Self.key], 503), ("/projects/demo/status", [Self.key], 405),
        ] {
            let connection = try gateway.connect()
            try connection.send("POST", target, headers: headers + [Self.expect, ("Content-Length", "1000000")])
            let answer = try ResponseReader(connection).readAll()
            #expect(answer.status == status, "\(target)")
            #expect(answer.interim.isEmpty, "\(target)")
            // The gateway cannot know whether the client sends the body regardless, so it does not reuse the
            // connection.
            #expect(try connection.waitForEnd() == .closed)
        }

        #expect(instance.requests.count == 0)
    }

    @Test func `a client that sends its body without waiting for 100 Continue is served`() throws {
        let instance = try Self.echoing()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send(
            "POST", "/projects/demo/api/x", headers: [Self.key, Self.expect], body: Array("hello".utf8))

        #expect(try ResponseReader(connection).readAll().text == "hello")
        #expect(try connection.exchange("POST", "/projects/demo/api/x", headers: [Self.key], body: [0x61]).text == "a")
    }

    @Test func `Expect: 100-continue without a body is ignored`() throws {
        let instance = try Self.echoing()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let answer = try gateway.request("GET", "/projects/demo/api/x", headers: [Self.expect])

        #expect(answer.status == 200)
    }

    @Test func `a client whose large upload is rejected still receives the response`() throws {
        let gateway = try GatewayUnderTest()

        for headers in [[("Content-Length", "3000000")], [("Transfer-Encoding", "chunked")]] {
            let connection = try gateway.connect()
            try connection.send("POST", "/projects/demo/api/x", headers: headers)
            let isChunked = headers[0].0 == "Transfer-Encoding"
            let fragment = Bytes.pattern(100_000)
            for _ in 0..<30 {
                // The gateway may have stopped reading.
                if isChunked { try? connection.writeChunk(fragment) } else { try? connection.write(fragment) }
            }
            let answer = try ResponseReader(connection).readAll()
            #expect(answer.status == 401)
            #expect(answer.text == #"{"detail":"Missing or invalid Authorization header"}"#)
            #expect(try connection.waitForEnd() == .closed)
        }
    }
}
