// SPDX-License-Identifier: Apache-2.0

import Addresses
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests the detection of an instance's OpenCode API, and the consequences of the result.
@Suite struct FamilyTests {
    private static let password = "password of a"

    private func fixture(_ path: HealthPath = .info, version: String? = "2.0.15", processNumber: Int32? = nil)
        async throws
        -> SupervisedFixture
    {
        let fixture = try await SupervisedFixture()
        fixture.ports.listen(on: 5000) { probe in
            guard probe.search.path == path else { return .unhealthy(reason: "asked at \(probe.search.path)") }
            return .healthy(version: version, enforcesPassword: true, path: path, processNumber: processNumber)
        }
        return fixture
    }

    private func start(_ fixture: SupervisedFixture, _ run: Run, _ family: APIFamily?) async {
        await fixture.supervisor.report(
            .alpha, .launched(run), .announced(run: run.id, address: .loopback(5000), family: family))
    }

    @Test(arguments: [(APIFamily.one, HealthPath.globalHealth), (.two, .info)])
    func `the announcement determines the instance's family`(family: APIFamily, path: HealthPath) async throws {
        let fixture = try await fixture(path)
        await start(fixture, SupervisedFixture.run("a"), family)
        let route = await fixture.route(to: .alpha) { $0.state == .ready(address: .loopback(5000)) }

        #expect(route?.endpoint?.family == family)

        let status = try #require(await fixture.registry.status(.alpha))

        #expect(status.report.version == "2.0.15")
        #expect(status.report.family == family)
        #expect(fixture.supervisor.memories.withLock { $0[.alpha] } == InstanceMemory(family: family))

        await fixture.tearDown()
    }

