// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Locking
import Settings
import Testing

@Suite("Reloaded settings")
struct ReloadTests {
    private static let path = "/home/vibe/.config/viberemote-gateway/config"

    /// A running `serve` command whose files change on disk.
    private final class Running: Sendable {
        let first: Configuration
        private let sources: SettingSources
        private let disk: Disk

        init(_ flags: [String], _ environment: [String: String], _ files: [String: String]) throws {
            let disk = Disk(files)
            self.disk = disk
            let command = Command.parse(
                arguments: ["serve"] + flags, environment: environment, defaults: CommandLineUnderTest.defaults,
                files: disk.files)
            guard case .serve(let configuration, let sources) = command else { throw CancellationError() }
            first = configuration
            self.sources = sources
        }

        func put(_ files: [String: String]) { disk.content.withLock { $0 = files } }

        func reload() throws -> ConfigurationChange {
            ConfigurationChange(from: first, to: try sources.configuration(disk.files))
        }
    }

    private final class Disk: Sendable {
        let content: Locked<[String: String]>

        init(_ files: [String: String]) { content = Locked(files) }

        var files: SettingFiles {
            CommandLineUnderTest.settingFiles { path in
                self.content.withLock { $0[path] }.map { CommandLineUnderTest.File(content: $0) }
            }
        }
    }

    private static let key = "VIBE_AUTH_SECRET=\(CommandLineUnderTest.key)\n"

    @Test func `a reload applies keys, origins, timeouts and access log, and defers listeners and threads`() throws {
        let running = try Running([], [:], [Self.path: Self.key])
        running.put([
            Self.path: """
            VIBE_AUTH_SECRET=fedcba9876543210
            VIBE_ALLOW_ORIGIN=https://app.example.com
            VIBE_ANSWER_TIMEOUT=1h
            VIBE_ACCESS_LOG=off
            VIBE_LISTEN=127.0.0.1:1
            VIBE_THREADS=1
            """
        ])
        let change = try running.reload()

        #expect(change.applied == ["VIBE_AUTH_SECRET", "--allow-origin", "--access-log", "--answer-timeout"])
        #expect(change.waiting == ["--listen", "--threads"])

        let next = change.configuration

        #expect(next.keys.map(\.secret.bytes) == [Array("fedcba9876543210".utf8)])
        #expect(next.limits.answerTimeout == .seconds(3600))
        #expect(!next.accessLog)
        #expect(next.listen == running.first.listen)
        #expect(next.threads == running.first.threads)
    }

    @Test func `flags and environment variables from the start override a reloaded file`() throws {
        let running = try Running(
            ["--answer-timeout", "1min"], ["VIBE_SEND_TIMEOUT": "2min"], [Self.path: Self.key])
        running.put([Self.path: Self.key + "VIBE_ANSWER_TIMEOUT=1h\nVIBE_SEND_TIMEOUT=1h"])
        let change = try running.reload()

        #expect(change.applied.isEmpty)
        #expect(change.waiting.isEmpty)
        #expect(change.configuration.limits.answerTimeout == .seconds(60))
    }

    @Test func `a reload applies a key file only if its keys have changed`() throws {
        let running = try Running(["--key-file", "/keys"], [:], ["/keys": "0123456789abcdef\n"])

        #expect(try running.reload().applied == [])

        running.put(["/keys": "0123456789abcdef\nfedcba9876543210\n"])
        let change = try running.reload()

        #expect(change.applied == ["keys"])
        #expect(change.configuration.keys.count == 2)
    }

    @Test func `a reload fails with an invalid file and applies the defaults if the file was deleted`() throws {
        let running = try Running(
            [], ["VIBE_AUTH_SECRET": CommandLineUnderTest.key], [Self.path: "VIBE_ACCESS_LOG=off"])
        running.put([Self.path: "VIBE_ACCESS_LOG=maybe"])

        #expect(throws: SettingError.self) { try running.reload() }

        running.put([:])

        #expect(try running.reload().applied == ["--config", "--access-log"])
    }
}
