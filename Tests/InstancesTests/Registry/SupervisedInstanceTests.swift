import Addresses
import Homes
import Instances
import Locking
import Logging
import OpenCode
import Projects
import Testing

/// Unrequested reports of a supervisor: servers that were found, restarted, stopped elsewhere, or given up.
@Suite struct SupervisedInstanceTests {
    private static let password = "password of a"

    @Test func whatRunsAlreadyIsTakenOverWithItsPort() async throws {
        let rig = try await SupervisedRig(
            found: [
                (.alpha, .launched(SupervisedRig.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: Self.password])
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        #expect(await rig.registry.start(.alpha) == .alreadyRunning(address: .loopback(5000)))
        let status = try #require(await rig.registry.status(.alpha))
        #expect(status.report.processIdentifier == 4711 && status.report.restarts == 0)
        // It has been ready since its start, whenever the gateway started.
        #expect(status.report.sinceText == "2026-11-21T20:47:03Z")
        #expect(rig.supervisor.calls.withLock { $0 } == [])
        await rig.end()
        #expect(rig.supervisor.calls.withLock { $0 } == [], "it outlives the gateway")
    }

    @Test func whatRunsAlreadyIsReadyOnceTheRegistryIsOpen() async throws {
        let rig = try await SupervisedRig(
            found: [
                (.alpha, .launched(SupervisedRig.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: Self.password], settles: .seconds(60))
        #expect(await rig.registry.status(.alpha)?.project.state == .ready(address: .loopback(5000)))
        await rig.end()
    }

    @Test func whatNeverGetsReadyHoldsNobodyUp() async throws {
        let rig = try await SupervisedRig(
            found: [(.alpha, .launched(SupervisedRig.run("a", found: true)))], settles: .milliseconds(20))
        #expect(await rig.registry.status(.alpha)?.project.state == .booting)
        await rig.end()
    }

    @Test func whatRunsWithoutAFolderIsTakenOverToo() async throws {
        let rig = try await SupervisedRig(
            projects: [],
            found: [
                (.alpha, .launched(SupervisedRig.run("a", found: true))),
                (.alpha, .announced(run: "a", address: .loopback(5000))),
            ], healthy: [5000: Self.password])
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        #expect(await rig.registry.status(.alpha)?.project.folder.path == "\(rig.home.path)/alpha")
        await rig.end()
    }

    @Test func aPasswordThatIsKnownLaterThanTheRunIsUsed() async throws {
        let rig = try await SupervisedRig(healthy: [5000: Self.password])
        let whole = SupervisedRig.run("a")
        let first = Run(id: "a", processIdentifier: whole.processIdentifier, credentials: nil, started: whole.started)
        await rig.supervisor.tell(
            .alpha, .launched(first), .launched(whole), .announced(run: "a", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        await rig.end()
    }

    @Test func aRestartByTheSupervisorForgetsThePortAtOnceAndFindsTheNewOne() async throws {
        let rig = try await SupervisedRig(healthy: [5000: Self.password, 5001: "password of b"])
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a", found: true)), .announced(run: "a", address: .loopback(5000)))
        let first = try #require(await rig.route(to: .alpha) { $0.endpoint != nil }?.endpoint)
        await rig.supervisor.tell(.alpha, .exited("a", .restarts(after: .seconds(5))))
        let meanwhile = try #require(await rig.route(to: .alpha) { $0.endpoint == nil })
        #expect(meanwhile.state.isComing)
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("b")), .announced(run: "b", address: .loopback(5001)))
        let second = try #require(await rig.route(to: .alpha) { $0.endpoint != nil }?.endpoint)
        #expect(second.address.port == 5001 && second.generation > first.generation)
        #expect(second.authorization != first.authorization)
        let report = try #require(await rig.registry.status(.alpha)?.report)
        #expect(report.restarts == 1)
        #expect(report.lastError == "OpenCode ended with signal SIGKILL. Its last output:\nboom")
        await rig.end()
    }

    @Test func aNewRunForgetsThePortOfTheOldOneThoughItsEndWasNotTold() async throws {
        let rig = try await SupervisedRig(healthy: [5000: Self.password])
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a")), .announced(run: "a", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        await rig.supervisor.tell(.alpha, .launched(SupervisedRig.run("b")))
        #expect(await rig.route(to: .alpha) { $0.endpoint == nil }?.state == .booting)
        // The last reports of the old run are ignored.
        await rig.supervisor.tell(.alpha, .announced(run: "a", address: .loopback(5000)), .exited("a", .failed))
        #expect(await rig.registry.status(.alpha)?.project.state == .booting)
        await rig.end()
    }

    @Test func aStopFromOutsideIsSeenAtOnce() async throws {
        let rig = try await SupervisedRig(healthy: [5000: Self.password])
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a")), .announced(run: "a", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        await rig.supervisor.tell(.alpha, .ending(run: "a"))
        #expect(await rig.registry.status(.alpha)?.project.state == .stopping)
        await rig.supervisor.tell(.alpha, .exited("a", .stopped))
        #expect(await rig.registry.status(.alpha)?.project.state == .stopped)
        #expect(rig.supervisor.calls.withLock { $0 } == [])
        await rig.end()
    }

    @Test func aSupervisorThatGivesUpLeavesItFailedUntilItIsAskedForAgain() async throws {
        let rig = try await SupervisedRig()
        await rig.supervisor.tell(.alpha, .launched(SupervisedRig.run("a")), .exited("a", .gaveUp))
        #expect(await rig.registry.status(.alpha)?.report.state == "failed")
        async let answer = rig.registry.start(.alpha)
        #expect(await rig.reaches(.starting))
        #expect(rig.supervisor.calls.withLock { $0 } == ["start alpha"])
        await rig.supervisor.tell(.alpha, .launchFailed(reason: "There is no such unit."))
        #expect(await answer == .failed("Failed to start service: There is no such unit."))
        await rig.end()
    }

    @Test func aStartWithoutAPortPointsAtTheJournal() async throws {
        var limits = InstanceLimits()
        limits.start = .milliseconds(50)
        let rig = try await SupervisedRig(limits: limits)
        async let answer = rig.registry.start(.alpha)
        #expect(await rig.reaches(.starting))
        await rig.supervisor.tell(.alpha, .launched(SupervisedRig.run("a")))
        #expect(
            await answer
                == .failed(
                    "Service started but failed to get port. "
                        + "Check logs with: journalctl --user -u opencode@alpha"))
        await rig.supervisor.tell(.alpha, .exited("a", .stopped))
        let error = await rig.registry.status(.alpha)?.report.lastError
        #expect(error?.hasSuffix("Its last output:\ntail of alpha") == true)
        await rig.end()
    }

    @Test func aSupervisorOutOfReachIsToldByStartStopAndStatus() async throws {
        let rig = try await SupervisedRig(healthy: [5000: Self.password])
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("a")), .announced(run: "a", address: .loopback(5000)))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        await rig.supervisor.tell(unavailable: "The bus is gone.")
        #expect(await rig.registry.start(.alpha) == .alreadyRunning(address: .loopback(5000)))
        #expect(await rig.registry.start(.beta) == .failed("Failed to start service: The bus is gone."))
        #expect(await rig.registry.stop(.alpha) == .failed("Failed to stop service: The bus is gone."))
        // It is unknown whether the instance runs.
        #expect(await rig.registry.stop(.beta) == .failed("Failed to stop service: The bus is gone."))
        #expect(await rig.registry.status(.alpha)?.report.warnings == ["The bus is gone."])
        await rig.supervisor.tell(unavailable: nil)
        #expect(await rig.registry.stop(.beta) == .stopped)
        #expect(await rig.registry.status(.alpha)?.report.warnings == [])
        await rig.end()
    }

    @Test func warningsAreTheRunsOwn() async throws {
        let rig = try await SupervisedRig(digest: { _ in "new" })
        rig.listen(on: 5000, Self.password, enforces: false)
        let run = SupervisedRig.run("a", digest: "old")
        await rig.supervisor.tell(
            .alpha, .launched(run),
            .announced(run: "a", address: .loopback(5000), warning: "Its port was found by its socket."))
        #expect(await rig.reaches(.ready(address: .loopback(5000))))
        let warnings = try #require(await rig.registry.status(.alpha)?.report.warnings)
        #expect(
            warnings == [
                "password not enforced by this OpenCode version", "Its port was found by its socket.",
                "it runs with older values, for its environment files have changed since it started: restart to apply",
            ])
        #expect(rig.lines.all.contains { $0.message == "password not enforced by this OpenCode version" })
        rig.listen(on: 5001, "password of b")
        await rig.supervisor.tell(
            .alpha, .launched(SupervisedRig.run("b", digest: "new")), .announced(run: "b", address: .loopback(5001)))
        #expect(await rig.reaches(.ready(address: .loopback(5001))))
        #expect(await rig.registry.status(.alpha)?.report.warnings == [])
        await rig.end()
    }
}
