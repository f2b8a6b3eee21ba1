// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Tests the gateway as a service: its restarts affect no client and no instance.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct GatewayServiceTests {
    private static let service = "viberemote-gateway.service"

    @Test(arguments: LabRoot.allCases) func `a kill or an upgrade of the gateway leaves its instances running`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.startNew(project: "alpha")
        try machine.startNew(project: "beta")
        let before = try (machine.status("alpha"), machine.status("beta"))
        let first = try machine.property("MainPID", of: Self.service)

        try machine.run("systemctl --user kill -s KILL \(Self.service)")
        try machine.waitForNewGateway(than: first)

        #expect(try machine.status("alpha").pid == before.0.pid)
        #expect(
            try machine.start(project: "alpha")
                == .init(name: "alpha", port: before.0.port ?? 0, status: "already_running"))

        // Simulates an upgrade that installs a different program under the same name. An ELF file may have trailing
        // bytes.
        let second = try machine.property("MainPID", of: Self.service)
        try machine.run("cp \(Lab.checkoutInside)/.build/dist/viberemote-gateway /tmp/next && echo >>/tmp/next")
        try machine.install("--binary /tmp/next")
        try machine.waitForNewGateway(than: second)

        #expect(try machine.output("cmp /tmp/next ~/.local/bin/viberemote-gateway") == "")

        let after = try (machine.status("alpha"), machine.status("beta"))

        #expect(after.0.pid == before.0.pid)
        #expect(after.0.port == before.0.port)
        #expect(after.1.pid == before.1.pid)
        #expect(after.1.port == before.1.port)
        #expect(try machine.folderServed("beta") == "/home/vibe/beta")
    }

    @Test(arguments: LabRoot.allCases) func `a client that connects during a restart waits and is served`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        // No process listens while the service is stopped, but the socket unit accepts connections and starts the
        // service again.
        let first = try machine.property("MainPID", of: Self.service)
        try machine.run("systemctl --user stop \(Self.service)")

        #expect(try machine.request("GET", "/health").status == 200)

        try machine.waitForNewGateway(than: first)

        // Connects clients at arbitrary moments during several restarts. None of them is refused.
        let failures = Recorded<String>("a refused client")
        let served = Monitor(0)
        let isEnding = Monitor(false)
        let clients = try (0..<4).map { _ in
            try TestThread {
                while !isEnding.withLock({ $0 }) {
                    do {
                        let answer = try machine.request("GET", "/health")
                        if answer.status == 200 {
                            served.withLock { $0 += 1 }
                        } else {
                            failures.append("\(answer.status)")
                        }
                    } catch {
                        failures.append("\(error)")
                    }
                }
            }
        }
        for _ in 1...3 {
            try machine.run("systemctl --user restart \(Self.service)")
            let goal = served.withLock { $0 } + 20
            _ = try served.wait(for: "requests after the restart", within: .seconds(30)) { $0 >= goal ? true : nil }
        }
        isEnding.withLock { $0 = true }
        for client in clients { client.join() }

        #expect(failures.values == [])

        print("\(root.rawValue): \(served.withLock { $0 }) clients served over three restarts")
    }

    @Test(arguments: LabRoot.allCases) func `a reload applies a new key and new settings and ends no stream`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.startNew(project: "alpha")
        let connection = try machine.connect(port: LabMachine.port)
        try connection.send(
            "GET", "/projects/alpha/api/event", headers: [("Authorization", "Bearer \(try machine.key())")])
        let events = EventStreamReader(connection)
        try events.first("the stream's beginning", within: .seconds(20)) { $0.contains("server.connected") }

        let fresh = "a-second-key-0123456789abcdef"
        let path = "/home/vibe/.config/viberemote-gateway/key"
        try machine.write("\(try machine.key())\n\(fresh)\n", to: path, mode: 0o600)
        let other = try machine.connect(port: LabMachine.port)
        defer { other.close() }

        #expect(try other.exchange("GET", "/projects", headers: [("Authorization", "Bearer \(fresh)")]).status == 401)

        let origin = "https://app.example.com"
        let allowed = { try machine.request("GET", "/health", headers: [("Origin", origin)]) }

        #expect(try allowed().value(of: "Access-Control-Allow-Origin") == nil)

        try machine.run("echo VIBE_ALLOW_ORIGIN=\(origin) >>~/.config/viberemote-gateway/config")
        let pid = try machine.property("MainPID", of: Self.service)
        try machine.run("systemctl --user reload \(Self.service)")
        try eventually("the new key to be taken", within: .seconds(20)) {
            let answer = try other.exchange("GET", "/projects", headers: [("Authorization", "Bearer \(fresh)")])
            return (answer.status == 200, "\(answer.status)")
        }

        #expect(try machine.property("MainPID", of: Self.service) == pid)
        #expect(try allowed().value(of: "Access-Control-Allow-Origin") == origin)
        // The stream continues: new events still arrive.
        #expect(try machine.request("POST", "/projects/alpha/api/session", body: Array("{}".utf8)).status == 200)

        try events.first("the new session", within: .seconds(20)) { $0.contains("session.created") }
        connection.close()
    }

    @Test(arguments: LabRoot.allCases) func `only enabled instances are ready again after a reboot`(_ root: LabRoot)
        throws
    {
        let machine = try LabMachine.withGateway(root)
        try machine.startNew(project: "alpha")
        try machine.startNew(project: "beta")
        try machine.run("systemctl --user enable opencode@alpha")
        try machine.reboot()
        try machine.waitForStatus(of: "alpha", "the enabled instance") { $0.state == "ready" }

        #expect(try machine.folderServed("alpha") == "/home/vibe/alpha")
        #expect(try machine.status("beta").state == "stopped")

        let log = try machine.output("journalctl --user -b -u viberemote-gateway -o cat")

        #expect(log.contains("the user's service manager responds (systemd "), "\(log.prefix(2_000))")
    }

    @Test(arguments: LabRoot.allCases) func `a gateway that hangs is restarted`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        let pid = try machine.property("MainPID", of: Self.service)
        try machine.run("mkdir -p ~/.config/systemd/user/\(Self.service).d")
        try machine.write(
            "[Service]\nWatchdogSec=1\n", to: "/home/vibe/.config/systemd/user/\(Self.service).d/fast.conf")
        try machine.run("systemctl --user daemon-reload && systemctl --user restart \(Self.service)")
        try machine.waitForNewGateway(than: pid)
        let second = try machine.property("MainPID", of: Self.service)
        try machine.run("kill -STOP \(second)")
        try machine.waitForNewGateway(than: second)

        #expect(try machine.request("GET", "/health").status == 200)
    }
}

extension LabMachine {
    /// Waits until a process other than `old` is the gateway, and responds.
    func waitForNewGateway(than old: String) throws {
        try eventually("another gateway than \(old)", within: .seconds(30)) {
            let state = try run(
                "systemctl --user show --value -p MainPID,ActiveState viberemote-gateway.service", check: false)
            let lines = Set(state.output.split(separator: "\n").map(String.init))
            return (lines.contains("active") && !lines.contains(old) && !lines.contains("0"), state.output)
        }
        try eventually("the gateway to answer", within: .seconds(20)) {
            let answer = try? request("GET", "/health")
            return (answer?.status == 200, "\(String(describing: answer?.status))")
        }
    }
}
