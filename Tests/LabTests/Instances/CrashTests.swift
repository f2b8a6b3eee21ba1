// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Tests instances that end unexpectedly and that systemd restarts.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct CrashTests {
    @Test(arguments: LabRoot.allCases)
    func `an instance that crashes under load is restarted and serves requests again`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        let old = try machine.startNew(project: "alpha")
        let before = try machine.status("alpha")
        let load = try ProjectLoad(machine, ["alpha"])
        try load.waitForAnswers(200)
        try machine.run("systemctl --user kill -s KILL opencode@alpha")
        // The status changes immediately, before systemd has restarted the instance.
        let gone = try machine.waitForStatus(of: "alpha", "the crash") { $0.state == "restarting" }

        #expect(gone.port == nil)
        #expect(gone.lastError?.contains("SIGKILL") == true)
        #expect(try machine.request("GET", "/projects/alpha/api/path").value(of: "Retry-After") != nil)

        let back = try machine.waitForStatus(of: "alpha", "systemd's restart") { $0.state == "ready" }

        #expect(back.pid != before.pid)
        #expect(back.restarts == 1)

        let result = try load.stop()

        #expect(result.strangers == [])
        #expect(result.unexpected == [])
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
        #expect(old.port != 0)
    }

    /// OpenCode uses port 4096 if it is free, so the instance that restarts first gets the port of the other instance.
    @Test(arguments: LabRoot.allCases) func `two projects that swap ports never receive each other's requests`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        var first = try machine.startNew(project: "alpha").port
        var second = try machine.startNew(project: "beta").port
        let load = try ProjectLoad(machine, ["alpha", "beta"])
        var swaps = 0
        while swaps < 4 || load.answered < 10_000 {
            try machine.run("systemctl --user stop opencode@alpha opencode@beta")
            // The order alternates between the iterations.
            for project in swaps.isMultiple(of: 2) ? ["beta", "alpha"] : ["alpha", "beta"] {
                try machine.run("systemctl --user start opencode@\(project)")
                try machine.waitForStatus(of: project, "its restart") { $0.state == "ready" }
            }
            let ports = (try machine.status("alpha").port ?? 0, try machine.status("beta").port ?? 0)
            #expect((ports.0 == 4096) != (first == 4096))
            #expect((ports.1 == 4096) != (second == 4096))
            (first, second) = ports
            swaps += 1
            try load.waitForAnswers(swaps < 4 ? 200 : 1_000)
        }
        let result = try load.stop()

        #expect(result.answered >= 10_000)
        #expect(result.strangers == [])
        #expect(result.unexpected == [])

        print("\(root.rawValue): \(result.answered) requests answered by the right project over \(swaps) swaps")
    }

    /// After five starts, five seconds apart, systemd gives up.
    @Test(arguments: LabRoot.allCases) func `a crash loop ends as failed with its reason`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        try machine.write("exit-at-start=7", to: "/home/vibe/alpha/.opencode-simulator")
        let answer = try machine.tryToStart(project: "alpha")

        #expect(answer.status == 500)
        #expect(answer.text.contains("exit status 7"), "\(answer.text)")

        let failed = try machine.waitForStatus(of: "alpha", "systemd to give up", within: .seconds(60)) {
            $0.state == "failed" && $0.lastError?.contains("start-limit-hit") == true
        }

        #expect(!failed.isRunning)
        #expect(failed.port == nil)
        #expect(try machine.property("ActiveState", of: "opencode@alpha") == "failed")

        // A repaired project starts immediately, regardless of the number of starts that systemd has counted.
        try machine.run("rm ~/alpha/.opencode-simulator")

        #expect(try machine.start(project: "alpha").status == "started")
    }
}
