// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a client that disconnects ends its request at the instance, even while the instance is silent.
@Suite(.onTestThreads) struct ClientGoneTests {
    /// The ways for a client to disconnect.
    enum Leaving: CaseIterable {
        case close, reset, halfClose

        func disconnect(_ connection: TestConnection) throws {
            switch self {
            case .close: connection.close()
            case .reset: connection.reset()
            case .halfClose: try connection.shutdownWrite()
            }
        }
    }

    /// The bytes that the instance sent before it became silent.
    enum Silence: CaseIterable {
        case beforeItsHead, inABodyWithALength, inAChunkedBody, onAnEventStream

        func start(_ connection: TestConnection) throws {
            switch self {
            case .beforeItsHead: break
            case .inABodyWithALength:
                try connection.writeHead(200, headers: [("Content-Length", "100")])
                try connection.write("begun")
            case .inAChunkedBody:
                try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
                try connection.writeChunk("begun")
            case .onAnEventStream:
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk("data: begun\n\n")
            }
        }
    }

    @Test(arguments: Silence.allCases, Leaving.allCases)
    func `the instance's connection closes when the client disconnects`(silence: Silence, leaving: Leaving) throws {
        let began = Recorded<Void>("the beginning of the instance's silence")
        let ended = Recorded<ContinuousClock.Instant>("the end of the instance's connection")
        let instance = try FakeOpenCode().start { connection, _ in
            try silence.start(connection)
            began.append(())
            try connection.waitForEnd()
            ended.append(.now)
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        var times: [Duration] = []
        // Measured values are below 1 ms on an idle machine. On a busy machine, any of the threads may have to wait for
        // the processor.
        func quick() -> Int { times.count { $0 < .milliseconds(100) } }
        while quick() < 3, times.count < 15 {
            let number = times.count + 1
            let connection = try gateway.connect()
            try connection.send("GET", "/projects/demo/api/x", headers: [GatewayUnderTest.authorization])
            try began.wait(forCount: number)
            if silence != .beforeItsHead {
                while try !connection.read().contains("begun".utf8) {}
            }
            let left = ContinuousClock.now
            try leaving.disconnect(connection)
            times.append(try ended.wait(forCount: number)[number - 1] - left)
        }

        #expect(quick() == 3, "\(times)")
        #expect(try gateway.request("GET", "/health").status == 200)
    }

    @Test(arguments: Leaving.allCases)
    func `an upload to the instance ends when the client disconnects`(leaving: Leaving) throws {
        let began = Latch("the upload to begin")
        let ended = Latch("the upload to end")
        let instance = try FakeOpenCode().start { connection, _ in
            _ = try connection.readExactly(100_000)
            began.open()
            try connection.waitForEnd(within: .seconds(5))
            ended.open()
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        let connection = try gateway.connect()
        try connection.send(
            "POST", "/projects/demo/api/x",
            headers: [GatewayUnderTest.authorization, ("Content-Length", "1000000")])
        try connection.write(Bytes.pattern(200_000))
        try began.wait()

        try leaving.disconnect(connection)
        try ended.wait()
    }

    @Test(arguments: Leaving.allCases)
    func `a request whose client disconnects within a small body does not reach the instance`(leaving: Leaving) throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send(
            "POST", "/projects/demo/api/x", headers: [GatewayUnderTest.authorization, ("Content-Length", "10")])
        try connection.write("hello")
        try leaving.disconnect(connection)
        if leaving == .halfClose { #expect(try connection.waitForEnd() == .closed) }

        #expect(try gateway.request("GET", "/projects/demo/api/next").status == 200)
        #expect(instance.requests.values.map(\.target) == ["/next"])
    }

    @Test(arguments: ["", "GET /hea", "GET /health HTTP/1.1\r\nHost: h\r\n", RequestText.unfinishedBody])
    func `a client that stops sending within its request is disconnected without a response`(begun: String) throws {
        let gateway = try GatewayUnderTest()
        let connection = try gateway.connect()
        try connection.write(begun)
        // Shut the connection down immediately after the bytes, so that the gateway receives both at once.
        try connection.shutdownWrite()

        #expect(try connection.readUntilClose().isEmpty)
    }

    @Test func `a complete /health request is answered even if its client has shut down its sending side`() throws {
        let gateway = try GatewayUnderTest()

        for _ in 0..<5 {
            let connection = try gateway.connect()
            try connection.write("GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
            try connection.shutdownWrite()
            let answer = try connection.readRawAnswer(within: .seconds(10))
            #expect(answer.statuses == [200])
            #expect(answer.ending == .closed)
        }
    }

    @Test func `clients that disconnect leave no open descriptors in the gateway`() throws {
        let ended = Recorded<Void>("the end of an instance's connection")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.waitForEnd()
            ended.append(())
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        #expect(try gateway.request("GET", "/health").status == 200)

        let descriptors = try gateway.process.openDescriptors()
        for round in 1...3 {
            let clients = try (0..<40).map { _ in try gateway.connect() }
            for client in clients {
                try client.send("GET", "/projects/demo/api/x", headers: [GatewayUnderTest.authorization])
            }
            try instance.requests.wait(forCount: round * 40)
            for (number, client) in clients.enumerated() {
                try Leaving.allCases[number % 3].disconnect(client)
            }
            try ended.wait(forCount: round * 40)
            for client in clients where !client.isClosed { #expect(try client.waitForEnd() == .closed) }
        }
        // The registry's health check may have kept one connection. Each health request lets the gateway's loop run.
        let deadline = Deadline(after: .seconds(5))
        while try gateway.process.openDescriptors() > descriptors + 2, !deadline.hasPassed {
            _ = try gateway.request("GET", "/health")
        }

        #expect(!deadline.hasPassed)
    }

    @Test func `a start continues when the client that requested it disconnects`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let tools = try TemporaryDirectory()
        let slow = try tools.write(
            """
            #!/bin/sh
            echo begun > begun
            read port < go
            echo "opencode server listening on http://127.0.0.1:$port"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        // One loop handles the two in order.
        let gateway = try GatewayUnderTest(flags: ["--threads", "1"], opencode: slow)
        try gateway.makeProject("demo")
        try gateway.makePipe("demo/go")
        let impatient = try gateway.connect()
        try impatient.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        let patient = try gateway.connect()
        try patient.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
        impatient.close()
        // Opening the pipe for writing blocks until the instance opens it to read its port.
        _ = try gateway.home.write("\(instance.port)\n", to: "demo/go")
        let answer = try ResponseReader(patient).readAll()

        #expect(answer.text == #"{"name":"demo","port":\#(instance.port),"status":"started"}"#)
    }
}

extension RequestText {
    fileprivate static let unfinishedBody =
        head("POST /projects/demo/api/x HTTP/1.1", ["Content-Length: 10"]) + "hello"
}
