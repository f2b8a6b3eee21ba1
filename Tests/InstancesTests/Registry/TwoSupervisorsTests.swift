import Addresses
import Homes
import Instances
import Locking
import Logging
import Projects
import Testing

/// A registry whose projects have different supervisors.
@Suite(.timeLimit(.minutes(5))) struct TwoSupervisorsTests {
    /// Limits with which no server is killed after it has ended, however busy the machine is.
    private static var limits: InstanceLimits {
        var limits = InstanceLimits()
        limits.stop = .seconds(300)
        return limits
    }

    private func start(_ rig: SupervisedRig, _ name: ProjectName, by supervisor: FakeSupervisor) async -> StartAnswer {
        let port: UInt16 = name == .alpha ? 4096 : 4097
        rig.listen(on: port, "password of \(name)")
        async let answer = rig.registry.start(name)
        #expect(await rig.reaches(.starting, name))
        await supervisor.tell(
            name, .launched(SupervisedRig.run("\(name)")), .announced(run: "\(name)", address: .loopback(port)))
        return await answer
    }

    @Test func eachProjectIsStartedAndStoppedByTheOneThatItNames() async throws {
        let rig = try await SupervisedRig(limits: Self.limits, ofOther: [.beta])
        #expect(await start(rig, .alpha, by: rig.supervisor) == .started(address: .loopback(4096)))
        #expect(await start(rig, .beta, by: rig.other) == .started(address: .loopback(4097)))
        #expect(rig.supervisor.calls.withLock { $0 } == ["start alpha"])
        #expect(rig.other.calls.withLock { $0 } == ["start beta"])
        async let stopped = rig.registry.stop(.beta)
        #expect(await rig.reaches(.stopping, .beta))
        await rig.other.tell(.beta, .exited("beta", .stopped))
        #expect(await stopped == .stopped)
        #expect(rig.other.calls.withLock { $0 } == ["start beta", "terminate beta"])
        #expect(rig.supervisor.calls.withLock { $0 } == ["start alpha"])
        await rig.end()
    }

    @Test func whatIsFoundRunningIsItsFindersWhoeverIsNamed() async throws {
        let rig = try await SupervisedRig(
            ofOther: [.beta],
            foundByOther: [
                (.alpha, .launched(SupervisedRig.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(4096))),
            ], healthy: [4096: "password of a"])
        #expect(await rig.reaches(.ready(address: .loopback(4096))))
        async let stopped = rig.registry.stop(.alpha)
        #expect(await rig.reaches(.stopping))
        await rig.other.tell(.alpha, .exited("a", .stopped))
        #expect(await stopped == .stopped)
        #expect(rig.other.calls.withLock { $0 } == ["terminate alpha"])
        // The next server is run by the named supervisor again.
        #expect(await start(rig, .alpha, by: rig.supervisor) == .started(address: .loopback(4096)))
        #expect(rig.supervisor.calls.withLock { $0 } == ["start alpha"])
        await rig.end()
    }

    @Test func aSecondServerOfAProjectIsNotUsed() async throws {
        let rig = try await SupervisedRig(ofOther: [.beta])
        _ = await start(rig, .alpha, by: rig.supervisor)
        await rig.other.tell(
            .alpha, .launched(SupervisedRig.run("b", found: true)), .announced(run: "b", address: .loopback(5000)),
            .exited("alpha", .failed))
        let status = await rig.registry.status(.alpha)
        #expect(status?.project.state == .ready(address: .loopback(4096)))
        #expect(rig.lines.all.contains { $0.message.hasPrefix("Two supervisors run a server of one project") })
        await rig.end()
    }

    @Test func oneThatCannotBeReachedLeavesTheOthersProjectsAlone() async throws {
        let rig = try await SupervisedRig(ofOther: [.beta])
        await rig.other.tell(unavailable: "It is gone.")
        #expect(await rig.registry.start(.beta) == .failed("Failed to start service: It is gone."))
        #expect(await rig.registry.status(.beta)?.report.warnings == ["It is gone."])
        #expect(await rig.registry.status(.alpha)?.report.warnings == [])
        #expect(await start(rig, .alpha, by: rig.supervisor) == .started(address: .loopback(4096)))
        await rig.end()
    }

    @Test func atTheEndOnlyThoseEndThatDoNotOutliveTheGateway() async throws {
        let rig = try await SupervisedRig(limits: Self.limits, ofOther: [.beta])
        _ = await start(rig, .alpha, by: rig.supervisor)
        _ = await start(rig, .beta, by: rig.other)
        async let ended: Void = rig.end()
        #expect(await rig.reaches(.stopping, .beta))
        await rig.other.tell(.beta, .exited("beta", .stopped))
        await ended
        #expect(rig.supervisor.calls.withLock { $0 } == ["start alpha"])
        #expect(rig.other.calls.withLock { $0 } == ["start beta", "terminate beta"])
    }
}
