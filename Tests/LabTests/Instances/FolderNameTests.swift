// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests that every legal folder name has its own unit, environment and password.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct FolderNameTests {
    /// Names with characters that systemd, shells, patterns and paths treat specially.
    private static let names = [
        "my.app", "my_app", "my-app", "with space", "Übung", "a@b", "100%", "$HOME", "*", "?", "[x]", "back\\slash",
        "quote'\"s", "~", "a:b", "-dash", "\\x2d", "日本",
    ]

    @Test(arguments: LabRoot.allCases) func `each legal folder name has its own environment, password and port`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.write("COMMON='for all'\nOWN=common\n", to: "/home/vibe/.config/opencode/env", mode: 0o600)
        for (number, name) in Self.names.enumerated() {
            try machine.makeProject(name)
            try machine.write(
                "OWN=\"number \(number)\"\n", to: "/home/vibe/.config/opencode/env.d/\(name).env", mode: 0o600)
        }
        // Half of the instances are started by hand before the gateway runs.
        try machine.run("systemctl --user stop viberemote-gateway.socket viberemote-gateway.service 2>&1")
        for name in Self.names.enumerated().filter({ $0.offset.isMultiple(of: 2) }).map(\.element) {
            try machine.run(
                "systemctl --user start \"opencode@$(systemd-escape -- \"$NAME\")\"", environment: ["NAME": name])
        }
        try machine.run("systemctl --user start viberemote-gateway.socket viberemote-gateway.service")

        var passwords: Set<String> = []
        var ports: Set<UInt16> = []
        for (number, name) in Self.names.enumerated() {
            let answer = try machine.start(project: name)
            #expect(answer.status == (number.isMultiple(of: 2) ? "already_running" : "started"), "\(name)")
            #expect(answer.name == name)
            #expect(try machine.folderServed(name) == "/home/vibe/\(name)")
            let status = try machine.status(name)
            let environment = try machine.environment(of: status.pid ?? 0)
            #expect(environment["COMMON"] == "for all", "\(name)")
            #expect(environment["OWN"] == "number \(number)", "\(name)")
            passwords.insert(environment["OPENCODE_SERVER_PASSWORD"] ?? "")
            ports.insert(answer.port)
            // The instance enforces the password, and the gateway knows it.
            let refused = try machine.connect(port: answer.port)
            defer { refused.close() }
            #expect(try refused.exchange("GET", "/path").status == 401, "\(name)")
        }

        #expect(passwords.count == Self.names.count)
        #expect(!passwords.contains(""))
        #expect(ports.count == Self.names.count)
    }

    @Test(arguments: LabRoot.allCases) func `an environment file that others can read is rejected with the remedy`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine.withGateway(root)
        try machine.makeProject("alpha")
        let path = "/home/vibe/.config/opencode/env.d/alpha.env"
        try machine.write("TOKEN=1\n", to: path, mode: 0o644)
        let answer = try machine.tryToStart(project: "alpha")

        #expect(answer.status == 500)
        #expect(answer.text.contains("chmod 600"), "\(answer.text)")
        // systemd does not try to restart the instance, because a restart would not fix the problem.
        #expect(try machine.property("NRestarts", of: "opencode@alpha") == "0")

        try machine.run("chmod 600 \(path)")

        #expect(try machine.start(project: "alpha").status == "started")
    }
}

extension LabMachine {
    /// Returns the environment of a process. Only root and the owner of the process can read it.
    func environment(of pid: Int32) throws -> [String: String] {
        let text = try run("tr '\\0' '\\n' </proc/\(pid)/environ", as: .root).output
        let pairs = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { $1 })
    }
}
