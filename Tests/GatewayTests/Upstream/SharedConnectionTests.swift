// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that bytes which one request leaves on a connection never become part of another request or its response.
@Suite(.onTestThreads) struct SharedConnectionTests {
    private static let streamHead = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]

    @Test(arguments: ["POST", "PUT"])
    func `a connection with an unfinished upload carries no other request`(method: String) throws {
        let swallowed = Recorded<String>("the request that the instance received as the rest of the upload")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            _ = try connection.readExactly(300_000)
            try connection.writeHead(200, headers: Self.streamHead)
            try connection.writeChunk("data: 1\n\n")
            try connection.writeLastChunk()
            // A server reads the remainder of a body before it parses another request.
            let remainder = try? connection.readExactly(60, within: .seconds(10))
            swallowed.append(remainder.map { String(decoding: $0, as: UTF8.self) } ?? "")
            connection.close()
        }
        let client = try fixture.send(method, "/x", headers: [("Content-Length", "1000000")])
        try client.write([UInt8](repeating: 120, count: 300_000))

        // No other request may use a connection whose response preceded the end of the request.
        #expect(try ResponseReader(client, method: method, mayClose: true).readAll().ending == .complete)
        #expect(try fixture.request("GET", "/y").text == "fine")

        try swallowed.wait(forCount: 1)

        #expect(swallowed.values == [""])
    }

    @Test func `concurrent prompts and streams receive their own responses`() throws {
        let fixture = try ProxyFixture { connection, head in
            guard !head.path.hasPrefix("/stream") else {
                let stream = [("Content-Type", "text/event-stream")]
                return try connection.respond(200, headers: stream, text: "answer to \(head.path)")
            }
            try connection.pause(.milliseconds(head.path.hasSuffix("0") ? 300 : 5))
            try connection.respond(200, text: "answer to \(head.path)")
        }
        let wrong = Recorded<String>("a wrong answer")
        let threads = try (0..<8).map { thread in
            try TestThread {
                for index in 0..<30 {
                    let path = "/\(index % 3 == 0 ? "stream" : "prompt")-\(thread)-\(index)"
                    let answer = try? fixture.request("POST", path, body: [120])
                    if answer?.text != "answer to \(path)" { wrong.append("\(path): \(answer?.text ?? "none")") }
                }
            }
        }
        for thread in threads { thread.join() }

        #expect(wrong.values == [])
    }

    @Test(arguments: [false, true], [false, true])
    func `a response to a slow client is delivered or visibly truncated after the instance ends`(
        byReset: Bool, isChunked: Bool
    ) throws {
        let body = [UInt8](repeating: 120, count: 1_500_000)
        let ended = Latch("the instance to have ended the connection")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            if isChunked {
                try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
                try connection.writeChunk(body)
                try connection.writeLastChunk()
            } else {
                try connection.respond(200, body: body)
            }
            try connection.pause(.milliseconds(300))
            if byReset { connection.reset() } else { connection.close() }
            ended.open()
        }
        let client = try fixture.send("GET", "/x", receiveBuffer: 4096)
        try ended.wait()
        let before = try fixture.gateway.process.processorTime()
        try client.pause(.milliseconds(500))

        // The gateway does not poll a connection from which it must not read.
        #expect(try fixture.gateway.process.processorTime() - before < .milliseconds(100))

        let answer = try ResponseReader(client).readAll(within: .seconds(20))

        // A reset can destroy bytes that are being transferred, and the client can detect this.
        #expect(isSame(answer.body, body) || byReset && answer.ending != .complete)
        #expect(answer.ending == .complete || byReset)
        #expect(try fixture.request("GET", "/y").text == "fine")
    }

    @Test func `a PUT and a POST forward the same fields to the instance`() throws {
        let seen = Recorded<[String]>("a request's fields")
        let fixture = try ProxyFixture { connection, head in
            seen.append(head.fields.map(\.description))
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "fine")
        }
        let fields = [
            ("X-Empty", ""), ("X-Semicolon", ";"), ("X-Behind", "a;"), ("X-Colon", ": :"), ("Accept", ""),
            ("Content-Type", ""), ("Range", "bytes=0-1"), ("Cookie", "a=b; c=d"), ("User-Agent", ""),
            ("Accept-Encoding", ""), ("Referer", "x"), ("If-Modified-Since", "x"), ("X-Comma", ","),
            ("Content-Range", "bytes 0-1/2"), ("X-Hash", "# a"), ("X-At", "@file"), ("Date", ""), ("Cookie", ""),
            ("X-Long", String(repeating: "v", count: 9_000)), ("Content-Encoding", "gzip"), ("MIME-Version", "1"),
        ]
        for method in ["PUT", "POST"] { _ = try fixture.request(method, "/x", headers: fields, body: [120]) }
        let values = seen.values

        try #require(values.count == 2, "\(values)")
        #expect(values[0] == values[1], "\(values)")
    }

    @Test(arguments: ["GET", "POST"])
    func `kept-alive connections close if the gateway runs out of descriptors`(method: String) throws {
        // Each project's burst needs more descriptors than the previous bursts have left.
        let burst = 16
        let instances = try (0..<5).map { _ in
            let arrived = Recorded<String>("a request of the burst")
            return try FakeOpenCode().start { connection, head in
                arrived.append(head.path)
                try arrived.wait(forCount: burst)
                try connection.respond(200, text: "answered")
            }
        }
        let gateway = try GatewayUnderTest(
            environment: ["VIBE_THREADS": "1"], launcher: ["/usr/bin/prlimit", "--nofile=96:96"])
        for (index, instance) in instances.enumerated() { try gateway.start(instance, as: "p\(index)") }

        for index in instances.indices {
            let clients = try (0..<burst).map { _ in
                let client = try gateway.connect()
                let way = index == instances.count - 1 ? method : "GET"
                try client.send(way, "/projects/p\(index)/api/x", headers: [GatewayUnderTest.authorization])
                return client
            }
            let statuses = clients.map { try? ResponseReader($0).readAll().status }
            #expect(statuses.allSatisfy { $0 == 200 }, "p\(index): \(statuses)")
            for client in clients { client.close() }
        }
    }
}
