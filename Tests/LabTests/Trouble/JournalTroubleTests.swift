// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests problems with the journal, from which the gateway reads the ports.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct JournalTroubleTests {
    /// The journal is rotated, vacuumed or restarted while a start waits for its announcement.
    @Test(
        arguments: LabRoot.allCases,
        [
            "journalctl --rotate", "journalctl --rotate --vacuum-time=1s --vacuum-size=1",
            "systemctl restart systemd-journald",
        ]) func `an announcement is found despite a rotation, vacuum or restart of the journal`(
            _ root: LabRoot, _ disturbance: String
        ) throws
    {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        try machine.write("banner-late=3000", to: "/home/vibe/alpha/.opencode-simulator")
        let answer = Recorded<Result<StartAnswer, any Error>>("the start's answer")
        let client = try TestThread { answer.append(Result { try machine.start(project: "alpha") }) }
        try machine.waitForStatus(of: "alpha", "the start") { $0.state == "booting" }
        try machine.run(disturbance, as: .root)
        client.join()
        let started = try answer.values[0].get()

        #expect(started.status == "started")
        #expect(try machine.status("alpha").warnings.filter { $0.contains("sockets") } == [])
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
    }

    /// The announcement of an old instance may have been removed from the journal.
    @Test(arguments: LabRoot.allCases) func `a port whose announcement was vacuumed is found by the unit's sockets`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        let port = try machine.startNew(project: "alpha").port
        try machine.run("journalctl --rotate --vacuum-size=1 2>&1", as: .root)
        try machine.run("systemctl --user restart viberemote-gateway")
        let found = try machine.waitForStatus(of: "alpha", "its port") { $0.state == "ready" }

        #expect(found.port == port)
        #expect(found.warnings.contains { $0.contains("sockets of the unit's processes") }, "\(found.warnings)")
    }

    /// The gateway waits ten seconds for the announcement. Then it uses the unit's own sockets, and no other sockets.
    @Test(arguments: LabRoot.allCases) func `a port that is never announced is found by the unit's sockets within 20 s`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        let other = try machine.startNew(project: "beta").port
        try machine.makeProject("alpha")
        try machine.write("banner-never", to: "/home/vibe/alpha/.opencode-simulator")
        let begin = ContinuousClock.now
        let started = try machine.start(project: "alpha")
        let time = ContinuousClock.now - begin

        #expect(time > .seconds(9), "\(time)")
        #expect(time < .seconds(20), "\(time)")
        #expect(started.status == "started")
        #expect(started.port != other)

        let warnings = try machine.status("alpha").warnings

        #expect(warnings.contains { $0.contains("the announcement of the port is not in the journal") }, "\(warnings)")
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
    }

    @Test(arguments: LabRoot.allCases)
    func `an unreadable journal is logged, and ports are found by the unit's sockets`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        // Simulates a machine without separate journals for users, on which only root may read the journal.
        try machine.run(
            "chmod 0700 /var/log/journal /var/log/journal/* /run/log/journal 2>/dev/null || true", as: .root)
        try machine.run("systemctl --user restart viberemote-gateway")
        let started = try machine.startNew(project: "alpha")

        #expect(started.status == "started")
        #expect(try machine.status("alpha").warnings.contains { $0.contains("sockets of the unit's processes") })
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")

        let log = try machine.run("journalctl _UID=1000 -o cat", as: .root).output

        #expect(log.contains("cannot read the ports of instances from the journal"), "\(log.suffix(2_000))")
    }

    /// Neither the agent's own output nor the output of another run counts as an announcement.
    @Test(arguments: LabRoot.allCases) func `later lines that resemble an announcement are ignored`(_ root: LabRoot)
        throws
    {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        try machine.write("banner-followed=1", to: "/home/vibe/alpha/.opencode-simulator")
        let started = try machine.start(project: "alpha")
        // Another process of the same user can write any value into the other fields of its own entries.
        try machine.run(
            "logger --journald <<END\nMESSAGE=opencode server listening on http://127.0.0.1:1\nUSER_UNIT=opencode@alpha.service\nEND"
        )
        try machine.run("systemctl --user restart viberemote-gateway")
        let found = try machine.waitForStatus(of: "alpha", "its port") { $0.state == "ready" }

        #expect(found.port == started.port)
    }
}
