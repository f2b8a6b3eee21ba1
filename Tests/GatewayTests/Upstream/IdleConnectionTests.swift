// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests kept-alive connections to an instance that closes connections after 5 s without use, as OpenCode 2 does.
@Suite(.onTestThreads) struct IdleConnectionTests {
    /// The idle time after which the instance loses bytes that arrive on a connection, because it is about to close the
    /// connection.
    private static let lossy = Duration.milliseconds(4950)
    private static let clients = 64
    private static let bursts = 5
    private static let requestsInBurst = 32

    private static func announcing(_ connection: TestConnection, _ head: ReceivedRequestHead) throws {
        try connection.respond(
            200, headers: [("Connection", "keep-alive"), ("Keep-Alive", "timeout=5")], text: head.target)
    }

    @Test(.timeLimit(.minutes(3))) func `no request is lost or sent twice while kept-alive connections open and close`()
        throws
    {
        let arrived = Monitor<[String: Int]>([:])
        let lost = Recorded<String>("a request that was lost")
        // The connections that have carried a request. The server retains them, so that no later connection has the
        // same identity.
        let used = Monitor<Set<ObjectIdentifier>>([])
        let instance = try FakeOpenCode().intercept { connection, head in
            let isFirst = used.withLock { $0.insert(ObjectIdentifier(connection)).inserted }
            guard !isFirst, try connection.waitBeforeArrival() >= Self.lossy else { return false }
            lost.append(head.target)
            try connection.waitForEnd(within: .seconds(60))
            connection.close()
            return true
        }.start { connection, head in
            arrived.withLock { $0[head.target, default: 0] += 1 }
            // The pause makes all clients of a burst need connections at the same time.
            try connection.pause(.milliseconds(30))
            try Self.announcing(connection, head)
        }
        // Use a single loop, which keeps at most 64 connections.
        let gateway = try GatewayUnderTest(flags: ["--access-log", "off"], environment: ["VIBE_THREADS": "1"])
        try gateway.start(instance)
        let failures = Recorded<String>("a request that failed")
        let done = Monitor(0)
        let threads = try (0..<Self.clients).map { client in
            try TestThread {
                do {
                    try Self.use(gateway, client, done)
                } catch {
                    failures.append("\(error)")
                }
            }
        }
        for thread in threads { thread.join() }

        #expect(failures.values.isEmpty)
        #expect(lost.values.isEmpty)

        let counts = arrived.withLock { $0 }

        #expect(counts.count == Self.clients * Self.bursts * Self.requestsInBurst)
        #expect(counts.values.allSatisfy { $0 == 1 })
        // Connections were reused, not opened for each request.
        #expect(instance.server.connections.count < counts.count / 4)
    }

    /// Runs one client, which sends repeated bursts of requests. The pauses are about as long as the instance's idle
    /// limit. `done` counts the bursts of all clients.
    private static func use(_ gateway: GatewayUnderTest, _ client: Int, _ done: Monitor<Int>) throws {
        var random = SeededGenerator(seed: UInt64(client))
        let connection = try gateway.connect()
        for burst in 0..<bursts {
            if burst > 0 { try connection.pause(.milliseconds(Int.random(in: 4500...5500, using: &random))) }
            for number in 0..<requestsInBurst {
                let path = "/\(client)/\(burst)/\(number)"
                let answer = try connection.exchange(
                    "GET", ProxyFixture.target(path), headers: [GatewayUnderTest.authorization], within: .seconds(30))
                guard answer.text == path else { throw TestFailure("\(path) was answered with \(answer.text)") }
            }
            done.withLock { $0 += 1 }
            _ = try done.wait(for: "the bursts of all clients", within: .seconds(60)) {
                $0 >= clients * (burst + 1) ? true : nil
            }
        }
    }

    @Test func `the gateway closes an idle connection before the instance's timeout`() throws {
        let ended = Recorded<Duration>("a connection that the gateway has closed")
        let fixture = try ProxyFixture { connection, head in
            // The limit is four seconds. The gateway uses three of them.
            try connection.respond(200, headers: [("Keep-Alive", "timeout=4, max=100")], text: "fine")
            guard head.path == "/last" else { return }
            let start = ContinuousClock.now
            try connection.waitForEnd()
            ended.append(.now - start)
        }

        #expect(try fixture.request("GET", "/first").text == "fine")
        #expect(try fixture.request("GET", "/last").text == "fine")
        #expect(fixture.port(of: "/first") == fixture.port(of: "/last"))

        try ended.wait(forCount: 1)

        #expect(ended.values.allSatisfy { $0 < .seconds(4) })
    }

    @Test func `a connection whose announced timeout is 1 s is not reused`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(200, headers: [("Keep-Alive", "timeout=1")], text: "fine")
        }
        for path in ["/1", "/2"] { #expect(try fixture.request("GET", path).text == "fine") }

        #expect(fixture.port(of: "/1") != fixture.port(of: "/2"))
    }
}
