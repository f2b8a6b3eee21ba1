// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Instances
import Logging
import Projects
import Supervisors
import Systemd
import TemporaryHomes
import Testing

/// Tests that a folder never has two servers, regardless of the program that started the first one.
@Suite struct OneServerTests {
    private static let server = #"echo "opencode server listening on http://127.0.0.1:4096"; exec sleep 1000"#

    private func refusal(_ gateway: SupervisorInFixture, _ folder: ProjectFolder) async -> String? {
        await gateway.start(folder)
        guard case .launchFailed(let reason) = await gateway.next() else { return nil }
        return reason
    }

    private func finish(_ gateway: SupervisorInFixture) async {
        await gateway.kill()
        _ = await gateway.next()
        await gateway.tearDown()
    }

    /// Starts a process that works in the folder `alpha` and has these variables.
    private func process(in fixture: ProcessFixture, _ variables: [String: String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["1000"]
        process.currentDirectoryURL = URL(filePath: fixture.alpha.path)
        process.environment = variables
        try process.run()
        return process
    }

    @Test func `a process with VIBEREMOTE_RUN in the project folder prevents a start`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let gateway = try await fixture.gateway()
        let other = try process(in: fixture, ["VIBEREMOTE_RUN": "of a unit, or of another gateway"])
        let number = other.processIdentifier

        #expect(
            await refusal(gateway, fixture.alpha)
                == "process \(number), which this gateway did not start, already serves this folder. End that process first "
                + "(`kill \(number)`).")
        #expect(ProcessFixture.runs(number))

        kill(number, SIGKILL)
        other.waitUntilExit()

        #expect(await gateway.launch(fixture.alpha) != nil)

