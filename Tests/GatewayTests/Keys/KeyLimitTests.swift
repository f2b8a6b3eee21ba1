// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the limits of named keys.
@Suite(.onTestThreads) struct KeyLimitTests {
    @Test func `requests beyond the rate of a key get 429 until the next one is due`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_THREADS": "2"])
        let key = try gateway.createKey("phone", #""rate":"5/min""#)
        let other = try gateway.createKey("other")
        // All loops share the rate.
        for _ in 1...5 { #expect(try gateway.request("GET", "/projects", key: key).status == 200) }
        for _ in 1...5 {
            let response = try gateway.request("GET", "/projects", key: key)
            let seconds = try #require(response.value(of: "retry-after").flatMap { Int($0) })
            #expect(response.status == 429)
            #expect((1...12).contains(seconds))
            #expect(
                response.json["detail"]?.text == "This key may send 5 requests a minute. Try again in \(seconds) s.")
        }

        #expect(try gateway.request("GET", "/projects", key: other).status == 200)
        #expect(try gateway.request("GET", "/projects").status == 200)

        // A new secret of the key has the same rate.
        let rotated = try gateway.request("POST", "/-/keys/\(key.id)/rotate")
        let second = NamedKey(id: key.id, token: try #require(rotated.json["key"]?.text))

        #expect(try gateway.request("GET", "/projects", key: second).status == 429)
    }

    @Test func `a key without a rate has the rate of --key-rate, and a reload changes it`() throws {
        let files = try TemporaryDirectory()
        let configuration = try files.write("VIBE_KEY_RATE=3/h\n", to: "config", mode: 0o600)
        let gateway = try GatewayUnderTest(environment: ["VIBE_CONFIG": configuration])
        let key = try gateway.createKey()
        for _ in 1...3 { #expect(try gateway.request("GET", "/projects", key: key).status == 200) }

        #expect(try gateway.request("GET", "/projects", key: key).status == 429)
        for _ in 1...10 { #expect(try gateway.request("GET", "/projects").status == 200) }

        _ = try files.write("VIBE_KEY_RATE=none\n", to: "config", mode: 0o600)
        gateway.process.terminate(SIGHUP)
        try gateway.waitForLog("settings reloaded")

        #expect(try gateway.request("GET", "/projects", key: key).status == 200)
    }

    @Test func `streams beyond the limit of a key get 429 until one has ended`() throws {
        let fixture = try HubFixture()
        let gateway = fixture.gateway
        let targets = ["/projects/demo/events", "/events", "/projects/demo/api/event"]
        for target in targets {
            // With the same key, streams of the previous target count until the gateway has noticed their end.
            let key = try gateway.createKey("phone \(target)", #""streams":2"#)
            let streams = try (0..<2).map { _ in try open(gateway, target, key) }
            for stream in streams { #expect(try EventStreamReader(stream).nextBlock() != nil) }
            let response = try gateway.request("GET", target, key: key)

            #expect(response.status == 429, "\(target)")
            #expect(
                response.json["detail"]?.text
                    == "This key may have 2 open streams. Close a stream, or ask the administrator for a higher limit."
            )
            // Requests that are not streams are not limited.
            #expect(try gateway.request("GET", "/projects", key: key).status == 200)

            for stream in streams { stream.close() }
            let deadline = Deadline(after: .seconds(20))
            while true {
                let next = try open(gateway, target, key)
                defer { next.close() }
                if try ResponseReader(next).readHead().status == 200 { break }
                guard deadline.remaining > .zero else { throw TestFailure("the closed streams still count") }
            }
        }
    }

    private func open(_ gateway: GatewayUnderTest, _ target: String, _ key: NamedKey) throws -> TestConnection {
        let connection = try gateway.connect()
        try connection.send("GET", target, headers: [key.authorization])
        return connection
    }

    @Test func `a stream that the proxy forwards counts towards the limit`() throws {
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: before\n\n")
            _ = try connection.readUntilEnd(within: .seconds(60))
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let key = try gateway.createKey("phone", #""streams":1"#)
        let stream = EventStreamReader(try open(gateway, "/projects/demo/api/event", key))

        #expect(try stream.next() == "before")
        #expect(try gateway.request("GET", "/projects/demo/api/event", key: key).status == 429)
        // The refused stream has ended at the instance.
        try instance.server.wait(forActiveConnections: 1)
    }
}
