import TestKit
import Testing

/// Gateway and instances as services of the system's manager, as a user of their own.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct SystemScopeTests {
    @Test(arguments: LabRoot.allCases) func itStartsAndStopsUnitsOfTheSystem(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        #expect(try machine.output("systemctl show --value -p User viberemote-gateway", as: .root) == "vibe")
        try machine.makeProject("my app")
        #expect(try machine.start(project: "my app").status == "started")
        #expect(try machine.output("systemctl is-active 'opencode@my\\x20app'", as: .root) == "active")
        #expect(try machine.folderServed("my app") == "/home/vibe/my app")
        let status = try machine.status("my app")
        #expect(try machine.output("stat -c %U /proc/\(status.pid ?? 0)", as: .root) == "vibe")
        #expect(status.warnings == [])

        try machine.run("systemctl restart viberemote-gateway", as: .root)
        #expect(try machine.waitForStatus(of: "my app", "its adoption") { $0.state == "ready" }.pid == status.pid)
        try machine.stop(project: "my app")
        #expect(
            try machine.run("systemctl is-active 'opencode@my\\x20app'", as: .root, check: false).output == "inactive")
    }

    /// polkit lets the gateway's user manage OpenCode's units and no others; without the rule the answer says so.
    @Test(arguments: LabRoot.allCases) func polkitAllowsNothingElse(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        try machine.makeProject("alpha")
        #expect(try machine.run("systemctl --no-ask-password start opencode@alpha", check: false).isSuccess)
        #expect(try !machine.run("systemctl --no-ask-password stop dbus.service", check: false).isSuccess)
        #expect(try !machine.run("systemctl --no-ask-password stop opencode@alpha", as: .other, check: false).isSuccess)
        try machine.stop(project: "alpha")
        try machine.run("rm /etc/polkit-1/rules.d/50-viberemote-gateway.rules; systemctl restart polkit", as: .root)
        let answer = try machine.tryToStart(project: "alpha")
        #expect(answer.status == 500)
        #expect(answer.text.contains("polkit"), "\(answer.text)")
    }

    @Test(arguments: LabRoot.allCases) func afterARebootAllIsBack(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        try machine.makeProject("alpha")
        try machine.makeProject("beta")
        try machine.start(project: "beta")
        try machine.run("systemctl enable opencode@alpha", as: .root)
        try machine.reboot()
        let status = try machine.waitForStatus(of: "alpha", "the enabled instance") { $0.state == "ready" }
        #expect(status.warnings == [])
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
        #expect(try machine.status("beta").state == "stopped")
    }

    /// Unlike root, the gateway's user reaches the system's manager over the bus alone.
    @Test(arguments: LabRoot.allCases) func theSystemsBusMayGoAway(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        try machine.makeProject("alpha")
        try machine.start(project: "alpha")
        let before = try machine.status("alpha")
        try machine.run("systemctl stop dbus.socket dbus.service", as: .root)
        // What runs is served on.
        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
        try machine.makeProject("beta")
        let refusal = try machine.tryToStart(project: "beta")
        #expect(refusal.status == 500 || refusal.status == 503)
        #expect(refusal.text.contains("manager"), "\(refusal.text)")
        try machine.run("systemctl start dbus.socket dbus.service", as: .root)
        try eventually("the manager to be reachable again", within: .seconds(30)) {
            let answer = try machine.tryToStart(project: "beta")
            return (answer.status == 200, answer.text)
        }
        #expect(try machine.status("alpha").pid == before.pid)
        #expect(try machine.folderServed("beta") == "/home/vibe/beta")
    }

    @Test(arguments: LabRoot.allCases) func uninstallingLeavesNoUnit(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        try machine.makeProject("alpha")
        try machine.start(project: "alpha")
        try machine.install("--system --uninstall", as: .root)
        #expect(try machine.run("pgrep -u vibe -f '[v]iberemote-gateway|[o]pencode'", check: false).output == "")
        #expect(
            try machine.output(
                "ls /etc/systemd/system /usr/local/bin /etc/polkit-1/rules.d | grep -E 'viberemote|opencode' || true")
                == "")
        #expect(try machine.output("ls /etc/viberemote-gateway", as: .root) == "config\nkey")
    }
}
