// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests OpenCode 1 and 2 side by side as units of one manager, each started by the command of its project.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct FamilyTests {
    /// Returns a machine on which OpenCode 2 serves `beta`, and OpenCode 1 serves every other project.
    private func machine(_ root: LabRoot) throws -> LabMachine {
        let machine = try LabMachine.withGateway(root)
        try machine.run("mkdir -p ~/.config/opencode/env.d && chmod 700 ~/.config/opencode")
        try machine.run(
            "umask 077; echo 'VIBE_OPENCODE=opencode --profile 2.0.15' >~/.config/opencode/env.d/beta.env")
        return machine
    }

    @Test(arguments: LabRoot.allCases)
    func `OpenCode 1 and OpenCode 2 are started, queried and stopped`(_ root: LabRoot) throws {
        let machine = try machine(root)
        for (project, version, api) in [("alpha", "1.18.33", "1"), ("beta", "2.0.15", "2")] {
            try machine.startNew(project: project)
            let status = try machine.status(project)
            #expect(status.version == version)
            #expect(status.api == api)
            #expect(status.warnings == [])
        }

        #expect(try machine.request("GET", "/projects/beta/api/api/info").status == 200)
        #expect(try machine.request("GET", "/projects/alpha/api/global/health").status == 200)

        for project in ["alpha", "beta"] {
            try machine.stop(project: project)
            // OpenCode 2 ends with status 130. This end is as clean as OpenCode 1's end by SIGTERM.
            #expect(try machine.property("ActiveState", of: "opencode@\(project)") == "inactive")
            #expect(try machine.property("Result", of: "opencode@\(project)") == "success")
            let stopped = try machine.status(project)
            #expect(stopped.state == "stopped")
            #expect(stopped.lastError == nil)
        }
        let log = try machine.output("journalctl --user -o cat")

        #expect(!log.contains("server password"))
    }

    @Test(arguments: LabRoot.allCases) func `a new gateway keeps the restarts, last error and API of the old one`(
        _ root: LabRoot
    ) throws {
        let machine = try machine(root)
        try machine.startNew(project: "beta")
        try machine.run("systemctl --user kill -s KILL opencode@beta")
        let before = try machine.waitForStatus(of: "beta", "systemd's restart") {
            $0.state == "ready" && $0.restarts == 1
        }

        #expect(before.lastError?.contains("SIGKILL") == true)

        try machine.run("systemctl --user restart viberemote-gateway")
        let after = try machine.waitForStatus(of: "beta", "the new gateway") { $0.state == "ready" }

        #expect(after.restarts == before.restarts)
        #expect(after.lastError == before.lastError)
        #expect(after.pid == before.pid)
        #expect(after.api == "2")
    }
}
