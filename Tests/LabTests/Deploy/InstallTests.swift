// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests `deploy/install.sh` as an ordinary user on a machine on which the gateway was never installed.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct InstallTests {
    @Test(arguments: LabRoot.allCases) func `install.sh installs the gateway and prints the next steps`(_ root: LabRoot)
        throws
    {
        let layer = try InstalledLayer.of(root)

        #expect(layer.transcript.contains("http://127.0.0.1:4000/health responds"))
        #expect(layer.transcript.contains("Bearer $(cat /home/vibe/.config/viberemote-gateway/key)"))

        let machine = try LabMachine.withGateway(root)
        let key = try machine.key()

        #expect(key.utf8.count == 64)
        #expect(!layer.transcript.contains(key))
        #expect(
            try machine.output("stat -c '%a %U %n' ~/.config/viberemote-gateway ~/.config/viberemote-gateway/*") == """
                700 vibe /home/vibe/.config/viberemote-gateway
                600 vibe /home/vibe/.config/viberemote-gateway/config
                600 vibe /home/vibe/.config/viberemote-gateway/key
                """)
        #expect(
            try machine.output("systemctl --user is-enabled viberemote-gateway.socket viberemote-gateway.service")
                == "enabled\nenabled")
        #expect(try machine.request("GET", "/health").text == #"{"status":"ok","service":"viberemote-gateway"}"#)

        try machine.makeProject("alpha")

        #expect(try machine.request("GET", "/projects").text.contains(#""name":"alpha""#))
    }

    /// Running the same command again changes nothing, and the gateway continues to run.
    @Test(arguments: LabRoot.allCases) func `a second installation changes nothing`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        let before = try machine.state()
        let transcript = try machine.install("--listen 127.0.0.1:4000")
        let changed = try machine.state().symmetricDifference(before)

        #expect(changed == [])
        #expect(transcript.hasPrefix("install: http://127.0.0.1:4000/health responds\n"))
    }

    @Test(arguments: LabRoot.allCases) func `a dry run prints its actions and changes nothing`(_ root: LabRoot) throws {
        let machine = try LabMachine(root)
        let before = try machine.state()
        let transcript = try machine.install("--dry-run")
        let changed = try machine.state().symmetricDifference(before)

        #expect(changed == [])

        for words in [
            "/home/vibe/.local/bin/viberemote-gateway", "/home/vibe/.config/viberemote-gateway/key",
            "/home/vibe/.config/systemd/user/opencode@.service", "would run: systemctl --user daemon-reload",
            "would wait until http://0.0.0.0:4000/health responds",
        ] { #expect(transcript.contains(words), "\(transcript)") }
    }

    /// The settings, the key and the projects remain, so that a new installation continues with the same state.
    @Test(arguments: LabRoot.allCases) func `an uninstallation keeps settings and projects`(_ root: LabRoot) throws {
        let machine = try LabMachine.withGateway(root)
        let key = try machine.key()
        try machine.makeProject("alpha")
        try machine.run("systemctl --user start opencode@alpha")
        let transcript = try machine.install("--uninstall")

        #expect(transcript.contains("stopping opencode@alpha.service"))
        #expect(try machine.run("pgrep -u vibe -f '[v]iberemote-gateway|[o]pencode'", check: false).output == "")
        #expect(
            try machine.output("ls -A ~/.local/bin ~/.config/systemd/user | grep -E 'viberemote|opencode' || true")
                == "")
        #expect(try machine.output("systemctl --user list-units --all --no-legend 'opencode@*' 'viberemote*'") == "")
        #expect(throws: (any Error).self) { try machine.connect(port: LabMachine.port) }

        try machine.install()

        #expect(try machine.key() == key)
        #expect(try machine.request("GET", "/projects").text.contains(#""name":"alpha""#))
    }

    @Test(arguments: LabRoot.allCases) func `install.sh without lingering prints the command that root must run`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine(root)
        try machine.run("rm /var/lib/systemd/linger/vibe", as: .root)
        let transcript = try machine.install()

        #expect(transcript.contains("As root, run: loginctl enable-linger vibe"))
        #expect(transcript.contains("/health responds"))
    }

    @Test(arguments: LabRoot.allCases)
    func `install.sh without a user manager fails and prints the command that root must run`(_ root: LabRoot) throws {
        let machine = try LabMachine(root)
        // `other` has no lingering user manager and is not logged in.
        let outcome = try machine.run("\(Lab.checkoutInside)/deploy/install.sh", as: .other, check: false)

        #expect(outcome.status == .exited(1))
        #expect(outcome.error.contains("As root, run: loginctl enable-linger other"))
    }

    @Test func `an unknown option is named in the error`() throws {
        let machine = try LabMachine(.bookworm)
        let transcript = try machine.install("--port 80", check: false)

        #expect(transcript == "install: unknown option \"--port\". See --help")
        #expect(try machine.install("--help").contains("--uninstall          stop and remove"))
    }
}

extension LabMachine {
    /// Returns everything that an installation could change: vibe's files with times and permissions, and the gateway's
    /// process.
    ///
    /// The sizes of folders are excluded, because they change as soon as the machine's layered file system has copied a
    /// folder.
    fileprivate func state() throws -> Set<Substring> {
        Set(
            try output(
                """
                cd; find . -path ./.cache -prune -o -type d -printf '%p %m %T@\\n' -o -printf '%p %m %s %T@\\n'
                systemctl --user show -p MainPID,InvocationID viberemote-gateway.service
                """
            ).split(separator: "\n"))
    }
}
