// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import Logging
import Projects
import TemporaryHomes
import Testing

/// Tests a registry whose projects have different supervisors.
@Suite(.timeLimit(.minutes(5))) struct TwoSupervisorsTests {
    /// Limits under which no server is killed after it has ended, even if the machine is busy.
    private static var limits: InstanceLimits {
        var limits = InstanceLimits()
        limits.stop = .seconds(300)
        return limits
    }

    private func start(_ fixture: SupervisedFixture, _ name: ProjectName, by supervisor: FakeSupervisor) async
        -> StartAnswer
    {
        let port: UInt16 = name == .alpha ? 4096 : 4097
        fixture.listen(on: port, "password of \(name)")
        async let answer = fixture.registry.start(name)
        #expect(await fixture.reaches(.starting, name))
        await supervisor.report(
            name, .launched(SupervisedFixture.run("\(name)")), .announced(run: "\(name)", address: .loopback(port)))
        return await answer
    }

    @Test func `each project is started and stopped by its configured supervisor`() async throws {
        let fixture = try await SupervisedFixture(limits: Self.limits, ofOther: [.beta])

        #expect(await start(fixture, .alpha, by: fixture.supervisor) == .started(address: .loopback(4096)))
        #expect(await start(fixture, .beta, by: fixture.other) == .started(address: .loopback(4097)))
        #expect(fixture.supervisor.calls.withLock { $0 } == ["start alpha"])
        #expect(fixture.other.calls.withLock { $0 } == ["start beta"])

        async let stopped = fixture.registry.stop(.beta)

        #expect(await fixture.reaches(.stopping, .beta))

        await fixture.other.report(.beta, .exited("beta", .stopped))

        #expect(await stopped == .stopped)
        #expect(fixture.other.calls.withLock { $0 } == ["start beta", "terminate beta"])
        #expect(fixture.supervisor.calls.withLock { $0 } == ["start alpha"])

        await fixture.tearDown()
    }

    @Test func `a found server is controlled by the supervisor that found it, not the configured one`() async throws {
        let fixture = try await SupervisedFixture(
            ofOther: [.beta],
            foundByOther: [
                (.alpha, .launched(SupervisedFixture.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(4096))),
            ], healthy: [4096: "password of a"])

        #expect(await fixture.reaches(.ready(address: .loopback(4096))))

        async let stopped = fixture.registry.stop(.alpha)

        #expect(await fixture.reaches(.stopping))

        await fixture.other.report(.alpha, .exited("a", .stopped))

        #expect(await stopped == .stopped)
        #expect(fixture.other.calls.withLock { $0 } == ["terminate alpha"])
        // The named supervisor runs the next server again.
        #expect(await start(fixture, .alpha, by: fixture.supervisor) == .started(address: .loopback(4096)))
        #expect(fixture.supervisor.calls.withLock { $0 } == ["start alpha"])

        await fixture.tearDown()
    }

    @Test func `a second server of a project is not used`() async throws {
        let fixture = try await SupervisedFixture(ofOther: [.beta])
        _ = await start(fixture, .alpha, by: fixture.supervisor)
        await fixture.other.report(
            .alpha, .launched(SupervisedFixture.run("b", found: true)), .announced(run: "b", address: .loopback(5000)),
            .exited("alpha", .failed))
        let status = await fixture.registry.status(.alpha)

        #expect(status?.project.state == .ready(address: .loopback(4096)))
        #expect(fixture.lines.all.contains { $0.message.hasPrefix("two supervisors run a server of the same project") })

        await fixture.tearDown()
    }

    @Test func `an unreachable supervisor does not affect the other supervisor's projects`() async throws {
        let fixture = try await SupervisedFixture(ofOther: [.beta])
        await fixture.other.report(unavailable: "It is gone.")

        #expect(await fixture.registry.start(.beta) == .failed("Failed to start service: It is gone."))
        #expect(await fixture.registry.status(.beta)?.report.warnings == ["It is gone."])
        #expect(await fixture.registry.status(.alpha)?.report.warnings == [])
        #expect(await start(fixture, .alpha, by: fixture.supervisor) == .started(address: .loopback(4096)))

        await fixture.tearDown()
    }

    @Test func `the gateway's end stops only instances that do not outlive it`() async throws {
        let fixture = try await SupervisedFixture(limits: Self.limits, ofOther: [.beta])
        _ = await start(fixture, .alpha, by: fixture.supervisor)
        _ = await start(fixture, .beta, by: fixture.other)
        async let ended: Void = fixture.tearDown()

        #expect(await fixture.reaches(.stopping, .beta))

        await fixture.other.report(.beta, .exited("beta", .stopped))
        await ended

        #expect(fixture.supervisor.calls.withLock { $0 } == ["start alpha"])
        #expect(fixture.other.calls.withLock { $0 } == ["start beta", "terminate beta"])
    }
}
