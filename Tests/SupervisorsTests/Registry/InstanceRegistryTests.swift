// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Instances
import Locking
import Logging
import OpenCodeFamilies
import Projects
import Supervisors
import TemporaryHomes
import Testing

/// Tests starts with real child processes. OpenCode is a shell script.
@Suite struct InstanceRegistryTests {
    private static let banner = "opencode server listening on http://127.0.0.1:4096"

    @Test func `a start returns the address of a ready instance, and so does a second start`() async throws {
        let fixture = try await RegistryFixture()

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await fixture.registry.start(.alpha) == .alreadyRunning(address: .loopback(4096)))
        #expect(await fixture.registry.status(.alpha)?.project.state == .ready(address: .loopback(4096)))
        #expect(try await fixture.registry.projects().map(\.state) == [.ready(address: .loopback(4096))])

        await fixture.tearDown()
    }

    @Test func `100 concurrent starts create one process, and each returns its address`() async throws {
        let fixture = try await RegistryFixture(script: "echo x >>starts\n" + RegistryFixture.wellBehaved)
        let answers = await withTaskGroup(of: StartAnswer.self) { group in
            for _ in 0..<100 { group.addTask { await fixture.registry.start(.alpha) } }
            return await group.reduce(into: []) { $0.append($1) }
        }

        // A caller that arrives after the instance has become ready receives the result that the instance is already
        // running.
        #expect(
            answers.allSatisfy {
                $0 == .started(address: .loopback(4096)) || $0 == .alreadyRunning(address: .loopback(4096))
            })
        #expect(answers.contains(.started(address: .loopback(4096))))
        #expect(try fixture.home.readFile("alpha/starts") == "x\n")

        await fixture.tearDown()
    }

    @Test func `the child runs in its project folder and receives only its own password`() async throws {
        let fixture = try await RegistryFixture(
            script: "pwd >where; echo \"$@\" >arguments; env >environment\n" + RegistryFixture.wellBehaved,
            environment: ["PATH": "/usr/bin:/bin", "VIBE_AUTH_SECRET": "gateways-own-key", "EDITOR": "ed"])

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(try fixture.home.readFile("alpha/where") == "\(fixture.home.path)/alpha\n")
        #expect(try fixture.home.readFile("alpha/arguments") == "serve --port 0 --hostname 127.0.0.1\n")

        let environment = try fixture.home.readFile("alpha/environment").split(separator: "\n")

        #expect(environment.contains("EDITOR=ed"))
        #expect(!environment.contains { $0.contains("gateways-own-key") })

        let password = try #require(environment.first { $0.hasPrefix("OPENCODE_SERVER_PASSWORD=") }).dropFirst(25)

        #expect(password.count == 32)

        let table = try #require(await fixture.table { $0.route(to: .alpha)?.endpoint != nil })
        let endpoint = try #require(table.endpoint(forSegment: Array("alpha".utf8)[...]))

        #expect(endpoint.address == .loopback(4096))

        let header = try #require(InstanceCredentials(password: String(password)).authorization(for: .one))

        #expect(endpoint.authorization == Array(header.utf8))

        await fixture.tearDown()
    }

    @Test func `the health check is repeated with port and password until the instance is healthy`() async throws {
        let probes = Locked<[(UInt16, Int)]>([])
        let fixture = try await RegistryFixture(probe: { probe in
            let count = probes.withLock { probes in
                probes.append((probe.address.port, probe.credentials?.password.count ?? 0))
                return probes.count
            }
            return count < 3 ? .unhealthy(reason: "Not yet.") : .healthy(version: "1.2.27")
        })

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(probes.withLock { $0.map(\.0) } == [4096, 4096, 4096])
        #expect(probes.withLock { $0.map(\.1) } == [32, 32, 32])

        await fixture.tearDown()
    }

    @Test func `a start, stop or status of a missing project is not found`() async throws {
        let fixture = try await RegistryFixture()

        #expect(await fixture.registry.start(.beta) == .notFound)
        #expect(await fixture.registry.stop(.beta) == .notFound)
        #expect(await fixture.registry.status(.beta) == nil)

        await fixture.tearDown()
    }

    @Test func `an exit during the start is a failure with the last lines of output`() async throws {
        let fixture = try await RegistryFixture(
            script: "for i in $(seq 30); do echo line $i; done; echo 'Config file is not valid' >&2; exit 1")
        guard case .failed(let sentence) = await fixture.registry.start(.alpha) else {
            Issue.record("it started")
            return
        }

        #expect(
            sentence.hasPrefix(
                "Failed to start service: OpenCode ended with exit status 1 before it announced its port."))
        #expect(sentence.contains("Config file is not valid"))
        #expect(sentence.contains("\nline 30"))
        #expect(!sentence.contains("\nline 10\n"))

        await fixture.tearDown()
    }

    @Test func `a start without a port announcement fails after its timeout and ends the process`() async throws {
        let fixture = try await RegistryFixture(
            script: "exec 3>../lifeline; trap '' TERM; echo migrating; sleep 1000",
            limits: .starting(within: .seconds(2)))
        let lifeline = fixture.makeLifeline("lifeline")

        #expect(
            await fixture.registry.start(.alpha)
                == .failed(
                    "Service started but failed to get port. OpenCode did not announce its port within 2 s. "
                        + "Its last output:\nmigrating"))
        #expect(RegistryFixture.hangsUp(lifeline))

        close(lifeline)
        await fixture.tearDown()
    }

    @Test func `a start of an instance that never becomes healthy fails after its timeout`() async throws {
        let fixture = try await RegistryFixture(limits: .starting(within: .seconds(2))) { _ in
            .unhealthy(reason: "It answered 500.")
        }
        guard case .failed(let sentence) = await fixture.registry.start(.alpha) else {
            Issue.record("it started")
            return
        }

        // The tests of the state machine check the reason of the following health check. Here the reason depends on the
        // machine's load.
        #expect(
            sentence.hasPrefix(
                "Failed to start service: OpenCode announced port 4096 but was not healthy within 2 s: "))
        #expect(sentence.hasSuffix("Its last output:\nWarning: something first\n" + Self.banner))

        await fixture.tearDown()
    }

    @Test func `a missing program fails the start with an error that names --opencode`() async throws {
        let fixture = try await RegistryFixture(command: ["/nowhere/opencode"])
        guard case .failed(let sentence) = await fixture.registry.start(.alpha) else {
            Issue.record("it started")
            return
        }

        #expect(sentence.hasPrefix("Failed to start service: cannot run /nowhere/opencode in "))
        #expect(sentence.contains("No such file or directory"))
        #expect(sentence.contains("--opencode"))
        // The next start makes another attempt.
        #expect(await fixture.registry.start(.alpha) == .failed(sentence))

        await fixture.tearDown()
    }

    @Test func `a relative program path is resolved against the gateway's working directory`() async throws {
        let fixture = try await RegistryFixture(command: ["nowhere/opencode"])
        guard case .failed(let sentence) = await fixture.registry.start(.alpha) else {
            Issue.record("it started")
            return
        }
        let path = FileManager.default.currentDirectoryPath + "/nowhere/opencode"

        #expect(sentence.hasPrefix("Failed to start service: cannot run \(path) in "))

        await fixture.tearDown()
    }

    @Test func `the child's output is logged with its project and without its password`() async throws {
        let fixture = try await RegistryFixture(
            script: "echo \"my password is $OPENCODE_SERVER_PASSWORD\" >&2\n" + RegistryFixture.wellBehaved)

        #expect(await fixture.registry.start(.alpha) == .started(address: .loopback(4096)))
        #expect(await fixture.registry.stop(.alpha) == .stopped)

        let lines = fixture.lines.all

        #expect(lines.contains { $0.message == "my password is ***" && $0.fields == [LogField("project", "alpha")] })
        #expect(lines.contains { $0.message == "Warning: something first" })

        await fixture.tearDown()
    }
}
