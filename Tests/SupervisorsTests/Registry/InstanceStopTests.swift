// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Glibc
import Instances
import Projects
import Supervisors
import TemporaryHomes
import Testing

/// Tests stops, ends and restarts with real child processes.
@Suite struct InstanceStopTests {
    /// A server that does not end at SIGTERM. Its child does not end, either.
    private static let stubborn = """
        trap '' TERM
        exec 3>../lifeline
        (while :; do sleep 1000; done) &
        echo "opencode server listening on http://127.0.0.1:4096"
        while :; do sleep 1000; done
        """

    @Test func `a stop ends the instance and removes its address from the routing table`() async throws {
        let fixture = try await RegistryFixture()

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await fixture.table { $0.route(to: .alpha)?.endpoint != nil } != nil)
        #expect(await fixture.registry.stop(.alpha) == .stopped)

        let table = await fixture.table { $0.route(to: .alpha)?.state == .stopping }

        #expect(table?.route(to: .alpha)?.endpoint == nil)
        #expect(await fixture.registry.status(.alpha)?.project.state == .stopped)

        await fixture.tearDown()
    }

    @Test func `a stop of an instance that does not run succeeds`() async throws {
        let fixture = try await RegistryFixture()

        #expect(await fixture.registry.stop(.alpha) == .stopped)

        await fixture.tearDown()
    }

    @Test func `processes that ignore SIGTERM are killed after the stop timeout`() async throws {
        let fixture = try await RegistryFixture(script: Self.stubborn, limits: .stopping(within: .milliseconds(100)))
        let lifeline = fixture.makeLifeline("lifeline")

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(RegistryFixture.isHeld(lifeline))

        let begin = ContinuousClock.now

        #expect(await fixture.registry.stop(.alpha) == .stopped)
        #expect(begin.duration(to: .now) >= .milliseconds(100))
        #expect(RegistryFixture.hangsUp(lifeline))

        close(lifeline)
        await fixture.tearDown()
    }

    @Test func `grandchildren of an instance that ends by itself are ended`() async throws {
        let fixture = try await RegistryFixture(
            script: "exec 3>../lifeline; (trap '' TERM; exec sleep 1000) & exit 3")
        let lifeline = fixture.makeLifeline("lifeline")
        guard case .failed(let sentence) = await fixture.registry.start(.alpha) else {
            Issue.record("it started")
            return
        }

        #expect(sentence.contains("exit status 3"))
        #expect(RegistryFixture.hangsUp(lifeline))

        close(lifeline)
        await fixture.tearDown()
    }

    @Test func `a ready instance that dies loses its address at once and keeps the reason`() async throws {
        // The delay is so long that the instance is not restarted before it is examined.
        var limits = InstanceLimits()
        limits.restartDelay = .seconds(50)
        let fixture = try await RegistryFixture(script: "echo $$ >pid\n" + RegistryFixture.wellBehaved, limits: limits)

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await fixture.table { $0.route(to: .alpha)?.endpoint != nil } != nil)

        let process = try #require(Int32(fixture.home.readFile("alpha/pid").trimmingCharacters(in: .newlines)))
        kill(process, SIGKILL)
        let first = try #require(await fixture.table { $0.route(to: .alpha)?.endpoint == nil })

        // The main process has ended; the supervisor is looking for its descendants.
        #expect(first.route(to: .alpha)?.state == .restarting(reason: "OpenCode exited.", delay: nil))

        let table = try #require(
            await fixture.table {
                if case .restarting(_, .some) = $0.route(to: .alpha)?.state { true } else { false }
            })
        guard case .restarting(let reason, let delay) = table.route(to: .alpha)?.state else {
            Issue.record("not restarting: \(String(describing: table.route(to: .alpha)))")
            return
        }

        #expect(delay == .seconds(50))
        #expect(reason.hasPrefix("OpenCode ended with signal SIGKILL. Its last output:\nWarning: something first"))
        #expect(await fixture.registry.status(.alpha)?.report.lastError == reason)
        #expect(await fixture.registry.stop(.alpha) == .stopped)
        #expect(await fixture.registry.status(.alpha)?.project.state == .stopped)

        await fixture.tearDown()
    }

    @Test func `every start has its own generation and password`() async throws {
        let fixture = try await RegistryFixture(projects: ["alpha", "beta"])
        var endpoints: [InstanceEndpoint] = []
        for name in [ProjectName.alpha, .beta, .alpha] {
            _ = await fixture.registry.stop(name)
            #expect(await fixture.registry.start(name) == .started(address: .loopback(4096)))
            let last = endpoints.last?.generation ?? 0
            let table = try #require(await fixture.table { ($0.route(to: name)?.endpoint?.generation ?? 0) > last })
            endpoints.append(try #require(table.route(to: name)?.endpoint))
        }

        #expect(endpoints.map(\.generation) == [1, 2, 3])
        #expect(Set(endpoints.map(\.authorization)).count == 3)

        await fixture.tearDown()
    }

    @Test func `a start during a stop waits until the old server has ended`() async throws {
        let fixture = try await RegistryFixture(
            script: "echo start >>../journal; trap 'echo end >>../journal; exit 0' TERM\n"
                + "echo 'opencode server listening on http://127.0.0.1:4096'\nwhile :; do sleep 0.01; done")

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))

        async let stop = fixture.registry.stop(.alpha)

        #expect(await fixture.table { $0.route(to: .alpha)?.state == .stopping } != nil)
        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await stop == .stopped)
        #expect(try fixture.home.readFile("journal") == "start\nend\nstart\n")

        await fixture.tearDown()
    }

    @Test func `a stop during a start succeeds and fails the start`() async throws {
        let fixture = try await RegistryFixture(script: "echo booting; exec sleep 1000")
        async let start = fixture.registry.start(.alpha)

        #expect(await fixture.table { $0.route(to: .alpha)?.state == .booting } != nil)
        #expect(await fixture.registry.stop(.alpha) == .stopped)
        #expect(await start == .failed("Failed to start service: the instance was stopped during its start."))

        await fixture.tearDown()
    }

    @Test func `a shutdown ends all instances and rejects further starts`() async throws {
        let fixture = try await RegistryFixture(
            script: "exec 3>../lifeline\n" + RegistryFixture.wellBehaved, projects: ["alpha", "beta", "gamma"])
        let lifeline = fixture.makeLifeline("lifeline")
        for name in [ProjectName.alpha, .beta] {
            #expect(await fixture.registry.start(name) == .started(address: .loopback(4096)))
        }
        await fixture.registry.shutdown()

        #expect(RegistryFixture.hangsUp(lifeline))
        #expect(
            await fixture.registry.start(.alpha) == .failed("Failed to start service: the gateway is shutting down."))

        close(lifeline)
        await fixture.tearDown()
    }

    @Test func `an instance whose folder is deleted can still be stopped`() async throws {
        let fixture = try await RegistryFixture()

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))

        try FileManager.default.removeItem(atPath: "\(fixture.home.path)/alpha")

        #expect(await fixture.registry.status(.alpha)?.project.state == .ready(address: .loopback(4096)))
        #expect(await fixture.registry.stop(.alpha) == .stopped)
        #expect(await fixture.registry.status(.alpha) == nil)
        #expect(await fixture.registry.start(.alpha) == .notFound)

        await fixture.tearDown()
    }
}
