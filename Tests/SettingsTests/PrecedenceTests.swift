// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("Flags, environment and defaults")
struct PrecedenceTests {
    static func setting(_ name: String) throws -> Setting {
        try #require(Settings.table.first { $0.name == name })
    }

    @Test func `each non-secret setting can be set by flag, environment and, if allowed, file`() throws {
        let values = [
            "listen": "127.0.0.1:0", "public-url": "https://gateway.example.com", "home": "/srv/projects",
            "state-dir": "/srv/state", "opencode": "'/opt/open code/bin' --pure",
            "supervisor": "process", "scope": "system", "threads": "64", "access-log": "off", "log-format": "journal",
            "log-level": "debug",
            "stream-backlog": "1GiB", "max-head": "1KiB", "max-connections": "1000000",
            "instance-password": "off",
            "isolate-sessions": "on",
            "trust-proxy": "127.0.0.1,10.0.0.0/8,2001:db8::/32",
            "config": "/srv/config", "key-file": "/srv/keys",
            "failed-tries": "1000", "identity-header": "X-Auth-Email", "key-rate": "20/min", "key-streams": "none",
            "audit-keep": "30d",
            "allow-origin": "https://app.example.com,http://localhost:3000",
            "restart-delay": "40s", "max-quick-failures": "1", "restart-unhealthy": "on",
            "follow-links": "on", "directory-pinning": "off", "opencode1-compat": "off",
            "event-hub": "off", "event-keep-size": "0", "event-keep-total": "2GiB", "event-form": "full",
            "chat-listen": "127.0.0.1:9200", "conversations-listen": "[::1]:8000", "chat-open": "on",
        ]
        let keys = CommandLineUnderTest.File(content: "fedcba9876543210\n")
        var files = ["/srv/config": CommandLineUnderTest.File(content: ""), "/srv/keys": keys]

        for setting in Settings.table where !setting.isSecret {
            let value = values[setting.name] ?? "7min"
            if setting.isReadFromFile {
                files["/etc/viberemote-gateway/config"] = CommandLineUnderTest.File(
                    content: "# one\n\(setting.environment)=\"\(value.replacing("\\", with: "\\\\"))\"\n")
                let byFile = try CommandLineUnderTest.serve(files: files)
                #expect(setting.text(in: byFile) == value)
                #expect(
                    byFile.origin(of: setting)
                        == .file(path: "/etc/viberemote-gateway/config", line: 2, name: setting.environment))
                files["/etc/viberemote-gateway/config"]?.content = "\(setting.environment)='wrong but not looked at'"
            }
            let byEnvironment = try CommandLineUnderTest.serve([], [setting.environment: value], files: files)
            #expect(setting.text(in: byEnvironment) == value)
            #expect(byEnvironment.origin(of: setting) == .environment(setting.environment))
            let flag = try #require(setting.flag)
            for flags in [[flag, value], ["\(flag)=\(value)"]] {
                let byFlag = try CommandLineUnderTest.serve(
                    flags, [setting.environment: "wrong but not looked at"], files: files)
                #expect(setting.text(in: byFlag) == value)
                #expect(byFlag.origin(of: setting) == .flag(flag))
            }
        }
    }

    @Test func `the last of several identical flags takes effect`() throws {
        #expect(try CommandLineUnderTest.serve(["--threads", "2", "--threads=3"]).threads == 3)
    }

    @Test func `an empty environment variable counts as unset`() throws {
        let configuration = try CommandLineUnderTest.serve([], ["VIBE_THREADS": ""])

        #expect(configuration.threads == 4)
        #expect(configuration.origin(of: try Self.setting("threads")) == .default)
    }

    @Test func `an unknown VIBE_ variable causes a notice, and other variables are ignored`() throws {
        let environment = ["VIBE_LISTN": "x", "VIBE_COLOUR_OF_THE_SKY": "secret value", "PATH": "/bin"]
        let notices = try CommandLineUnderTest.serve([], environment).notices

        #expect(
            notices == [
                "VIBE_COLOUR_OF_THE_SKY in the environment is not a setting and has no effect.",
                "VIBE_LISTN in the environment is not a setting and has no effect; did you mean VIBE_LISTEN?",
            ])
    }

    @Test func `each origin of a setting has a readable description`() {
        let all: [SettingOrigin] = [
            .default, .file(path: "/etc/x", line: 3, name: "VIBE_LISTEN"), .environment("VIBE_LISTEN"),
            .flag("--listen"),
        ]

        #expect(
            all.map(\.description) == [
                "default", "file /etc/x, line 3", "environment VIBE_LISTEN", "flag --listen",
            ])
    }
}
