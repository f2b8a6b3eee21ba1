// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests unsolicited reports of a supervisor about servers that it found, restarted or gave up, or that were stopped
/// elsewhere.
@Suite struct SupervisedInstanceTests {
    private static let password = "password of a"

    @Test func `a server that already runs is adopted with its port`() async throws {
        let fixture = try await SupervisedFixture(
            found: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: Self.password])

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(await fixture.registry.start(.alpha) == .alreadyRunning(address: .loopback(5000)))

        let status = try #require(await fixture.registry.status(.alpha))

        #expect(status.report.processIdentifier == 4711)
        #expect(status.report.restarts == 0)
        // The instance has been ready since its own start, regardless of when the gateway started.
        #expect(status.report.sinceText == "2026-11-21T20:47:03Z")
        #expect(fixture.supervisor.calls.withLock { $0 } == [])

        await fixture.tearDown()

        #expect(fixture.supervisor.calls.withLock { $0 } == [], "it outlives the gateway")
    }

    @Test func `a server that already runs is ready once the registry is open`() async throws {
        let fixture = try await SupervisedFixture(
            found: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: Self.password], settles: .seconds(60))

        #expect(await fixture.registry.status(.alpha)?.project.state == .ready(address: .loopback(5000)))

        await fixture.tearDown()
    }

    @Test func `a found server that does not become ready does not block the registry`() async throws {
        let fixture = try await SupervisedFixture(
            found: [(.alpha, .launched(SupervisedFixture.run("a", found: true)))], settles: .milliseconds(20))

        #expect(await fixture.registry.status(.alpha)?.project.state == .booting)

        await fixture.tearDown()
    }

    @Test func `a running server without a project folder is also adopted`() async throws {
        let fixture = try await SupervisedFixture(
            projects: [],
            found: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: Self.password])

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(await fixture.registry.status(.alpha)?.project.folder.path == "\(fixture.home.path)/alpha")

        await fixture.tearDown()
    }

    @Test func `a password that becomes known after the launch is used`() async throws {
        let fixture = try await SupervisedFixture(healthy: [5000: Self.password])
        let whole = SupervisedFixture.run("a")
        let first = Run(id: "a", processIdentifier: whole.processIdentifier, credentials: nil, started: whole.started)
        await fixture.supervisor.report(
            .alpha, .launched(first), .launched(whole), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.tearDown()
    }

    @Test func `a restart by the supervisor invalidates the old port at once, and the new one is found`() async throws {
        let fixture = try await SupervisedFixture(healthy: [5000: Self.password, 5001: "password of b"])
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))
        let first = try #require(await fixture.route(to: .alpha) { $0.endpoint != nil }?.endpoint)
        await fixture.supervisor.report(.alpha, .exited("a", .restarts(after: .seconds(5))))
        let meanwhile = try #require(await fixture.route(to: .alpha) { $0.endpoint == nil })

        #expect(meanwhile.state.isComing)

        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("b")), .announced(run: "b", address: .loopback(5001)))
        let second = try #require(await fixture.route(to: .alpha) { $0.endpoint != nil }?.endpoint)

        #expect(second.address.port == 5001)
        #expect(second.generation > first.generation)
        #expect(second.authorization != first.authorization)

        let report = try #require(await fixture.registry.status(.alpha)?.report)

        #expect(report.restarts == 1)
        #expect(report.lastError == "OpenCode ended with signal SIGKILL. Its last output:\nboom")

        await fixture.tearDown()
    }

    @Test func `a new run invalidates the old run's port even if the old run's end was not reported`() async throws {
        let fixture = try await SupervisedFixture(healthy: [5000: Self.password])
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .launched(SupervisedFixture.run("b")))

        #expect(await fixture.route(to: .alpha) { $0.endpoint == nil }?.state == .booting)

        // The last reports of the old run are ignored.
        await fixture.supervisor.report(.alpha, .announced(run: "a", address: .loopback(5000)), .exited("a", .failed))

        #expect(await fixture.registry.status(.alpha)?.project.state == .booting)

        await fixture.tearDown()
    }

    @Test func `an external stop changes the state at once`() async throws {
        let fixture = try await SupervisedFixture(healthy: [5000: Self.password])
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .ending(run: "a"))

        #expect(await fixture.registry.status(.alpha)?.project.state == .stopping)

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))

        #expect(await fixture.registry.status(.alpha)?.project.state == .stopped)
        #expect(fixture.supervisor.calls.withLock { $0 } == [])

        await fixture.tearDown()
    }

    @Test func `an instance whose supervisor gives up stays failed until the next start`() async throws {
        let fixture = try await SupervisedFixture()
        await fixture.supervisor.report(.alpha, .launched(SupervisedFixture.run("a")), .exited("a", .gaveUp))

        #expect(await fixture.registry.status(.alpha)?.report.state == "failed")

        async let answer = fixture.registry.start(.alpha)

        #expect(await fixture.reaches(.starting))
        #expect(fixture.supervisor.calls.withLock { $0 } == ["start alpha"])

        await fixture.supervisor.report(.alpha, .launchFailed(reason: "There is no such unit."))

        #expect(await answer == .failed("Failed to start service: There is no such unit."))

        await fixture.tearDown()
    }

    @Test func `the error of a start without a port refers to the journal`() async throws {
        var limits = InstanceLimits()
        limits.start = .milliseconds(50)
        let fixture = try await SupervisedFixture(limits: limits)
        async let answer = fixture.registry.start(.alpha)

        #expect(await fixture.reaches(.starting))

        await fixture.supervisor.report(.alpha, .launched(SupervisedFixture.run("a")))

        #expect(
            await answer
                == .failed(
                    "Service started but failed to get port. "
                        + "Check logs with: journalctl --user -u opencode@alpha"))

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))
        let error = await fixture.registry.status(.alpha)?.report.lastError

        #expect(error?.hasSuffix("Its last output:\ntail of alpha") == true)

        await fixture.tearDown()
    }

    @Test func `an unreachable supervisor is reported by start, stop and status`() async throws {
        let fixture = try await SupervisedFixture(healthy: [5000: Self.password])
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announced(run: "a", address: .loopback(5000)))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(unavailable: "The bus is gone.")

        #expect(await fixture.registry.start(.alpha) == .alreadyRunning(address: .loopback(5000)))
        #expect(await fixture.registry.start(.beta) == .failed("Failed to start service: The bus is gone."))
        #expect(await fixture.registry.stop(.alpha) == .failed("Failed to stop service: The bus is gone."))
        // It is unknown whether the instance runs.
        #expect(await fixture.registry.stop(.beta) == .failed("Failed to stop service: The bus is gone."))
        #expect(await fixture.registry.status(.alpha)?.report.warnings == ["The bus is gone."])

        await fixture.supervisor.report(unavailable: nil)

        #expect(await fixture.registry.stop(.beta) == .stopped)
        #expect(await fixture.registry.status(.alpha)?.report.warnings == [])

        await fixture.tearDown()
    }

    @Test func `warnings belong to one run and end with it`() async throws {
        let fixture = try await SupervisedFixture(digest: { _ in "new" })
        fixture.listen(on: 5000, Self.password, enforces: false)
        let run = SupervisedFixture.run("a", digest: "old")
        await fixture.supervisor.report(
            .alpha, .launched(run),
            .announced(run: "a", address: .loopback(5000), warning: "Its port was found by its socket."))

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        let warnings = try #require(await fixture.registry.status(.alpha)?.report.warnings)

        #expect(
            warnings == [
                "password not enforced by this OpenCode version", "Its port was found by its socket.",
                "the environment files or --isolate-sessions have changed since the instance started: restart to apply",
            ])
        #expect(fixture.lines.all.contains { $0.message == "password not enforced by this OpenCode version" })

        fixture.listen(on: 5001, "password of b")
        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("b", digest: "new")), .announced(run: "b", address: .loopback(5001))
        )

        #expect(await fixture.reaches(.ready(address: .loopback(5001))))
        #expect(await fixture.registry.status(.alpha)?.report.warnings == [])

        await fixture.tearDown()
    }
}
