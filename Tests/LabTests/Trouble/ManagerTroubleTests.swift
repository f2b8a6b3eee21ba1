// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests problems with the service manager and the bus. The gateway reports the problem, and continues when it is
/// solved.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct ManagerTroubleTests {
    @Test(arguments: LabRoot.allCases) func `a missing unit is reported with the remedy`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        let unit = "~/.config/systemd/user/opencode@.service"
        try machine.run("mv \(unit) /tmp/ && systemctl --user daemon-reload")
        let answer = try machine.tryToStart(project: "alpha")

        #expect(answer.status == 500)
        #expect(
            answer.text.contains("has no unit opencode@.service. Run deploy/install.sh to install the unit"),
            "\(answer.text)")

        try machine.run("mv /tmp/opencode@.service \(unit) && systemctl --user daemon-reload")

        #expect(try machine.start(project: "alpha").status == "started")
    }

    /// The user's bus daemon is not part of systemd, and everything continues without it.
    @Test(arguments: LabRoot.allCases) func `the gateway continues without the user's D-Bus daemon`(_ root: LabRoot)
        throws
    {
        let machine = try LabMachine.withGateway(root)
        let port = try machine.startNew(project: "alpha").port
        try machine.run("systemctl --user stop dbus.socket dbus.service")

        #expect(try machine.status("alpha").port == port)
        #expect(try machine.startNew(project: "beta").status == "started")

        try machine.run("systemctl --user start dbus.socket")
        try machine.stop(project: "alpha")

        #expect(try machine.property("ActiveState", of: "opencode@alpha") == "inactive")
        #expect(try machine.start(project: "alpha").status == "started")
    }

    @Test(arguments: LabRoot.allCases) func `a daemon-reload affects no instance and no request`(_ root: LabRoot) throws
    {
        let machine = try LabMachine.withGateway(root)
        try machine.startNew(project: "alpha")
        let before = try machine.status("alpha")
        let load = try ProjectLoad(machine, ["alpha"])
        for _ in 1...5 {
            try machine.run("systemctl --user daemon-reload")
            try load.waitForAnswers(50)
        }
        let result = try load.stop()

        #expect(result.strangers == [])
        #expect(result.unexpected == [])

        let after = try machine.status("alpha")

        #expect(after.pid == before.pid)
        #expect(after.port == before.port)
        #expect(after.state == "ready")
        #expect(try machine.start(project: "alpha").status == "already_running")
    }

    /// A gateway that does not belong to the user's manager outlives the manager.
    @Test(arguments: LabRoot.allCases) func `the gateway starts instances again after the user manager is restarted`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.run("systemctl --user disable --now viberemote-gateway.socket viberemote-gateway.service 2>&1")
        let gateway = try machine.start("exec ~/.local/bin/viberemote-gateway serve --supervisor systemd")
        try gateway.waitForLine(on: .output, within: .seconds(30)) { $0.contains(" listening on ") }
        let first = try machine.startNew(project: "alpha")
        let before = try machine.status("alpha")
        try machine.run("systemctl restart user@1000.service", as: .root)
        try machine.waitForStatus(of: "alpha", "the end of the instance") { !$0.isRunning }
        let again = try machine.waitForStart(of: "alpha")

        #expect(again.status == "started")
        #expect(first.status == "started")
        #expect(try machine.status("alpha").pid != before.pid)
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
    }

    /// A response names the missing part until the manager is back.
    @Test(arguments: LabRoot.allCases) func `a start without a user manager reports the remedy`(_ root: LabRoot) throws
    {
        let machine = try LabMachine.withGateway(root)
        try machine.run("systemctl --user disable --now viberemote-gateway.socket viberemote-gateway.service 2>&1")
        let gateway = try machine.start("exec ~/.local/bin/viberemote-gateway serve --supervisor systemd")
        try gateway.waitForLine(on: .output, within: .seconds(30)) { $0.contains(" listening on ") }
        try machine.makeProject("alpha")
        try machine.run("systemctl stop user@1000.service", as: .root)
        let answer = try machine.tryToStart(project: "alpha")

        #expect(answer.status == 500 || answer.status == 503)
        #expect(answer.text.contains("loginctl enable-linger vibe"), "\(answer.text)")

        try machine.run("systemctl start user@1000.service", as: .root)

        #expect(try machine.waitForStart(of: "alpha").status == "started")
    }
}

extension LabMachine {
    /// Starts the project as soon as the gateway can reach its manager again.
    fileprivate func waitForStart(of project: String) throws -> StartAnswer {
        try eventually("the manager to be reachable again", within: .seconds(30)) {
            let answer = try request("POST", "/projects/\(project)/start")
            return (answer.status == 200, answer.text)
        }
        // The project runs now, so a second start returns the same port.
        let answer = try start(project: project)
        return StartAnswer(name: answer.name, port: answer.port, status: "started")
    }
}
