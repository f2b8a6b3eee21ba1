// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import Projects
import TemporaryHomes
import Testing

/// Tests the recorded events of instances, and how the next gateway uses them.
@Suite struct HistoryTests {
    private static let started = SupervisedFixture.run("a").started
    private let history = RecordedHistory()

    private func fixture(
        _ history: RecordedHistory, found: [(ProjectName, SupervisedEvent)] = [], outlives: Bool = true
    ) async throws -> SupervisedFixture {
        var limits = InstanceLimits()
        limits.restartDelay = .milliseconds(1)
        return try await SupervisedFixture(
            limits: limits, outlivesGateway: outlives, found: found,
            healthy: [5000: "password of a", 5001: "password of b"], history: history)
    }

    @Test func `each event of an instance is recorded with its initiator and reason`() async throws {
        let fixture = try await fixture(history)
        async let started = fixture.registry.start(.alpha, by: "phone")

        #expect(await fixture.reaches(.starting))

        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await started == .started(address: .loopback(5000)))

        await fixture.supervisor.report(.alpha, .exited("a", .failed))

        #expect(await fixture.reaches(.starting))

        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("b")), .announced(run: "b", address: .loopback(5001)))

        #expect(await fixture.reaches(.ready(address: .loopback(5001))))

        async let stopped = fixture.registry.stop(.alpha, by: "laptop")

        #expect(await fixture.reaches(.stopping))

        await fixture.supervisor.report(.alpha, .exited("b", .stopped))

        #expect(await stopped == .stopped)
        #expect(
            history.words(.alpha) == [
                "started by phone", "ready 1.18.33",
                "ended: OpenCode ended with signal SIGKILL.", "restarted", "ready 1.18.33", "stopped by laptop",
            ])

        let times = history[.alpha].map(\.time)

        #expect(times == times.sorted())
        #expect(await fixture.registry.history(of: .alpha) == .events(history[.alpha]))
        #expect(history[.beta] == [])

        await fixture.tearDown()
    }

    @Test func `an instance's external events are recorded`() async throws {
        let fixture = try await fixture(history)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .exited("a", .restarts(after: nil)))
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("b", found: true)), .announced(run: "b", address: .loopback(5001)))

        #expect(await fixture.reaches(.ready(address: .loopback(5001))))

        await fixture.supervisor.report(.alpha, .ending(run: "b"), .exited("b", .stopped))

        #expect(
            history.words(.alpha) == [
                "found", "ready 1.18.33", "ended: OpenCode ended with signal SIGKILL.", "restarted", "ready 1.18.33",
                "stopped: The instance was stopped, but not through the gateway.",
            ])

        await fixture.tearDown()
    }

    @Test func `a failed stop is distinguished from a later external stop`() async throws {
        let fixture = try await fixture(history)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        async let stopped = fixture.registry.stop(.alpha, by: "phone")

        #expect(await fixture.reaches(.stopping))

        await fixture.supervisor.report(.alpha, .stopFailed(reason: "Access denied."))

        #expect(await stopped == .failed(InstanceMessage.stopFailed("Access denied.")))
        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))

        #expect(
            history.words(.alpha) == [
                "found", "ready 1.18.33", "stopped: The instance was stopped, but not through the gateway.",
            ])

        await fixture.tearDown()
    }

    @Test(.timeLimit(.minutes(5)))
    func `an external stop is recorded as such even if a client requests a stop at the same time`() async throws {
        let fixture = try await fixture(history)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .ending(run: "a"))

        #expect(await fixture.reaches(.stopping))

        async let stopped = fixture.registry.stop(.alpha, by: "phone")
        while fixture.supervisor.calls.withLock({ !$0.contains("terminate alpha") }) { await Task.yield() }
        await fixture.supervisor.report(.alpha, .exited("a", .stopped))

        #expect(await stopped == .stopped)
        #expect(
            history.words(.alpha).last == "stopped: The instance was stopped, but not through the gateway.")

        await fixture.tearDown()
    }

    @Test func `a stop, the start that waits for it and a later stop are separate events`() async throws {
        let fixture = try await fixture(history)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        async let stopped = fixture.registry.stop(.alpha, by: "phone")

        #expect(await fixture.reaches(.stopping))

        async let started = fixture.registry.start(.alpha, by: "laptop")

        #expect(await fixture.reaches(.starting))
        // The event is not recorded yet, because the supervisor could still reject the stop.
        #expect(history.words(.alpha) == ["found", "ready 1.18.33"])

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))

        #expect(await stopped == .stopped)

        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("b")), .announced(run: "b", address: .loopback(5001)))

        #expect(await started == .started(address: .loopback(5001)))

        await fixture.supervisor.report(.alpha, .ending(run: "b"), .exited("b", .stopped))

        #expect(
            history.words(.alpha) == [
                "found", "ready 1.18.33", "stopped by phone", "started by laptop", "ready 1.18.33",
                "stopped: The instance was stopped, but not through the gateway.",
            ])

        await fixture.tearDown()
    }

    @Test func `a crash that is followed by a start is recorded with its reason`() async throws {
        let fixture = try await fixture(history)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .mainProcessExited(run: "a"))

        #expect(await fixture.reaches(.restarting(reason: "OpenCode exited.", delay: nil)))

        // Request the start while a part of the instance remains.
        async let started = fixture.registry.start(.alpha, by: "phone")

        #expect(await fixture.reaches(.starting))

        await fixture.supervisor.report(.alpha, .exited("a", .failed))
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("b")), .announced(run: "b", address: .loopback(5001)))

        #expect(await started == .started(address: .loopback(5001)))
        #expect(
            history.words(.alpha) == [
                "found", "ready 1.18.33", "ended: OpenCode ended with signal SIGKILL.", "started by phone",
                "ready 1.18.33",
            ])

        await fixture.tearDown()
    }

    @Test func `neither a failed stop nor the start that waits for it is recorded`() async throws {
        let fixture = try await fixture(history)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        async let stopped = fixture.registry.stop(.alpha, by: "phone")

        #expect(await fixture.reaches(.stopping))

        async let started = fixture.registry.start(.alpha, by: "laptop")

        #expect(await fixture.reaches(.starting))

        await fixture.supervisor.report(.alpha, .stopFailed(reason: "Access denied."))
        _ = await (stopped, started)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(history.words(.alpha) == ["found", "ready 1.18.33"])

        await fixture.tearDown()
    }

    @Test func `an instance that is a child process is recorded as stopped by the gateway's end`() async throws {
        let fixture = try await fixture(history, outlives: false)
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        async let end: Void = fixture.tearDown()

        #expect(await fixture.reaches(.stopping))

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))
        await end

        #expect(history.words(.alpha).last == "stopped: The gateway has ended, and its child processes with it.")
    }

    @Test func `the next gateway knows a failure with its time and reason`() async throws {
        let first = try await fixture(history)
        await first.supervisor.report(.alpha, .launched(SupervisedFixture.run("a")), .exited("a", .gaveUp))
        let before = try #require(await first.registry.status(.alpha)?.report)

        #expect(before.state == "failed")

        // The gateway reports the server's output during the gateway's own lifetime, but never records the output.
        let ended = "OpenCode ended with signal SIGKILL before it announced its port."

        #expect(before.lastError == "\(ended) Its last output:\nboom")
        #expect(history.words(.alpha).last == "failed: \(ended)")

        await first.tearDown()
        let second = try await fixture(history)
        let after = try #require(await second.registry.status(.alpha)?.report)

        #expect(after.state == "failed")
        #expect(after.since == before.since)
        #expect(after.since == history[.alpha].last?.time)
        #expect(after.lastError == ended)
        #expect(await second.route(to: .alpha) { _ in true }?.state.name == "failed")

        // The failure does not prevent a new start.
        async let started = second.registry.start(.alpha)

        #expect(await second.reaches(.starting))

        await second.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await started == .started(address: .loopback(5000)))
        #expect(await second.registry.status(.alpha)?.report.lastError == nil)

        await second.tearDown()
    }

    @Test func `a stop that clears a failure is recorded`() async throws {
        let fixture = try await fixture(
            RecordedHistory([.alpha: [InstanceEvent(time: 7, kind: .failed, reason: "why")]]))

        #expect(await fixture.registry.status(.alpha)?.report.lastError == "why")
        #expect(await fixture.registry.stop(.alpha, by: "phone") == .stopped)

        guard case .events(let events) = await fixture.registry.history(of: .alpha) else {
            Issue.record("there is no history")
            return
        }
        let last = try #require(events.last)

        #expect(last.kind == .stopped)
        #expect(last.actor == "phone")
        #expect(last.reason == nil)

        await fixture.tearDown()
    }

    @Test func `a restart of the gateway records no event for a running instance`() async throws {
        let ready = InstanceEvent(time: Self.started + 5_000_000_000, kind: .ready, version: "1.18.33")
        let history = RecordedHistory([.alpha: [ready]])
        let fixture = try await fixture(
            history,
            found: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ])

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(history[.alpha] == [ready])
        #expect(await fixture.registry.status(.alpha)?.report.since == ready.time)

        await fixture.tearDown()
    }

    @Test func `a run that began after the last event is recorded as found`() async throws {
        let history = RecordedHistory([.alpha: [InstanceEvent(time: Self.started - 1, kind: .ready)]])
        let fixture = try await fixture(
            history,
            found: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ])

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(history.words(.alpha) == ["ready", "found", "ready 1.18.33"])
        #expect(await fixture.registry.status(.alpha)?.report.since == Self.started)

        await fixture.tearDown()
    }

    @Test func `an instance that should run but does not is recorded as lost`() async throws {
        let history = RecordedHistory([
            .alpha: [InstanceEvent(time: 7, kind: .ready)], .beta: [InstanceEvent(time: 8, kind: .stopped)],
        ])
        let fixture = try await fixture(history)

        #expect(
            history.words(.alpha).last
                == "lost: The instance ended while no gateway was running.")
        #expect(history.words(.beta) == ["stopped"])
        #expect(await fixture.registry.status(.alpha)?.report.state == "stopped")
        #expect(await fixture.registry.status(.alpha)?.report.since == history[.alpha].last?.time)
        #expect(await fixture.registry.status(.beta)?.report.since == 8)

        await fixture.tearDown()
    }

    @Test func `an unavailable history is reported with its reason`() async throws {
        let fixture = try await SupervisedFixture(history: NoInstanceHistory(reason: "The disk is full."))

        #expect(await fixture.registry.history(of: .alpha) == .unavailable("The disk is full."))

        let other = try #require(ProjectName("nowhere"))

        #expect(await fixture.registry.history(of: other) == .notFound)

        await fixture.tearDown()
    }

    @Test func `an event's JSON has every member, with null for an unknown value`() {
        let event = InstanceEvent(time: 1_795_294_023_456_789_000, kind: .failed, reason: "a \"b\"\nc")

        #expect(
            event.json
                == #"{"time":"2026-11-21T20:47:03.456Z","event":"failed","by":null,"version":null,"reason":"a \"b\"\nc"}"#
        )

        let whole = InstanceEvent(time: 0, kind: .ready, actor: "k", version: "1.2.27")

        #expect(
            whole.json
                == #"{"time":"1970-01-01T00:00:00.000Z","event":"ready","by":"k","version":"1.2.27","reason":null}"#)
    }
}