    @Test func `the recorded family is used if the announcement has none`() async throws {
        let fixture = try await fixture()
        await start(fixture, SupervisedFixture.run("a", found: true, memory: InstanceMemory(family: .two)), nil)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))
        #expect(await fixture.registry.status(.alpha)?.report.family == .two)

        await fixture.tearDown()
    }

    @Test func `the health check's response determines the family if it is otherwise unknown`() async throws {
        let fixture = try await SupervisedFixture()
        fixture.ports.listen(on: 5000) { probe in
            // The search itself is part of the probe. This is the result of the search.
            #expect(probe.search.path == .globalHealth)
            return .healthy(version: nil, enforcesPassword: true, path: .info)
        }
        await start(fixture, SupervisedFixture.run("a"), nil)
        let route = await fixture.route(to: .alpha) { $0.state == .ready(address: .loopback(5000)) }

        #expect(route?.endpoint?.family == .two)

        let report = try #require(await fixture.registry.status(.alpha)).report

        #expect(report.version == nil)
        #expect(report.family == .two)

        await fixture.tearDown()
    }

    @Test func `a new run has no known family until it is announced`() async throws {
        let fixture = try await fixture()
        await start(fixture, SupervisedFixture.run("a"), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(
            .alpha, .exited("a", .restarts(after: nil)), .launched(SupervisedFixture.run("b")))

        #expect(await fixture.reaches(.booting))
        #expect(await fixture.registry.status(.alpha)?.report.family == nil)

        await fixture.tearDown()
    }

    @Test func `requests to OpenCode 2 use its fixed user name, and status warns about another one`() async throws {
        let credentials = InstanceCredentials(username: "gate", password: "x")

        for (family, path, warnings) in [
            (APIFamily.two, HealthPath.info, [InstanceMessage.usernameIgnored]), (.one, .globalHealth, []),
        ] {
            let fixture = try await fixture(path)
            await start(fixture, SupervisedFixture.run("a", credentials: credentials), family)
            let route = await fixture.route(to: .alpha) { $0.state == .ready(address: .loopback(5000)) }
            let expected = try #require(credentials.authorization(for: family))
            #expect(route?.endpoint?.authorization == Array(expected.utf8))
            #expect(await fixture.registry.status(.alpha)?.report.warnings == warnings)
            await fixture.tearDown()
        }
    }

    @Test func `a password for OpenCode 2 is not sent to OpenCode 1, and status has no warning`() async throws {
        let fixture = try await SupervisedFixture()
        fixture.ports.listen(on: 5000) { probe in
            #expect(!probe.checksPassword)
            return .healthy(version: "1.18.33", path: .globalHealth)
        }
        let credentials = InstanceCredentials(password: "x", isForTwoOnly: true)
        await start(fixture, SupervisedFixture.run("a", credentials: credentials), .one)
        let route = await fixture.route(to: .alpha) { $0.state == .ready(address: .loopback(5000)) }

        #expect(route?.endpoint?.authorization == nil)
        #expect(route?.endpoint != nil)
        #expect(await fixture.registry.status(.alpha)?.report.warnings == [])

        await fixture.tearDown()
    }

    // MARK: The process that responds

    @Test func `a health response from the instance's own process is accepted`() async throws {
        let fixture = try await fixture(processNumber: 58)
        fixture.supervisor.processes.withLock { $0[.alpha] = [7, 58] }
        await start(fixture, SupervisedFixture.run("a"), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.tearDown()
    }

    @Test func `a health response is accepted if the instance's processes are unknown`() async throws {
        let fixture = try await fixture(processNumber: 58)
        await start(fixture, SupervisedFixture.run("a"), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.tearDown()
    }

    @Test func `a health response from another process is rejected until the process is the instance's`() async throws {
        let fixture = try await fixture(processNumber: 58)
        fixture.supervisor.processes.withLock { $0[.alpha] = [7] }
        let error =
            "Another server responds on the instance's port 5000: it reports process 58, which is not one of the instance's "
            + "processes. Check which program listens on the port (`ss -ltnp`), then stop and start the project."
        await start(fixture, SupervisedFixture.run("a"), .two)
        while await fixture.registry.status(.alpha)?.report.lastError != error { await Task.yield() }

        #expect(await fixture.registry.status(.alpha)?.project.state == .probing(address: .loopback(5000)))

        // The process numbers are checked again with each response, so a response is accepted as soon as its process
        // belongs to the instance.
        fixture.supervisor.processes.withLock { $0[.alpha] = [7, 58] }

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.tearDown()
    }

    // MARK: Another host

    @Test func `a server on another host is terminated, and the caller receives the reason`() async throws {
        let fixture = try await SupervisedFixture()
        async let answer = fixture.registry.start(.alpha)

        #expect(await fixture.reaches(.starting))

        await fixture.supervisor.report(
            .alpha, .launched(SupervisedFixture.run("a")), .announcedElsewhere(run: "a", host: "192.0.2.7"))
        guard case .failed(let reason) = await answer else {
            Issue.record("a server on another host was not refused")
            return
        }

        #expect(reason.contains("OpenCode listens on 192.0.2.7, but the gateway connects only to 127.0.0.1"))
        #expect(fixture.supervisor.calls.withLock { $0 } == ["start alpha", "terminate alpha"])

        await fixture.supervisor.report(.alpha, .exited("a", .stopped))
        let status = try #require(await fixture.registry.status(.alpha))

        #expect(status.report.state == "failed")
        #expect(status.report.lastError?.contains("192.0.2.7") == true)

        await fixture.tearDown()
    }

    // MARK: Take-over

    @Test func `restarts and the last error survive a restart of the gateway`() async throws {
        let memory = InstanceMemory(family: .two, restarts: 3, lastError: "OpenCode ended with signal SIGKILL.")
        let fixture = try await fixture()
        await start(fixture, SupervisedFixture.run("a", found: true, memory: memory), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        let report = try #require(await fixture.registry.status(.alpha)?.report)

        #expect(report.restarts == 3)
        #expect(report.lastError == memory.lastError)

        await fixture.tearDown()
    }

    @Test func `family, restarts and last error are recorded for the next gateway as they change`() async throws {
        let fixture = try await fixture()
        await start(fixture, SupervisedFixture.run("a"), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .exited("a", .restarts(after: nil)))
        await start(fixture, SupervisedFixture.run("b"), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        let memory = try #require(fixture.supervisor.memories.withLock { $0[.alpha] })

        #expect(memory.family == .two)
        #expect(memory.restarts == 1)
        #expect(memory.lastError?.contains("signal SIGKILL") == true)

        await fixture.tearDown()
    }

    // MARK: Log messages

    @Test func `the end of an instance is logged once with the restart delay`() async throws {
        let fixture = try await fixture()
        await start(fixture, SupervisedFixture.run("a"), .two)

        #expect(await fixture.reaches(.ready(address: .loopback(5000))))

        await fixture.supervisor.report(.alpha, .mainProcessExited(run: "a"), .exited("a", .failed))
        _ = await fixture.registry.status(.alpha)
        let lines = fixture.lines.all.filter { $0.message == "the instance will be restarted" }

        #expect(lines.count == 1)
        #expect(lines.first?.text(of: "reason").contains("OpenCode ended with signal SIGKILL") == true)
        #expect(lines.first?.fields.contains(LogField("delay", "1 s")) == true)

        await fixture.tearDown()
    }
}
