// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests requests that must not be repeated, especially prompts, on kept-alive connections.
@Suite(.onTestThreads) struct PromptConnectionTests {
    private static let clients = 64
    private static let requestsInBurst = 32
    /// The pauses before each burst except the first, in milliseconds. Their lengths are near the idle limit of
    /// connections for such requests, and near the idle limit of the instance.
    private static let pauses = [500...1500, 4500...5500, 500...1500, 4500...5500]

    private struct Session: Decodable {
        let title: String
    }

    /// The simulator creates a session for each POST that it receives. It loses bytes that arrive on a connection after
    /// more than a second without use, plus an allowance of 1.5 s for a busy machine. The longer pauses exceed both.
    @Test(.timeLimit(.minutes(5))) func `no prompt is lost or sent twice while kept-alive connections open and close`()
        throws
    {
        // Use a single loop, which keeps at most 64 connections.
        let fixture = try SimulatorFixture(
            "idle-loss=2500ms", flags: ["--access-log", "off"], environment: ["VIBE_THREADS": "1"])
        try fixture.start()
        let failures = Recorded<String>("a request that failed")
        let done = Monitor(0)
        let threads = try (0..<Self.clients).map { client in
            try TestThread {
                do {
                    try Self.use(fixture.gateway, client, done)
                } catch {
                    failures.append("\(error)")
                }
            }
        }
        for thread in threads { thread.join() }

        #expect(failures.values.isEmpty)

        let wanted = Self.clients * Self.requestsInBurst * (Self.pauses.count + 1)

        #expect(wanted >= 10_000)

        let list = try fixture.gateway.request("GET", ProxyFixture.target("/session"), within: .seconds(60))
        let titles = try JSONDecoder().decode([Session].self, from: Data(list.body)).map(\.title)

        #expect(titles.count == wanted)
        #expect(Set(titles).count == wanted)
    }

    /// Runs one client, which sends repeated bursts of requests with pauses between them. `done` counts the bursts of
    /// all clients, so that all connections are idle between bursts.
    private static func use(_ gateway: GatewayUnderTest, _ client: Int, _ done: Monitor<Int>) throws {
        var random = SeededGenerator(seed: UInt64(client))
        let connection = try gateway.connect()
        for burst in 0...pauses.count {
            if burst > 0 { try connection.pause(.milliseconds(Int.random(in: pauses[burst - 1], using: &random))) }
            for number in 0..<requestsInBurst {
                let title = "\(client)-\(burst)-\(number)"
                let answer = try connection.exchange(
                    "POST", ProxyFixture.target("/session"), headers: [GatewayUnderTest.authorization],
                    body: Array(#"{"title":"\#(title)"}"#.utf8), within: .seconds(30))
                guard answer.status == 200 else { throw TestFailure("\(title): \(answer.status) \(answer.text)") }
            }
            done.withLock { $0 += 1 }
            _ = try done.wait(for: "the bursts of all clients", within: .seconds(60)) {
                $0 >= clients * (burst + 1) ? true : nil
            }
        }
    }
}
