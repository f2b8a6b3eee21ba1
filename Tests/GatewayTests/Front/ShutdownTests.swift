// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests SIGTERM: active exchanges finish, streams end abnormally, instances are stopped, and the program exits
/// successfully.
@Suite(.onTestThreads) struct ShutdownTests {
    private static let key = GatewayUnderTest.authorization

    @Test(arguments: [SIGTERM, SIGINT])
    func `a running exchange finishes after SIGTERM or SIGINT, and the gateway exits with 0`(signal: Int32) throws {
        let mayAnswer = Latch("the instance to answer")
        let instance = try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try mayAnswer.wait()
            try connection.respond(200, text: "the whole turn")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("POST", "/projects/demo/api/session/1/message", headers: [Self.key], body: [0x61])
        try instance.requests.wait(forCount: 1)
        try gateway.stopListening(signal)
        mayAnswer.open()
        let answer = try ResponseReader(connection).readAll()

        #expect(answer.text == "the whole turn")
        #expect(answer.ending == .complete)
        #expect(answer.values(of: "Connection").map { $0.lowercased() } == ["close"])
        #expect(try connection.waitForEnd() == .closed)
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func `a response in progress is delivered completely during the shutdown`() throws {
        let mayContinue = Latch("the instance to continue")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(200, headers: [("Content-Length", "10")])
            try connection.write("hello")
            try mayContinue.wait()
            try connection.write("world")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/x", headers: [Self.key])
        let reader = ResponseReader(connection)

        #expect(try reader.readBodyPart() == Array("hello".utf8))

        try gateway.stopListening()
        mayContinue.open()

        #expect(try reader.readBodyPart() == Array("world".utf8))
        #expect(try reader.readBodyPart() == nil)
        #expect(reader.ending == .complete)
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func `an event stream ends abnormally when the gateway shuts down`() throws {
        let ended = Latch("the instance's stream to end")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: first\n\n")
            try connection.waitForEnd()
            ended.open()
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let events = try TestClient.events(port: gateway.port, "/projects/demo/api/event", headers: [Self.key])

        #expect(try events.next() == "first")

        try gateway.stopListening()
        do {
            #expect(try events.next() == nil)
            #expect(events.response.ending == .truncated || events.response.ending == .reset)
        } catch TestKitError.closed {
            // The connection ended between two chunks, without a last chunk.
        }
        try ended.wait()

        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func `an exchange that does not finish during the shutdown is aborted after --drain-timeout`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.waitForEnd() }
        let gateway = try GatewayUnderTest(flags: ["--drain-timeout", "300ms"])
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/x", headers: [Self.key])
        try instance.requests.wait(forCount: 1)
        let start = ContinuousClock.now
        gateway.process.terminate()
        _ = try connection.waitForEnd()

        #expect(try gateway.process.waitForExit() == .exited(0))
        #expect(.now - start > .milliseconds(290))
        #expect(.now - start < .seconds(8))
    }

    @Test func `idle connections close during the shutdown, and new connections are refused`() throws {
        let mayAnswer = Latch("the instance to answer")
        let instance = try FakeOpenCode().start { connection, _ in
            try mayAnswer.wait()
            try connection.respond(200)
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let idle = try gateway.connect()

        #expect(try idle.exchange("GET", "/health").status == 200)

        let busy = try gateway.connect()
        try busy.send("GET", "/projects/demo/api/x", headers: [Self.key])
        try instance.requests.wait(forCount: 1)
        try gateway.stopListening()

        #expect(try idle.readUntilClose().isEmpty)

        // Both listeners close before idle connections do. The other loop's listener may need a moment longer.
        try gateway.waitUntilRefused()
        mayAnswer.open()

        #expect(try ResponseReader(busy).readAll().status == 200)
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    /// The socket unit keeps the port open for the next gateway, but not a connection that this gateway has accepted.
    @Test(arguments: ["", "GET /health HT"]) func `a client that connected before the shutdown is served`(begun: String)
        throws
    {
        let gateway = try GatewayUnderTest(flags: ["--threads", "1"])
        let client = try gateway.connect()
        try client.write(begun)
        // The same loop accepts this connection after the first one.
        let later = try gateway.connect()

        #expect(try later.exchange("GET", "/health").status == 200)

        try gateway.stopListening()
        try client.write("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8.dropFirst(begun.utf8.count))
        let answer = try ResponseReader(client).readAll()

        #expect(answer.status == 200)
        #expect(answer.values(of: "Connection").map { $0.lowercased() } == ["close"])
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func `a client that connects and sends nothing does not delay the shutdown`() throws {
        let gateway = try GatewayUnderTest(flags: ["--threads", "1", "--drain-timeout", "1h"])
        let client = try gateway.connect()
        let later = try gateway.connect()

        #expect(try later.exchange("GET", "/health").status == 200)

        try gateway.stopListening()

        #expect(try client.readUntilClose().isEmpty)
        #expect(try gateway.process.waitForExit() == .exited(0))
    }

    @Test func `the whole process group of an instance ends when the gateway shuts down`() throws {
        let tools = try TemporaryDirectory()
        let family = try tools.write(
            """
            #!/bin/sh
            sh -c 'trap "" TERM; echo $$ > grandchild; exec tail -f --pid='$PPID' /dev/null' &
            while ! [ -s grandchild ]; do sleep 0.01; done
            echo $$ > child
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest(flags: ["--stop-timeout", "500ms"], opencode: family)
        try gateway.start(instance)
        let processes = try ["child", "grandchild"].map { name in
            try #require(Int32(try gateway.readFile("demo/\(name)").trimmingSuffix { $0 == "\n" }))
        }
        for pid in processes { #expect(ProcessMeasures.isAlive(pid)) }

        #expect(try gateway.terminate() == .exited(0))

        for pid in processes { #expect(!ProcessMeasures.isAlive(pid)) }
    }

    @Test func `a second SIGTERM or a SIGHUP during the shutdown has no effect`() throws {
        let mayAnswer = Latch("the instance to answer")
        let instance = try FakeOpenCode().start { connection, _ in
            try mayAnswer.wait()
            try connection.respond(200, text: "answered")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/x", headers: [Self.key])
        try instance.requests.wait(forCount: 1)
        try gateway.stopListening()
        gateway.process.terminate()
        gateway.process.terminate(SIGHUP)
        mayAnswer.open()

        #expect(try ResponseReader(connection).readAll().text == "answered")
        #expect(try gateway.process.waitForExit() == .exited(0))
    }
}

extension GatewayUnderTest {
    /// Waits until the gateway's port refuses connections.
    fileprivate func waitUntilRefused() throws {
        let deadline = Deadline(after: .seconds(5))
        while !deadline.hasPassed {
            do {
                try TestClient.connect(port: port).close()
            } catch TestKitError.system {
                return
            }
        }
        throw TestFailure("the gateway still accepts connections")
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, predicate(last) { text.removeLast() }
        return String(text)
    }
}

extension ShutdownTests {
    @Test func `a response that is sent while the gateway stops has one Date field`() throws {
        let mayAnswer = Latch("the instance to answer")
        let instance = try FakeOpenCode().start { connection, _ in
            try mayAnswer.wait()
            try connection.respond(200, headers: [("Date", "Mon, 02 Jan 2006 15:04:05 GMT")], text: "answered")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/x", headers: [GatewayUnderTest.authorization])
        try instance.requests.wait(forCount: 1)
        try gateway.stopListening()

        mayAnswer.open()

        let answer = try ResponseReader(connection).readAll()

        #expect(answer.values(of: "Date") == ["Mon, 02 Jan 2006 15:04:05 GMT"])
        #expect(try gateway.process.waitForExit() == .exited(0))
    }
}
