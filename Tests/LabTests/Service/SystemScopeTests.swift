// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests the gateway and instances as services of the system's manager, under a dedicated user.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct SystemScopeTests {
    @Test(arguments: LabRoot.allCases) func `the gateway starts and stops units of the system manager`(_ root: LabRoot)
        throws
    {
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

    @Test(arguments: LabRoot.allCases)
    func `settings and key belong to root, and the service reads them`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        let folder = "/etc/viberemote-gateway"

        let rights = try machine.output("stat -c '%U:%G %a' \(folder) \(folder)/config \(folder)/key", as: .root)
        let key = try machine.run("cat \(folder)/key", check: false)
        let change = try machine.run("touch \(folder)/new", check: false)

        #expect(rights == "root:vibe 750\nroot:vibe 640\nroot:root 600")
        #expect(!key.isSuccess)
        #expect(!change.isSuccess)
        #expect(try machine.request("GET", "/projects").status == 200)
    }

    /// Earlier versions made the service's user the owner of the folder.
    @Test(arguments: LabRoot.allCases)
    func `an upgrade moves the settings of the service's user to root and follows no links`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        let folder = "/etc/viberemote-gateway"
        let key = try machine.key()
        let before = try machine.output("stat -c '%U:%G %a %s' /etc/passwd /etc/shadow", as: .root)
        try machine.run("chown -R vibe:vibe \(folder); chmod 700 \(folder); chmod 600 \(folder)/*", as: .root)
        try machine.run("for name in config.new key.new; do ln -s /etc/passwd \(folder)/$name; done")
        try machine.run("ln -s /etc/passwd /var/lib/viberemote-gateway/original")

        let transcript = try machine.install("--system --listen 127.0.0.1:4001", as: .root)

        #expect(transcript.contains("belongs to vibe"), "\(transcript)")
        #expect(
            try machine.output("stat -c '%U:%G %a' \(folder) \(folder)/config \(folder)/key", as: .root)
                == "root:vibe 750\nroot:vibe 640\nroot:root 600")
        #expect(try machine.output("stat -c '%U:%G %a %s' /etc/passwd /etc/shadow", as: .root) == before)
        #expect(try machine.key() == key)
        #expect(try machine.request("GET", "/projects", port: 4001).status == 200)
        #expect(try machine.install("--system", as: .root).contains("would run") == false)
    }

    @Test(arguments: LabRoot.allCases, ["config", "key"])
    func `an upgrade rejects a link in place of a file`(_ root: LabRoot, name: String) throws {
        let machine = try LabMachine.withGateway(root, .system)
        let folder = "/etc/viberemote-gateway"
        let before = try machine.output("stat -c '%U:%G %a %s' /etc/passwd /etc/shadow", as: .root)
        try machine.run("chown -R vibe:vibe \(folder); chmod 700 \(folder); chmod 600 \(folder)/*", as: .root)
        try machine.run("ln -sf /etc/shadow \(folder)/\(name)")

        let outcome = try machine.run(
            "\(Lab.checkoutInside)/deploy/install.sh --system --listen 127.0.0.1:4001 2>&1", as: .root, check: false)

        #expect(!outcome.isSuccess)
        #expect(outcome.output.contains("\(folder)/\(name) is not a regular file"), "\(outcome.output)")
        #expect(try machine.output("stat -c '%U:%G %a %s' /etc/passwd /etc/shadow", as: .root) == before)
    }

    @Test(arguments: LabRoot.allCases)
    func `an instance's unit survives the kill of one child and has a limit that fits the machine`(_ root: LabRoot)
        throws
    {
        for scope in LabScope.allCases {
            let machine = try LabMachine.withGateway(root, scope)
            let total = try machine.output("awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo", as: .root)

            let shown = try machine.output(
                "systemctl \(scope.option) show --value -p OOMPolicy -p MemoryHigh -p MemoryMax opencode@demo",
                as: scope.admin)

            let values = shown.split(separator: "\n").map(String.init)
            let limits = values.compactMap { Double($0) }.sorted()
            let memory = try #require(Double(total))
            #expect(values.contains("continue"), "\(shown)")
            try #require(limits.count == 2, "\(shown)")
            #expect(abs(limits[0] / memory - 0.6) < 0.01)
            #expect(abs(limits[1] / memory - 0.75) < 0.01)
        }
    }

    /// An agent runs as the same user as the gateway.
    @Test(arguments: LabRoot.allCases)
    func `another process of the gateway's user cannot trace the gateway`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        let number = try machine.output("systemctl show --value -p MainPID viberemote-gateway", as: .root)

        let memory = try machine.run("head -c 1 /proc/\(number)/environ && ls /proc/\(number)/fd", check: false)

        #expect(try machine.output("stat -c %U /proc/\(number)/environ", as: .root) == "root")
        #expect(!memory.isSuccess, "\(memory.output)")
    }

    /// polkit allows the gateway's user to manage OpenCode's units and no others. Without the rule, the response says
    /// that the permission is missing.
    @Test(arguments: LabRoot.allCases) func `polkit allows the gateway's user to manage only OpenCode's units`(
        _ root: LabRoot
    ) throws {
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

    @Test(arguments: LabRoot.allCases) func `only enabled instances are ready again after a reboot`(_ root: LabRoot)
        throws
    {
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

    /// Unlike root, the gateway's user can reach the system's manager only through the bus.
    @Test(arguments: LabRoot.allCases)
    func `the gateway serves running instances without the system bus and recovers with it`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root, .system)
        try machine.makeProject("alpha")
        try machine.start(project: "alpha")
        let before = try machine.status("alpha")
        try machine.run("systemctl stop dbus.socket dbus.service", as: .root)

        // The running instance is still reachable through the gateway.
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

    @Test(arguments: LabRoot.allCases) func `an uninstallation removes every unit and keeps the settings`(
        _ root: LabRoot
    )
        throws
    {
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
