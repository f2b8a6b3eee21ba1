// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import Projects
import TemporaryHomes
import Testing

/// Tests a history that becomes readable only after instances were requested, because another gateway had locked it or
/// its disk was full.
@Suite(.timeLimit(.minutes(1))) struct LateHistoryTests {
    private static let started = SupervisedFixture.run("a").started

    @Test func `a failure in a history that opens late is restored with its time and reason`() async throws {
        let history = RecordedHistory(
            [.alpha: [InstanceEvent(time: 7, kind: .failed, reason: "why")]], isOpen: false)
        let fixture = try await SupervisedFixture(history: history)

        #expect(await fixture.registry.status(.alpha)?.report.state == "stopped")

        history.open()

        #expect(await fixture.route(to: .alpha) { $0.state == .failed(reason: "why") } != nil)

        let report = try #require(await fixture.registry.status(.alpha)?.report)

        #expect(report.since == 7)
        #expect(report.lastError == "why")
        #expect(history.words(.alpha) == ["failed: why"])

        await fixture.tearDown()
    }

    @Test func `stopped and lost instances are restored from a history that opens late`() async throws {
        let history = RecordedHistory(
            [.alpha: [InstanceEvent(time: 7, kind: .ready)], .beta: [InstanceEvent(time: 8, kind: .stopped)]],
            isOpen: false)
        let fixture = try await SupervisedFixture(history: history)

        #expect(history.words(.alpha) == ["ready"])

        history.open()
        while history[.alpha].count < 2, !Task.isCancelled { await Task.yield() }
        let lost = try #require(history[.alpha].last)

        #expect(
            history.words(.alpha) == [
                "ready", "lost: The instance ended while no gateway was running.",
            ])
        #expect(await fixture.registry.status(.alpha)?.report.since == lost.time)
        #expect(await fixture.registry.status(.beta)?.report.since == 8)
        #expect(history.words(.beta) == ["stopped"])

        await fixture.tearDown()
    }

    @Test func `states that this gateway has observed override a history that opens late`() async throws {
        let history = RecordedHistory(
            [
                .alpha: [InstanceEvent(time: 7, kind: .failed, reason: "why")],
                .beta: [InstanceEvent(time: 8, kind: .ready)], .gamma: [InstanceEvent(time: 9, kind: .failed)],
            ], isOpen: false)
        let fixture = try await SupervisedFixture(projects: ["alpha", "beta", "gamma"], history: history)
        // Alpha is starting, and beta was stopped in the meantime.
        async let alpha = fixture.registry.start(.alpha, by: "phone")

        #expect(await fixture.reaches(.starting))

        async let beta = fixture.registry.start(.beta)

        #expect(await fixture.reaches(.starting, .beta))

        await fixture.supervisor.report(.beta, .launched(SupervisedFixture.run("b")), .exited("b", .stopped))
        _ = await beta
        let stopped = try #require(await fixture.registry.status(.beta)?.report.since)
        history.open()

        // When gamma's failure is known, all other results are known, too.
        #expect(await fixture.route(to: .gamma) { $0.state.name == "failed" } != nil)
        #expect(await fixture.registry.status(.gamma)?.report.since == 9)

        let report = try #require(await fixture.registry.status(.alpha)?.report)

        #expect(report.state == "starting")
        #expect(report.lastError == nil)
        #expect(report.since > 7)
        #expect(history.words(.alpha) == ["failed: why", "started by phone"])
        #expect(await fixture.registry.status(.beta)?.report.since == stopped)
        #expect(
            history.words(.beta) == [
                "ready", "started", "stopped: The instance was stopped, but not through the gateway.",
            ])

        await fixture.tearDown()
        _ = await alpha
    }

    @Test func `an adopted server's ready time comes from the earlier gateway's history`() async throws {
        let ready = InstanceEvent(time: Self.started + 5_000_000_000, kind: .ready, version: "1.18.33")
        let history = RecordedHistory(
            [.alpha: [ready], .beta: [InstanceEvent(time: 8, kind: .failed)]], isOpen: false)
        let fixture = try await SupervisedFixture(
            found: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: "password of a"], history: history)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(await fixture.registry.status(.alpha)?.report.since == Self.started)

        history.open()

        #expect(await fixture.route(to: .beta) { $0.state.name == "failed" } != nil)
        #expect(await fixture.registry.status(.alpha)?.report.since == ready.time)

        await fixture.tearDown()
    }
}
