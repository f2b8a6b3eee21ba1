// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that an event is written to the streams before a response that is produced later.
@Suite(.onTestThreads) struct StreamOrderTests {
    private static let home = "/home/vibe"
    private static let misbehaviour = MisbehaviourSwitch(Misbehaviour())

    @Test func `OpenCode 1 writes an event to its streams before a later response`() throws {
        let bus = EventBus(profile: .newest)
        let simulator = Simulator(
            profile: .newest, credentials: nil, misbehaviour: Self.misbehaviour, heartbeat: .seconds(60), pace: 0,
            directory: Self.home, home: Self.home, store: SessionStore(), bus: bus)

        try expectOrder(simulator, simulator.feed(directory: nil), "/session")
    }

    @Test func `OpenCode 2 writes an event to its streams before a later response`() throws {
        let bus = EventBus2()
        let folder = try TemporaryDirectory()
        let simulator = Simulator2(
            profile: .recorded, credentials: nil, misbehaviour: Self.misbehaviour, heartbeat: .seconds(60), pace: 0,
            directory: folder.path, home: folder.path, bus: bus,
            locations: Locations2(bus: bus, pace: 0, quietMilliseconds: 60_000),
            worktrees: Worktrees2(root: "\(folder.path)/worktrees"), store: SessionStore2(folder: nil, bus: bus))

        try expectOrder(simulator, bus.feed(interval: .seconds(60)), "/api/session")
    }

    /// Expects that the stream publishes a new session before the response arrives. The test itself writes the stream.
    private func expectOrder(_ simulator: some Application, _ feed: EventFeed, _ path: String) throws {
        let server = try TestServer { try simulator.serve($0) }
        let subscription = feed.subscribe()
        let answered = Latch("an answer")
        let client = try TestThread {
            _ = try? TestClient.request(port: server.port, "POST", path, text: "{}")
            answered.open()
        }
        var isReported = false
        while !isReported, let items = subscription.next(by: Deadline(after: .seconds(10))) {
            isReported = items.contains { item in
                if case .frame(let text) = item { text.contains("session.created") } else { false }
            }
        }
        #expect(isReported)
        #expect(!answered.isOpened(within: .milliseconds(100)))
        _ = subscription.next(by: Deadline(after: .zero))
        #expect(answered.isOpened(within: .seconds(10)))
        client.join()
    }

    /// A reader that does not read delays one response, and no further response until it reads again.
    @Test func `a stream that is not read delays only one response`() throws {
        let subscription = EventSubscription(number: 0, directory: nil)
        subscription.append("1")

        #expect(!subscription.waitUntilWritten(within: .milliseconds(50)))

        let start = ContinuousClock.now

        #expect(!subscription.waitUntilWritten(within: .seconds(60)))
        #expect(ContinuousClock.now - start < .seconds(30), "it was waited for once more")

        let past = Deadline(after: .zero)

        #expect(subscription.next(by: past)?.count == 1)
        #expect(subscription.next(by: past) == nil)

        subscription.append("2")
        let reader = try TestThread {
            for _ in 0..<2 { _ = subscription.next(by: Deadline(after: .milliseconds(50))) }
        }

        #expect(subscription.waitUntilWritten(within: .seconds(10)))

        reader.join()
    }
}
