// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Tests `deploy/install.sh` on a machine on which the FastAPI original was installed: its clients and instances notice
/// no difference.
@Suite(.enabled(if: Lab.isReady, Lab.skipped), .onLabThreads) struct UpgradeTests {
    private static let key = "the-key-that-the-phone-knows"

    @Test(arguments: LabRoot.allCases) func `an upgrade from the original keeps port, key, units and environment`(
        _ root: LabRoot
    ) throws {
        let machine = try LabMachine(root)
        try machine.installOriginal(
            """
            Environment="VIBE_AUTH_SECRET=\(Self.key)" HOME_DIR=/home/vibe/work
            ExecStart=/home/vibe/.local/bin/original \\
                --host 127.0.0.1 --port 8123
            """)
        let instance = try machine.output("systemctl --user show -p MainPID --value opencode@alpha")
        let transcript = try machine.install()

        #expect(transcript.contains("found the original gateway"))
        #expect(transcript.contains("http://127.0.0.1:8123/health responds"))
        #expect(!transcript.contains(Self.key))

        #expect(try machine.key() == Self.key)

        let projects = try machine.request("GET", "/projects", port: 8123)

        #expect(projects.text.contains(#""path":"/home/vibe/work/alpha""#))
        #expect(!projects.text.contains(#""name":"work""#))
        // The instance that the original started keeps running.
        #expect(try machine.output("systemctl --user show -p MainPID --value opencode@alpha") == instance)

        let enabled = try machine.output("systemctl --user is-enabled viberemote-gateway.service opencode@alpha")

        #expect(enabled == "enabled\nenabled")

        // No other user may read provider keys.
        let environment = "~/.config/opencode/env"

        #expect(try machine.output("stat -c %a \(environment); cat \(environment)") == "600\nPROVIDER_KEY=sk-1")

        // The original's units are kept for a return to it.
        let kept = "~/.local/state/viberemote-gateway/original"
        let aside = try machine.output("stat -c %a \(kept); ls \(kept)")

        #expect(aside == "700\nopencode@.service\nviberemote-gateway.service")
        // The key is no longer in a place that every local user can read.
        #expect(try machine.output("systemctl --user show viberemote-gateway.service").contains(Self.key) == false)
        // A second installation finds nothing to migrate.
        #expect(try !machine.install().contains("found the original gateway"))
    }

    @Test(arguments: LabRoot.allCases) func `an upgrade finds the key in an environment file`(_ root: LabRoot) throws {
        let machine = try LabMachine(root)
        try machine.write("VIBE_AUTH_SECRET='\(Self.key)'\n", to: "/home/vibe/.config/viberemote.env", mode: 0o600)
        try machine.installOriginal(
            """
            EnvironmentFile=-%h/.config/viberemote.env
            Environment=HOME_DIR=%h/work
            ExecStart=/home/vibe/.local/bin/original --port 4000
            """)
        try machine.install()

        #expect(try machine.key() == Self.key)

        let settings = try machine.readFile("/home/vibe/.config/viberemote-gateway/config")

        #expect(settings.contains("VIBE_LISTEN=\"0.0.0.0:4000\"\n"))
        #expect(try machine.request("GET", "/projects").text.contains(#""path":"/home/vibe/work/alpha""#))
    }

    /// The published key is publicly known, and the gateway rejects it.
    @Test func `an upgrade replaces the published key`() throws {
        let machine = try LabMachine(.bookworm)
        try machine.installOriginal(
            """
            Environment=VIBE_AUTH_SECRET=change-me-in-production
            ExecStart=/home/vibe/.local/bin/original --port 4000
            """)

        #expect(try machine.install().contains("Creating a new key"))
        #expect(try machine.key().utf8.count == 64)
        #expect(try machine.request("GET", "/projects").status == 200)
    }
}

extension LabMachine {
    /// Installs the original's layout, with a process that holds its port instead of its program.
    fileprivate func installOriginal(_ service: String) throws {
        try installOpenCode()
        let units = "/home/vibe/.config/systemd/user"
        try write(
            """
            #!/bin/sh
            for port in "$@"; do :; done
            exec socat TCP-LISTEN:$port,bind=0.0.0.0,fork,reuseaddr SYSTEM:cat
            """, to: "/home/vibe/.local/bin/original", mode: 0o755)
        try write(
            """
            [Unit]
            Description=VibeRemote
            [Service]
            Type=simple
            \(service)
            Restart=always
            [Install]
            WantedBy=default.target

            """,
            to: "\(units)/viberemote-gateway.service")
        try write(
            """
            [Unit]
            Description=OpenCode %i
            [Service]
            Type=simple
            WorkingDirectory=%h/work/%i
            ExecStart=%h/.opencode/bin/opencode serve --port 0 --hostname 127.0.0.1
            Restart=on-failure
            RestartSec=5
            EnvironmentFile=-%h/.config/opencode/env
            Environment=HOME=%h PATH=%h/.local/bin:%h/.bun/bin:%h/.opencode/bin:/usr/bin:/bin
            MemoryMax=2G
            CPUQuota=200%
            SyslogIdentifier=opencode-%i
            [Install]
            WantedBy=default.target

            """, to: "\(units)/opencode@.service")
        try write("PROVIDER_KEY=sk-1\n", to: "/home/vibe/.config/opencode/env", mode: 0o644)
        try run(
            """
            mkdir -p ~/work/alpha
            systemctl --user daemon-reload
            systemctl --user --quiet enable --now viberemote-gateway.service opencode@alpha.service
            """)
    }
}
