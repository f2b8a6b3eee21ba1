// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a client without a valid key cannot occupy connections that others need. Its key is checked when the
/// request's head arrives, it has one deadline for everything, and it is evicted first.
@Suite(.onTestThreads) struct KeylessConnectionTests {
    private static let key = GatewayUnderTest.authorization

    @Test(
        arguments: ["", "Authorization: Bearer a-wrong-key-of-some-length\r\n"],
        ["Content-Length: 60000", "Transfer-Encoding: chunked"])
    func `a request without a valid key is rejected before its body`(credentials: String, framing: String) throws {
        let instance = try FakeOpenCode.countingBodies()
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "30s"])
        try gateway.start(instance)
        let connection = try gateway.connect()
        let start = ContinuousClock.now

        try connection.write("POST /projects/demo/api/x HTTP/1.1\r\nHost: h\r\n\(credentials)\(framing)\r\n\r\n")

        let answer = try ResponseReader(connection).readAll(within: .seconds(10))

        #expect(answer.status == 401)
        #expect(answer.values(of: "Connection") == ["close"])
        #expect(.now - start < .seconds(5))
        #expect(instance.requests.count == 0)
    }

    @Test func `a client receives the rejection even if its body is too long to wait for`() throws {
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()

        // The gateway may close the connection before the write completes.
        try? connection.send(
            "POST", "/projects/demo/start", headers: [("Content-Length", "1000000")],
            body: [UInt8](repeating: 0x61, count: 1_000_000))

        let answer = try connection.readRawAnswer()

        #expect(answer.statuses == [401])
        #expect(answer.ending == .closed)
    }

    @Test(arguments: [1, 60_000]) func `a rejection waits briefly for a short body, and the connection stays open`(
        count: Int
    ) throws {
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()

        let refused = try connection.exchange(
            "POST", "/projects/demo/start", body: [UInt8](repeating: 0x61, count: count))

        #expect(refused.status == 401)
        #expect(try connection.exchange("GET", "/projects", headers: [Self.key]).status == 200)
    }

    @Test func `a request without a key has one deadline for all of its parts`() throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "1s", "--body-timeout", "1h"])
        let connection = try gateway.connect()
        try connection.write("GET /health HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")

        let elapsed = ContinuousClock().measure {
            try? connection.writeSlowly([UInt8](repeating: 0x61, count: 100), interval: .milliseconds(100))
        }

        #expect(elapsed < .seconds(5))
        #expect(try connection.readRawAnswer().statuses == [408])
    }

    @Test func `a client without a key must read its response by the request's deadline`() throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "1s", "--answer-timeout", "1h"])
        let connection = try TestClient.connect(port: gateway.port, receiveBuffer: 4096)
        let request = Array("GET /openapi.json HTTP/1.1\r\nHost: h\r\n\r\n".utf8)

        _ = try connection.writeUntilFull(request, atMost: request.count * 1_000, stalledAfter: .milliseconds(100))

        try gateway.process.waitForLine(on: .error, within: .seconds(10)) {
            $0.contains("unread_answer")
        }
    }

    @Test func `a client must read the response to a rejected request by the request's deadline`() throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "2s"])
        let connection = try gateway.connect()
        try connection.write("POST /projects/demo/start HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n")
        let start = ContinuousClock.now

        // Otherwise, the gateway would continue to read for 30 s.
        while (try? connection.write([UInt8](repeating: 0x61, count: 100))) != nil, .now - start < .seconds(20) {
            try? connection.pause(.milliseconds(100))
        }

        #expect(.now - start < .seconds(10))
    }

    @Test func `a valid key ends the deadline of a request without a key`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            let request = try connection.readBody(of: head)
            if request.body.isEmpty { try connection.pause(.milliseconds(2_500)) }
            try connection.respond(200, text: "\(request.body.count)")
        }
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "1s"])
        try gateway.start(instance)
        let upload = try gateway.connect()

        try upload.send("POST", "/projects/demo/api/x", headers: [Self.key, ("Content-Length", "10")])
        try upload.writeSlowly("helloworld", interval: .milliseconds(250))

        #expect(try ResponseReader(upload).readAll().text == "10")
        #expect(try gateway.request("GET", "/projects/demo/api/slow").text == "0")
    }

    @Test func `at the limit, the oldest connection without a key is closed for a new connection`() throws {
        let gateway = try GatewayUnderTest(
            flags: ["--max-connections", "4"], environment: ["VIBE_THREADS": "1"])
        let admitted = try gateway.connect()

        #expect(try admitted.exchange("GET", "/projects", headers: [Self.key]).status == 200)

        let oldest = try gateway.connect()
        try oldest.write("POST /health HTTP/1.1\r\nHost: h\r\n")
        let others = try (0..<2).map { _ in
            let other = try gateway.connect()
            #expect(try other.exchange("GET", "/health").status == 200)
            return other
        }

        let next = try gateway.connect()

        #expect(try next.exchange("GET", "/projects", headers: [Self.key]).status == 200)

        _ = try oldest.readUntilEnd()
        for other in [admitted] + others { #expect(try other.exchange("GET", "/health").status == 200) }
        try gateway.waitForLog("room_for_another")
    }

    @Test func `connections with a key are not closed for new connections`() throws {
        let gateway = try GatewayUnderTest(
            flags: ["--max-connections", "2"], environment: ["VIBE_THREADS": "1"])
        let admitted = try (0..<2).map { _ in
            let connection = try gateway.connect()
            #expect(try connection.exchange("GET", "/projects", headers: [Self.key]).status == 200)
            return connection
        }

        let waiting = try gateway.connect()
        try waiting.send("GET", "/health")

        #expect(try waiting.staysSilent(for: .milliseconds(500)))

        #expect(try admitted[1].exchange("GET", "/projects", headers: [Self.key]).status == 200)

        admitted[0].close()

        #expect(try ResponseReader(waiting).readAll().status == 200)
    }

    @Test func `many connections without a key do not exclude a client that has a key`() throws {
        let gateway = try GatewayUnderTest(
            flags: ["--max-connections", "20"], environment: ["VIBE_THREADS": "1"])
        let held = try (0..<200).map { number in
            let connection = try gateway.connect()
            if number % 2 == 0 { try connection.write("GET /health HTTP/1.1\r\n") }
            return connection
        }

        let start = ContinuousClock.now

        #expect(try gateway.request("GET", "/projects").status == 200)

        #expect(.now - start < .seconds(3))

        for connection in held { connection.close() }
    }
}
