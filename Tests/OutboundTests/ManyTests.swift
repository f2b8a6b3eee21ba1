// SPDX-License-Identifier: Apache-2.0

import Locking
import TestKit
import Testing

@testable import Outbound

@Suite("Many requests at once", .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing"))
struct ManyTests {
    /// Returns a server that does not respond before it is released.
    private static func silent(mostAtOnce: Int = 64, mostWaiting: Int = 1024) throws -> OutboundFixture {
        try OutboundFixture(mostAtOnce: mostAtOnce, mostWaiting: mostWaiting) { connection in
            _ = try connection.readRequestHead()
            _ = try connection.waitForEnd(within: .seconds(60))
        }
    }

    @Test func `all requests are answered, and at most five run at once`() async throws {
        let counter = Counter()
        let fixture = try OutboundFixture(mostAtOnce: 5) { connection in
            while try connection.readRequest(within: .seconds(60)) != nil {
                counter.enter()
                // The pause is long enough for further requests to arrive.
                try connection.pause(.milliseconds(20))
                counter.decrement()
                try connection.respond(200)
            }
        }
        let request = try fixture.request()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<60 { group.addTask { try await fixture.outbound.send(request).head.status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses == Array(repeating: 200, count: 60))
        #expect(counter.most > 1, "\(counter.most)")
        #expect(counter.most <= 5, "\(counter.most)")
    }

    @Test func `a request beyond the queue's limit fails at once, and a queued one at its timeout`() async throws {
        let fixture = try Self.silent(mostAtOnce: 1, mostWaiting: 1)
        let ends = Recorded<(String, OutboundFailure.Kind?)>()
        @Sendable func start(_ name: String, _ timeout: Duration) throws {
            var request = try fixture.request("GET", "/\(name)")
            request.timeout = timeout
            fixture.outbound.start(request) { if case .ended(let failure) = $0 { ends.append((name, failure?.kind)) } }
        }
        try start("first", .seconds(30))
        try fixture.server.wait(forActiveConnections: 1)
        try start("second", .milliseconds(300))
        try start("third", .seconds(30))
        let seen = try ends.wait(forCount: 2)

        #expect(seen[0].0 == "third")
        #expect(seen[0].1 == .unavailable)
        #expect(seen[1].0 == "second")
        #expect(seen[1].1 == .time)
    }

    @Test func `a cancelled task ends its request, whether it is running or queued`() async throws {
        let fixture = try Self.silent(mostAtOnce: 1)
        let request = try fixture.request("POST")
        let running = Task { await fixture.failure(request) }
        try await fixture.active(1)
        let waiting = Task { await fixture.failure(request) }
        waiting.cancel()

        #expect(await waiting.value?.kind == .cancelled)

        running.cancel()

        #expect(await running.value?.kind == .cancelled)

        // The connection of the request is also closed.
        try await fixture.active(0)
    }

    @Test func `a stop fails all running, queued and later requests`() async throws {
        let fixture = try Self.silent(mostAtOnce: 1)
        let request = try fixture.request()
        let tasks = (0..<2).map { _ in Task { await fixture.failure(request) } }
        try await fixture.active(1)
        fixture.outbound.stop()
        for task in tasks { #expect(await task.value?.kind == .unavailable) }

        #expect(await fixture.failure(request)?.kind == .unavailable)
    }
}

/// Counts concurrent requests and records the maximum.
private final class Counter: Sendable {
    private let state = Locked((now: 0, most: 0))

    func enter() {
        state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func decrement() { state.withLock { $0.now -= 1 } }

    var most: Int { state.withLock { $0.most } }
}
