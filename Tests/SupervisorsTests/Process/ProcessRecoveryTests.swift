// SPDX-License-Identifier: Apache-2.0

import Addresses
import Foundation
import Glibc
import Instances
import OpenCodeFamilies
import Projects
import Supervisors
import Systemd
import TemporaryHomes
import Testing

/// Tests how a gateway handles the servers of a previous gateway that was killed before it could stop them.
@Suite struct ProcessRecoveryTests {
    /// A server that prints another line each time it receives SIGUSR1.
    private static let server = """
        trap 'echo again' USR1
        echo "opencode server listening on http://127.0.0.1:4096"
        while :; do sleep 0.01; done
        """

    /// Ends the server of a gateway, and then the gateway.
    private func finish(_ gateway: SupervisorInFixture) async {
        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    @Test func `the next gateway takes over a running server with its port and password`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        await first.tearDown()

        #expect(ProcessFixture.runs(run.process))

        let second = try await fixture.gateway()
        let found = try #require(await second.ready())

        #expect(found.port == 4096)
        #expect(found.run.id == run.id)
        #expect(found.run.process == run.process)
        #expect(found.run.isFound)
        #expect(!run.isFound)
        #expect(found.run.credentials == run.credentials)
        #expect(found.run.credentials != nil)
        #expect(found.run.environmentDigest == run.environmentDigest)
        // The time is derived from the process's start time, which has a resolution of a hundredth of a second.
        #expect(abs(found.run.started - run.started) < 1_000_000_000)

        await finish(second)

        #expect(!ProcessFixture.runs(run.process))
        #expect(fixture.records.all().isEmpty)
    }

    @Test func `the next gateway receives the output of a server that it has adopted`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        await first.tearDown()
        // The server can write even though no gateway reads its output.
        kill(run.process, SIGUSR1)
        let second = try await fixture.gateway()

        #expect(await second.ready() != nil)

        while await second.tail() != ["again"] { await Task.yield() }
        kill(run.process, SIGUSR1)
        while await second.tail() != ["again", "again"] { await Task.yield() }
        kill(run.process, SIGKILL)