        await finish(gateway)
    }

    @Test func `a process without VIBEREMOTE_RUN in the project folder does not prevent a start`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let gateway = try await fixture.gateway()
        let other = try process(in: fixture, ["PATH": "/bin"])

        #expect(await gateway.launch(fixture.alpha) != nil)

        kill(other.processIdentifier, SIGKILL)
        await finish(gateway)
    }

    /// An agent may run any program in any folder.
    @Test func `a descendant of another project's server does not prevent a start`() async throws {
        let fixture = try ProcessFixture(
            "[ $(basename $PWD) = alpha ] || { (cd ../alpha; exec setsid sleep 1000) & }\n" + Self.server)
        try fixture.home.makeFolder("beta")
        let beta = ProjectFolder(name: .beta, path: "\(fixture.home.path)/beta", hasGit: false, hasPackageJSON: false)
        let gateway = try await fixture.gateway()

        #expect(await gateway.launch(beta) != nil)
        #expect(await gateway.launch(fixture.alpha) != nil)

        await gateway.kill(.beta)
        _ = await gateway.next()
        await finish(gateway)
    }

    /// A child of a killed gateway holds its locks until the child executes its program. The next gateway waits for
    /// this.
    @Test(.timeLimit(.minutes(5)), arguments: ["projects", "records"])
    func `a gateway waits for the locks that a child of a killed gateway still holds`(place: String) async throws {
        let fixture = try ProcessFixture(Self.server)
        try fixture.home.makeFolder(".records")
        try fixture.home.makeFile(".records/~lock", "4194305\n", mode: 0o600)
        chmod("\(fixture.home.path)/.records", 0o700)
        let holder = Process()
        holder.executableURL = URL(filePath: "/bin/sh")
        // flock(1) acquires the lock and ends. The shell's open descriptor keeps the lock (flock(2)).
        holder.arguments = [
            "-c", "exec 9<\"$1\"; flock -x 9; echo held; read line", "sh",
            place == "projects" ? fixture.home.path : "\(fixture.home.path)/.records/~lock",
        ]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()

        #expect(try output.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8))

        async let opening = fixture.gateway()
        while !Task.isCancelled,
            !fixture.lines.all.contains(where: { $0.message.hasPrefix("waiting for a server") })
        { await Task.yield() }
        try input.fileHandleForWriting.close()
        try await opening.tearDown()
        holder.waitUntilExit()
    }

    @Test func `two names of one project folder have only one server`() async throws {
        let fixture = try ProcessFixture(Self.server)

        #expect(symlink("alpha", fixture.home.path + "/beta") == 0)

        let beta = ProjectFolder(name: .beta, path: "\(fixture.home.path)/beta", hasGit: false, hasPackageJSON: false)
        let gateway = try await fixture.gateway()

        #expect(await gateway.launch(fixture.alpha) != nil)
        #expect(
            await refusal(gateway, beta)
                == "the project alpha is the same folder and already runs. Use that project, or stop it first.")

        await finish(gateway)
    }

    @Test func `a recorded server that still runs is not started a second time`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let gateway = try await fixture.gateway()
        let other = try process(in: fixture, [:])
        let identity = try #require(ProcessTable.status(of: other.processIdentifier)?.identity)
        let record = InstanceRecord(
            project: .alpha, run: "x", process: identity, credentials: nil, environmentDigest: nil)
        try fixture.records.write(record)

        #expect(
            await refusal(gateway, fixture.alpha)?.hasPrefix(
                "process \(identity.number), which this gateway did not start, already serves this project.") == true)
        #expect(fixture.records.read(.alpha) == record)

        kill(identity.number, SIGKILL)
        other.waitUntilExit()

        #expect(await gateway.launch(fixture.alpha) != nil)

        await finish(gateway)
    }

    @Test func `a start is rejected until the gateway knows which servers run`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let gateway = try await fixture.gateway(opens: false)
        await gateway.observe()

        #expect(await refusal(gateway, fixture.alpha)?.hasPrefix("the gateway is still looking for servers") == true)

        await gateway.tearDown()
    }

    // MARK: Independent gateways

    @Test func `a second gateway with other records is rejected for the same home directory`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let others = InstanceRecordStore(folder: "\(fixture.home.path)/.others")

        #expect(symlink(fixture.home.path, fixture.home.path + "/.link") == 0)

        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        for path in [fixture.home.path, fixture.home.path + "/.link/", fixture.home.path + "/./"] {
            let error = await #expect(throws: LaunchError.self) {
                _ = try await fixture.gateway(records: others, projects: path)
            }
            #expect(error?.description.hasPrefix("another gateway (process \(getpid())) already runs") == true)
        }

        #expect(ProcessFixture.runs(run.process))

        await finish(first)
    }

    @Test(arguments: [true, false])
    func `a server that a gateway left without a record is ended, and a unit's server continues`(isProcessGateway: Bool)
        async throws
    {
        let fixture = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        await first.tearDown()
        let others = InstanceRecordStore(folder: "\(fixture.home.path)/.others")
        // A server that is not a child of a gateway keeps running, such as the server of a unit.
        let unit = try process(in: fixture, ["VIBEREMOTE_RUN": "of a unit"])
        let second = try await fixture.gateway(opens: isProcessGateway, records: others)
        if !isProcessGateway { try await second.endLeftovers() }

        #expect(!ProcessFixture.runs(run.process))
        #expect(ProcessFixture.runs(unit.processIdentifier))
        #expect(
            fixture.lines.all.contains { $0.message == "ending a server that has no record" })

        kill(unit.processIdentifier, SIGKILL)
        await second.tearDown()
    }

    @Test func `a server of another home directory is not ended`() async throws {
        let fixture = try ProcessFixture(Self.server)
        let elsewhere = try ProcessFixture(Self.server)
        let first = try await fixture.gateway()
        let run = try #require(await first.launch(fixture.alpha))
        let second = try await elsewhere.gateway()

        #expect(ProcessFixture.runs(run.process))

        await second.tearDown()
        await finish(first)
    }

    @Test func `an invalid record is kept and logged`() async throws {
        let fixture = try ProcessFixture(Self.server)
        try fixture.records.prepare()
        try fixture.home.makeFile(".records/alpha", "nonsense", mode: 0o600)
        let gateway = try await fixture.gateway()

        #expect(try fixture.home.readFile(".records/alpha") == "nonsense")
        #expect(fixture.lines.all.contains { $0.text(of: "reason").contains("it is not a record of an instance") })

        await gateway.tearDown()
    }
}
