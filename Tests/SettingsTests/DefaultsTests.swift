// SPDX-License-Identifier: Apache-2.0

import Logging
import Settings
import Testing

@Suite("The default values of the settings")
struct DefaultsTests {
    @Test func `every setting has its documented default`() throws {
        let configuration = try CommandLineUnderTest.serve()
        let expected = [
            "listen": "0.0.0.0:4000", "public-url": "none", "home": "/home/vibe",
            "state-dir": "/home/vibe/.local/state/viberemote-gateway", "opencode": "opencode",
            "supervisor": "auto",
            "scope": "user",
            "threads": "4",
            "auth-secret": "********", "key-file": "none", "config": "none", "access-log": "on", "log-format": "auto",
            "log-level": "info",
            "head-timeout": "10s", "idle-timeout": "75s", "body-timeout": "1min", "answer-timeout": "15min",
            "stream-timeout": "24h", "drain-timeout": "10s", "start-timeout": "5min",
            "stop-timeout": "10s", "stream-backlog": "4MiB", "max-head": "16KiB",
            "max-connections": "4096", "allow-origin": "none", "trust-proxy": "none",
            "failed-tries": "10", "failed-try-interval": "6s", "identity-header": "none", "key-rate": "100/s",
            "key-streams": "50", "audit-keep": "90d",
            "instance-password": "on",
            "isolate-sessions": "off",
            "start-answer-timeout": "25s", "restart-delay": "1s",
            "max-restart-delay": "1min", "max-quick-failures": "5", "health-interval": "10s",
            "unhealthy-after": "1min", "restart-unhealthy": "off",
            "follow-links": "off",
            "directory-pinning": "on", "opencode1-compat": "on",
            "event-hub": "on", "event-keep-size": "64MiB", "event-keep-time": "7d", "event-keep-total": "1GiB",
            "stream-stall": "1min", "event-form": "raw",
            "chat-listen": "none", "conversations-listen": "none", "chat-open": "off", "chat-project": "none",
        ]

        #expect(Set(Settings.table.map(\.name)) == Set(expected.keys))

        for setting in Settings.table {
            #expect(setting.text(in: configuration) == expected[setting.name], "\(setting.name)")
            #expect(setting.isSecret || configuration.origin(of: setting) == .default, "\(setting.name)")
        }
    }

    @Test func `the configuration's typed values equal the documented defaults`() throws {
        let configuration = try CommandLineUnderTest.serve()

        #expect(configuration.listen == ListenAddress(host: "0.0.0.0", port: 4000))
        #expect(configuration.opencode == ["opencode"])
        #expect(configuration.supervisor == .auto)
        #expect(configuration.accessLog)
        #expect(configuration.logFormat == .auto)
        #expect(configuration.logLevel == .info)
        #expect(configuration.authSecret?.bytes == Array(CommandLineUnderTest.key.utf8))
        #expect(configuration.limits.headTimeout == .seconds(10))
        #expect(configuration.limits.idleTimeout == .seconds(75))
        #expect(configuration.limits.bodyTimeout == .seconds(60))
        #expect(configuration.limits.answerTimeout == .seconds(900))
        #expect(configuration.limits.streamTimeout == .seconds(86_400))
        #expect(configuration.limits.drainTimeout == .seconds(10))
        #expect(configuration.limits.startTimeout == .seconds(300))
        #expect(configuration.limits.stopTimeout == .seconds(10))
        #expect(configuration.instances.startAnswerTimeout == .seconds(25))
        #expect(configuration.instances.restartDelay == .seconds(1))
        #expect(configuration.instances.maxRestartDelay == .seconds(60))
        #expect(configuration.instances.maxQuickFailures == 5)
        #expect(configuration.instances.healthInterval == .seconds(10))
        #expect(configuration.instances.unhealthyAfter == .seconds(60))
        #expect(!configuration.instances.restartUnhealthy)
        #expect(configuration.limits.streamBacklog == 4_194_304)
        #expect(configuration.limits.maxHead == 16_384)
        #expect(configuration.limits.maxConnections == 4096)
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (4, 4), (64, 4)])
    func `the default number of threads is the number of cores, but at least 1 and at most 4`(
        processors: Int, threads: Int
    ) throws {
        let defaults = SystemDefaults(
            home: "/home/vibe", stateFolder: "/home/vibe/.local/state/viberemote-gateway", processors: processors)

        #expect(try CommandLineUnderTest.serve(defaults: defaults).threads == threads)
    }

    @Test func `no two settings share a flag or an environment variable`() {
        #expect(Set(Settings.table.compactMap(\.flag)).count == Settings.table.count { !$0.isSecret })
        #expect(Set(Settings.table.map(\.environment)).count == Settings.table.count)
    }
}
