// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that no wait is endless. Each wait for or by a client has a deadline, and the response's body names it.
@Suite(.onTestThreads) struct DeadlineTests {
    private static let key = GatewayUnderTest.authorization
    private static let tooSlow = #"{"detail":"The request did not arrive in time. Send it again on a new connection."}"#

    @Test func `a connection without a request is closed after --head-timeout without a response`() throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "300ms"])
        let start = ContinuousClock.now
        let connection = try gateway.connect()

        #expect(try connection.readUntilClose().isEmpty)
        #expect(.now - start > .milliseconds(290))
    }

    @Test(arguments: [
        "GET /projects/demo/api/x HTTP/1.1\r\n", "GET /projects/demo/api/x HTTP/1.1\r\nHost: h\r\nX-Own: half",
    ]) func `an incomplete head is answered with 408 after --head-timeout`(begun: String) throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "2s"])
        let answer = try gateway.raw(begun, within: .seconds(10))

        #expect(answer.statuses == [408])
        #expect(answer.text.hasSuffix("\r\n\r\n" + Self.tooSlow))
        #expect(answer.ending == .closed)
    }

    @Test func `an incomplete request line causes a 408 or a close after --head-timeout`() throws {
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "300ms"])
        // The response is 408 if the first bytes arrived separately, and none if they arrived with the connection.
        let answer = try gateway.raw("G", within: .seconds(5))

        #expect(answer.statuses == [408] || answer.text.isEmpty)
    }

    @Test func `a head that arrives slowly does not extend --head-timeout`() throws {
        let instance = try FakeOpenCode.countingBodies()
        let gateway = try GatewayUnderTest(flags: ["--head-timeout", "1s", "--idle-timeout", "1h"])
        try gateway.start(instance)
        for isSecond in [false, true] {
            let connection = try gateway.connect()
            if isSecond { #expect(try connection.exchange("GET", "/health").status == 200) }
            let elapsed = ContinuousClock().measure {
                // The writes take five seconds, unless the connection ends first.
                try? connection.writeSlowly(
                    RequestText.head("GET /projects/demo/api/x HTTP/1.1"), interval: .milliseconds(40))
            }
            #expect(elapsed < .seconds(4))
            #expect(try connection.readRawAnswer().statuses == [408])
        }

        #expect(instance.requests.count == 0)
    }

    @Test func `an idle connection is closed after --idle-timeout without a response`() throws {
        let gateway = try GatewayUnderTest(flags: ["--idle-timeout", "2s", "--head-timeout", "1h"])
        let connection = try gateway.connect()
        var start = ContinuousClock.now
        for _ in 0..<3 {
            start = .now
            #expect(try connection.exchange("GET", "/health").status == 200)
            try connection.pause(.milliseconds(800))
        }

        #expect(try connection.readUntilClose().isEmpty)
        #expect(.now - start > .milliseconds(1_900))
    }

    @Test func `a small body that stalls is answered with 408 and does not reach the instance`() throws {
        let instance = try FakeOpenCode.countingBodies()
        let gateway = try GatewayUnderTest(flags: ["--body-timeout", "300ms"])
        try gateway.start(instance)
        for framing in ["Content-Length: 10", "Transfer-Encoding: chunked"] {
            let answer = try gateway.raw(
                RequestText.head("POST /projects/demo/api/x HTTP/1.1", [framing]) + "5\r\nhel", within: .seconds(5))
            #expect(answer.statuses == [408])
            #expect(answer.text.hasSuffix("\r\n\r\n" + Self.tooSlow))
        }

        #expect(instance.requests.count == 0)
    }

    @Test func `a body that keeps arriving may take longer than --body-timeout`() throws {
        let instance = try FakeOpenCode.countingBodies()
        let gateway = try GatewayUnderTest(flags: ["--body-timeout", "3s"])
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("POST", "/projects/demo/api/x", headers: [Self.key, ("Content-Length", "10")])
        try connection.writeSlowly("helloworld", interval: .milliseconds(400))

        #expect(try ResponseReader(connection).readAll().text == "10")
    }

    @Test func `a large body that stalls is answered with 408 and ends the instance's connection`() throws {
        let ended = Latch("the instance's connection to end")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.waitForEnd(within: .seconds(5))
            ended.open()
            connection.close()
        }
        let gateway = try GatewayUnderTest(flags: ["--body-timeout", "300ms"])
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send(
            "POST", "/projects/demo/api/x", headers: [Self.key, ("Content-Length", "1000000")],
            body: Array(Bytes.pattern(100_000)))

        #expect(try connection.readRawAnswer(within: .seconds(5)).statuses == [408])

        try ended.wait()
    }

    @Test func `an instance that does not respond within --answer-timeout causes a 504`() throws {
        let ended = Recorded<Void>("the end of the instance's connection")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.waitForEnd(within: .seconds(5))
            ended.append(())
            connection.close()
        }
        let gateway = try GatewayUnderTest(flags: ["--answer-timeout", "300ms"])
        try gateway.start(instance)
        let connection = try gateway.connect()

        for number in 1...2 {
            let answer = try connection.exchange("POST", "/projects/demo/api/x", headers: [Self.key], body: [0x61])
            #expect(answer.status == 504)
            #expect(
                answer.text
                    == #"{"detail":"OpenCode instance for demo did not respond within 300ms (--answer-timeout). "#
                    + #"Its turn may still be running. Check the session before you send the request again."}"#)
            try ended.wait(forCount: number)
        }
    }

    @Test func `an instance that stalls within its body causes a truncated response`() throws {
        let ended = Latch("the instance's connection to end")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(200, headers: [("Content-Length", "10")])
            try connection.write("hello")
            try connection.waitForEnd()
            ended.open()
            connection.close()
        }
        let gateway = try GatewayUnderTest(flags: ["--answer-timeout", "2s"])
        try gateway.start(instance)
        let answer = try gateway.request("GET", "/projects/demo/api/x")

        #expect(answer.text == "hello")
        #expect(answer.ending == .truncated)

        try ended.wait()
    }

    @Test func `an instance that keeps sending may take longer than --answer-timeout`() throws {
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(200, headers: [("Content-Length", "10")])
            try connection.writeSlowly("helloworld", interval: .milliseconds(400))
        }
        let gateway = try GatewayUnderTest(flags: ["--answer-timeout", "3s"])
        try gateway.start(instance)

        #expect(try gateway.request("GET", "/projects/demo/api/x").text == "helloworld")
    }

    @Test func `a client that reads no byte of its response in time is disconnected`() throws {
        let ended = Latch("the instance's connection to end")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(200, headers: [("Content-Length", "\(1 << 30)")])
            // The connection may be aborted in the middle of this write.
            _ = try? connection.writeUntilFull(
                [UInt8](repeating: 0x61, count: 1 << 20), atMost: 1 << 30, stalledAfter: .milliseconds(100))
            try connection.waitForEnd()
            ended.open()
            connection.close()
        }
        let gateway = try GatewayUnderTest(flags: ["--answer-timeout", "2s"])
        try gateway.start(instance)

        let connection = try TestClient.connect(port: gateway.port, receiveBuffer: 8192)
        try connection.send("GET", "/projects/demo/api/x", headers: [Self.key])

        try gateway.process.waitForLine(on: .error) { $0.contains("unread_answer") }
        try ended.wait()
    }

    @Test func `an event stream outlives the timeouts of ordinary responses`() throws {
        let mayContinue = Latch("the stream to continue")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try mayContinue.wait()
            try connection.writeChunk("data: late\n\n")
            try connection.waitForEnd()
        }
        let gateway = try GatewayUnderTest(flags: [
            "--answer-timeout", "2s", "--idle-timeout", "100ms", "--body-timeout", "100ms",
        ])
        try gateway.start(instance)
        let events = try TestClient.events(port: gateway.port, "/projects/demo/api/event", headers: [Self.key])

        #expect(try events.response.readHead().status == 200)

        // The pause, measured with another connection, is twice the longest of these limits.
        try gateway.connect().pause(.seconds(4))
        mayContinue.open()

        #expect(try events.next() == "late")
    }
}
