import Addresses
import Foundation
import Glibc
import Homes
import Instances
import Projects
import Supervisors
import Testing

/// Stops, ends and restarts with real child processes.
@Suite struct InstanceStopTests {
    /// Neither the server nor its child ends at SIGTERM.
    private static let stubborn = """
        trap '' TERM
        exec 3>../lifeline
        (while :; do sleep 1000; done) &
        echo "opencode server listening on http://127.0.0.1:4096"
        while :; do sleep 1000; done
        """

    @Test func aStopEndsAnInstanceAndTakesItsRouteAway() async throws {
        let rig = try await RegistryRig()
        #expect(await rig.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await rig.table { $0.route(to: .alpha)?.endpoint != nil } != nil)
        #expect(await rig.registry.stop(.alpha) == .stopped)
        let table = await rig.table { $0.route(to: .alpha)?.state == .stopping }
        #expect(table?.route(to: .alpha)?.endpoint == nil)
        #expect(await rig.registry.status(.alpha)?.project.state == .stopped)
        await rig.end()
    }

    @Test func aStopOfWhatDoesNotRunIsStopped() async throws {
        let rig = try await RegistryRig()
        #expect(await rig.registry.stop(.alpha) == .stopped)
        await rig.end()
    }

    @Test func nothingThatIgnoresSIGTERMSurvivesAStop() async throws {
        let rig = try await RegistryRig(script: Self.stubborn, limits: .stopping(within: .milliseconds(100)))
        let lifeline = rig.makeLifeline("lifeline")
        #expect(await rig.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(RegistryRig.isHeld(lifeline))
        let begin = ContinuousClock.now
        #expect(await rig.registry.stop(.alpha) == .stopped)
        #expect(begin.duration(to: .now) >= .milliseconds(100))
        #expect(RegistryRig.hangsUp(lifeline))
        close(lifeline)
        await rig.end()
    }

    @Test func grandchildrenOfAnInstanceThatEndsByItselfGoToo() async throws {
        let rig = try await RegistryRig(
            script: "exec 3>../lifeline; (trap '' TERM; exec sleep 1000) & exit 3")
        let lifeline = rig.makeLifeline("lifeline")
        guard case .failed(let sentence) = await rig.registry.start(.alpha) else {
            Issue.record("it started")
            return
        }
        #expect(sentence.contains("exit status 3"))
        #expect(RegistryRig.hangsUp(lifeline))
        close(lifeline)
        await rig.end()
    }

    @Test func aReadyInstanceThatDiesLosesItsPortAtOnceAndKeepsTheReason() async throws {
        // Long enough that the instance is not restarted before it is examined.
        var limits = InstanceLimits()
        limits.restartDelay = .seconds(50)
        let rig = try await RegistryRig(script: "echo $$ >pid\n" + RegistryRig.wellBehaved, limits: limits)
        #expect(await rig.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await rig.table { $0.route(to: .alpha)?.endpoint != nil } != nil)
        let process = try #require(Int32(rig.home.read("alpha/pid").trimmingCharacters(in: .newlines)))
        kill(process, SIGKILL)
        let first = try #require(await rig.table { $0.route(to: .alpha)?.endpoint == nil })
        // The main process has ended; the supervisor is looking for its descendants.
        #expect(first.route(to: .alpha)?.state == .restarting(reason: "OpenCode ended by itself.", delay: nil))
        let table = try #require(
            await rig.table {
                if case .restarting(_, .some) = $0.route(to: .alpha)?.state { true } else { false }
            })
        guard case .restarting(let reason, let delay) = table.route(to: .alpha)?.state else {
            Issue.record("not restarting: \(String(describing: table.route(to: .alpha)))")
            return
        }
        #expect(delay == .seconds(50))
        #expect(reason.hasPrefix("OpenCode ended with signal SIGKILL. Its last output:\nWarning: something first"))
        #expect(await rig.registry.status(.alpha)?.report.lastError == reason)
        #expect(await rig.registry.stop(.alpha) == .stopped)
        #expect(await rig.registry.status(.alpha)?.project.state == .stopped)
        await rig.end()
    }

    @Test func everyStartHasItsOwnGenerationAndPassword() async throws {
        let rig = try await RegistryRig(projects: ["alpha", "beta"])
        var endpoints: [InstanceEndpoint] = []
        for name in [ProjectName.alpha, .beta, .alpha] {
            _ = await rig.registry.stop(name)
            #expect(await rig.registry.start(name) == .started(address: .loopback(4096)))
            let last = endpoints.last?.generation ?? 0
            let table = try #require(await rig.table { ($0.route(to: name)?.endpoint?.generation ?? 0) > last })
            endpoints.append(try #require(table.route(to: name)?.endpoint))
        }
        #expect(endpoints.map(\.generation) == [1, 2, 3])
        #expect(Set(endpoints.map(\.authorization)).count == 3)
        await rig.end()
    }

    @Test func aStartDuringAStopWaitsForItsEnd() async throws {
        let rig = try await RegistryRig(
            script: "echo start >>../journal; trap 'echo end >>../journal; exit 0' TERM\n"
                + "echo 'opencode server listening on http://127.0.0.1:4096'\nwhile :; do sleep 0.01; done")
        #expect(await rig.registry.start(.alpha) == .started(address: .loopback(4096)))
        async let stop = rig.registry.stop(.alpha)
        #expect(await rig.table { $0.route(to: .alpha)?.state == .stopping } != nil)
        #expect(await rig.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await stop == .stopped)
        #expect(try rig.home.read("journal") == "start\nend\nstart\n")
        await rig.end()
    }

    @Test func aStopDuringAStartAnswersBoth() async throws {
        let rig = try await RegistryRig(script: "echo booting; exec sleep 1000")
        async let start = rig.registry.start(.alpha)
        #expect(await rig.table { $0.route(to: .alpha)?.state == .booting } != nil)
        #expect(await rig.registry.stop(.alpha) == .stopped)
        #expect(await start == .failed("Failed to start service: it was stopped while it was starting."))
        await rig.end()
    }

    @Test func aShutdownEndsAllAndStartsNoMore() async throws {
        let rig = try await RegistryRig(
            script: "exec 3>../lifeline\n" + RegistryRig.wellBehaved, projects: ["alpha", "beta", "gamma"])
        let lifeline = rig.makeLifeline("lifeline")
        for name in [ProjectName.alpha, .beta] {
            #expect(await rig.registry.start(name) == .started(address: .loopback(4096)))
        }
        await rig.registry.shutdown()
        #expect(RegistryRig.hangsUp(lifeline))
        #expect(
            await rig.registry.start(.alpha) == .failed("Failed to start service: the gateway is shutting down."))
        close(lifeline)
        await rig.end()
    }

    @Test func aFolderThatVanishesWhileItsInstanceRunsStillStops() async throws {
        let rig = try await RegistryRig()
        #expect(await rig.registry.start(.alpha) == .started(address: .loopback(4096)))
        try FileManager.default.removeItem(atPath: "\(rig.home.path)/alpha")
        #expect(await rig.registry.status(.alpha)?.project.state == .ready(address: .loopback(4096)))
        #expect(await rig.registry.stop(.alpha) == .stopped)
        #expect(await rig.registry.status(.alpha) == nil)
        #expect(await rig.registry.start(.alpha) == .notFound)
        await rig.end()
    }
}