        #expect(await second.nextOfAll() == .mainProcessExited(run: run.id))
        #expect(
            await second.next()
                == .exited(run: run.id, how: "an unknown status", tail: ["again", "again"], next: .failed))

        await second.tearDown()
    }

    @Test func `a port announced while no gateway runs is read by the next gateway`() async throws {
        let fixture = try ProcessFixture("while [ ! -e ../go ]; do sleep 0.01; done\n" + Self.server)
        let first = try await fixture.gateway()
        await first.start(fixture.alpha)
        guard case .launched(let run) = await first.next() else {
            Issue.record("it was not launched")
            return
        }
        await first.tearDown()
        try fixture.home.makeFile("go")
        let second = try await fixture.gateway()
        let found = try #require(await second.ready())

        #expect(found.run.id == run.id)
        #expect(found.port == 4096)
        #expect(fixture.records.read(.alpha)?.address == .loopback(4096))

        await finish(second)
    }

    @Test func `a stop of an adopted server also ends its descendants`() async throws {
        let fixture = try ProcessFixture(
            "setsid sh ../.helper.sh &\nwhile [ ! -s ../helper ]; do sleep 0.01; done\n" + Self.server)
        try fixture.home.makeFile(
            ".helper.sh", "trap '' TERM; echo $$ >../.number; mv ../.number ../helper; while :; do sleep 1; done\n")
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        await first.tearDown()
        let second = try await fixture.gateway()

        #expect(await second.ready() != nil)

        await second.terminate()
        while ProcessFixture.runs(run.process) { await Task.yield() }
        await finish(second)

        #expect(!ProcessFixture.runs(try fixture.number("helper")))
    }

    @Test func `descendants of a server that has ended are ended when the next gateway starts`() async throws {
        let fixture = try ProcessFixture(
            "setsid sh ../.helper.sh &\nwhile [ ! -s ../helper ]; do sleep 0.01; done\n" + Self.server)
        try fixture.home.makeFile(
            ".helper.sh", "trap '' TERM; echo $$ >../.number; mv ../.number ../helper; while :; do sleep 1; done\n")
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        await first.tearDown()
        kill(run.process, SIGKILL)
        // The process ends shortly after the signal. If the gateway still found the process, it would take the process
        // over.
        while ProcessFixture.runs(run.process) { await Task.yield() }
        let second = try await fixture.gateway()

        #expect(!ProcessFixture.runs(try fixture.number("helper")))
        #expect(fixture.records.all().isEmpty)

        await second.tearDown()
    }

    @Test func `a server whose record names no process is found by its VIBEREMOTE_RUN`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        await first.tearDown()
        var record = try #require(fixture.records.read(.alpha))
        record.process = nil
        try fixture.records.write(record)
        let second = try await fixture.gateway()

        #expect(await second.ready()?.run.process == run.process)

        await finish(second)
    }

    @Test func `a server whose output is not a pipe is ended by the next gateway`() async throws {
        let fixture = try ProcessFixture("exec >/dev/null 2>&1\nwhile [ ! -e ../go ]; do sleep 0.01; done\n")
        let first = try await fixture.gateway()
        await first.start(fixture.alpha)
        guard case .launched(let run) = await first.next() else {
            Issue.record("it was not launched")
            return
        }
        while (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(run.process)/fd/2"))
            != "/dev/null"
        { await Task.yield() }
        await first.tearDown()
        let second = try await fixture.gateway()

        #expect(!ProcessFixture.runs(run.process))

        await second.tearDown()
    }

    /// Tests a gateway whose servers are units of systemd.
    @Test func `a gateway with units ends the child processes of an earlier gateway`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        let second = try await fixture.gateway(opens: false)
        let error = await #expect(throws: LaunchError.self) { try await second.endLeftovers() }

        #expect(error?.description.contains("another gateway") == true)
        #expect(ProcessFixture.runs(run.process))

        await first.tearDown()
        try await second.endLeftovers()

        #expect(!ProcessFixture.runs(run.process))
        #expect(!FileManager.default.fileExists(atPath: fixture.records.folder))

        // No process is left to end, and no record remains.
        try await second.endLeftovers()

        #expect(!FileManager.default.fileExists(atPath: fixture.records.folder))

        await second.tearDown()
    }

    /// The records have a process number that was reused, and a boot that has ended.
    @Test func `an outdated record is removed, and an unrelated process with its number continues`() async throws {
        let fixture = try ProcessFixture(Self.server)
        try fixture.records.prepare()
        let innocent = Process()
        innocent.executableURL = URL(filePath: "/bin/sleep")
        innocent.arguments = ["1000"]
        try innocent.run()
        let identity = try #require(ProcessTable.status(of: innocent.processIdentifier)?.identity)
        let earlier = ProcessIdentity(number: identity.number, startTime: identity.startTime - 1)
        for record in [
            InstanceRecord(project: .alpha, run: "x", process: earlier, credentials: nil, environmentDigest: nil),
            InstanceRecord(
                project: .beta, run: "y", process: identity, boot: "an earlier one", credentials: nil,
                environmentDigest: nil),
        ] { try fixture.records.write(record) }
        let gateway = try await fixture.gateway()

        #expect(ProcessFixture.runs(innocent.processIdentifier))
        #expect(fixture.records.all().isEmpty)

        kill(innocent.processIdentifier, SIGKILL)
        await gateway.tearDown()
    }

    @Test func `a second gateway is rejected, and the first one's servers continue to run`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        let error = await #expect(throws: LaunchError.self) { _ = try await fixture.gateway() }

        #expect(error?.description.contains("another gateway (process \(getpid())) already runs instances") == true)
        #expect(ProcessFixture.runs(run.process))
        #expect(fixture.records.read(.alpha)?.run == run.id)

        await finish(first)
    }
}
