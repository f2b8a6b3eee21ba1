// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Foundation
import Settings
import Testing

@Suite("Shell completions")
struct CompletionTests {
    static func script(_ shell: String) throws -> String {
        guard case .print(let text) = CommandLineUnderTest.parse(["completion", shell], [:]) else {
            Issue.record("completion \(shell) prints nothing")
            throw CancellationError()
        }
        return text
    }

    @Test(
        arguments: [
            ([], "completion requires the name of a shell: write viberemote-gateway completion bash."),
            (["bash", "zsh"], "completion requires the name of a shell: write viberemote-gateway completion bash."),
            (["fihs"], #""fihs" is not a supported shell: did you mean fish?"#),
            (["ksh"], #""ksh" is not a supported shell: did you mean zsh?"#),
            (["tcsh"], #""tcsh" is not a supported shell: use bash, zsh or fish."#),
        ])
    func `completion rejects anything but the name of one known shell and suggests a fix`(
        words: [String], sentence: String
    ) {
        #expect(CommandLineUnderTest.message(["completion"] + words) == sentence)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `each completion script contains every flag and command`(shell: String) throws {
        let script = try Self.script(shell)

        #expect(Settings.table.contains { $0.offFlag != nil })

        for flag in Settings.table.flatMap({ [$0.flag, $0.offFlag] }).compactMap(\.self) {
            #expect(script.contains(shell == "fish" ? " -l \(flag.dropFirst(2)) " : flag), "\(flag)")
        }
        for command in ["serve", "check", "project", "completion", "man", "help"] { #expect(script.contains(command)) }
        for names in ["project list --names", "key list --names"] { #expect(script.contains(names)) }
    }

    /// Returns bash's completions after these words. The last word is incomplete.
    private static func bash(_ words: [String]) throws -> [String] {
        let array = words.map { "'\($0)'" }.joined(separator: " ")
        let program = """
            compopt() { :; }
            \(try script("bash"))
            COMP_WORDS=(\(array)); COMP_CWORD=\(words.count - 1)
            _viberemote_gateway
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try run("/bin/bash", ["--norc", "-c", program])
    }

    static func run(_ shell: String, _ arguments: [String]) throws -> [String] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: shell)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.standardError
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    @Test(
        arguments: [
            (["x", "ser"], ["serve"]), (["x", "--v"], ["--version"]),
            (["x", "serve", "--head"], ["--head-timeout"]), (["x", "serve", "--access-log", ""], ["on", "off"]),
            (["x", "serve", "--access-log", "=", "of"], ["off"]),
            (["x", "serve", "--access-log", "="], ["on", "off"]),
            (["x", "serve", "--threads", ""], []), (["x", "serve", "--home", "/usr/shar"], ["/usr/share"]),
            (["x", "serve", "--threads", "2", "--log-l"], ["--log-level"]),
            (["x", "completion", "z"], ["zsh"]), (["x", "help", "ser"], ["serve"]), (["x", "nonsense", ""], []),
            (["x", "project", "st"], ["start", "stop", "status"]), (["x", "project", "list", "--j"], ["--json"]),
            (["x", "check", "--max-h"], ["--max-head"]), (["x", "serve", "--no-acc"], ["--no-access-log"]),
            (["x", "project", "--json", "sta"], ["start", "status"]),
            (["x", "project", "--listen", "list", "sto"], ["stop"]),
            (["x", "project", "--listen", "=", "127.0.0.1:1", "--names", "li"], ["list"]),
            (["x", "project", "start", "--j"], ["--json"]),
            (["x", "project", "list", "--key-file", "/x", "--n"], ["--names"]),
            (["x", "serve", "--no-access-log", "--threads", "2", "--max-h"], ["--max-head"]),
            (["x", "completion", "bash", "-"], ["--help"]), (["x", "help", "--"], ["--help"]),
            (["x", "man", ""], ["--help"]), (["x", "key", "re"], ["rename", "revoke"]),
            (["x", "key", "create", "a", "--ex"], ["--expires"]), (["x", "key", "show", "a", "--ex"], []),
            (["x", "key", "rotate", "a", "--k"], ["--key-file", "--keep-old"].sorted()),
            (["x", "key", "change", "--allow", "a"], ["answer", "admin"].sorted()),
            (["x", "key", "change", "a", "--al"], ["--allow", "--all-projects"].sorted()),
        ])
    func `bash completes commands, flags and values according to the words before them`(
        words: [String], offered: [String]
    ) throws {
        let replies = try Self.bash(words)

        #expect(words[1] == "key" ? replies.sorted() == offered : replies == offered, "\(replies)")
    }

    @Test func `bash completes the running gateway's projects and never executes a project's name`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let gateway = folder.appending(path: "gateway")
        let names = ["alpha", "my app", "$(touch \(folder.path)/ran)", "al'pha"].map { "echo \(ShellWord.quoted($0))" }
        try Data(
            ([
                "#!/bin/sh", "if [ \"$*\" = 'key list --names' ]; then echo phone; echo 'ph $(x)'; exit; fi",
                "[ \"$*\" = 'project list --names' ] || exit 1",
            ] + names).joined(separator: "\n").utf8
        )
        .write(to: gateway)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: gateway.path)

        #expect(try Self.bash([gateway.path, "project", "start", "al"]) == ["alpha", #"al\'pha"#])
        #expect(try Self.bash([gateway.path, "key", "show", "ph"]) == ["phone", #"ph\ \$\(x\)"#])
        #expect(try Self.bash([gateway.path, "key", "rename", ""]).count == 2)
        #expect(try Self.bash([gateway.path, "key", "create", "ph"]) == [])
        #expect(try Self.bash([gateway.path, "project", "status", "my"]) == [#"my\ app"#])
        #expect(try Self.bash([gateway.path, "project", "stop", ""]).count == 4)
        #expect(
            try Self.bash([gateway.path, "project", "--json", "stop", "--listen", "=", "x", "my"]) == [#"my\ app"#])
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "ran").path))
    }

    /// Returns the path of a shell; nil if it is not installed.
    private static func path(_ shell: String) -> String? {
        ["/usr/bin/\(shell)", "/bin/\(shell)"].first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Expects that the shell can parse its script. The script does not run.
    private static func expectReadable(by shell: String) throws {
        let program = try #require(path(shell))
        let file = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        try Data(try script(shell).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try run(program, ["-n", file.path]) == [])
    }

    @Test(.enabled(if: path("zsh") != nil, "zsh is not installed"))
    func `zsh parses its completion script without errors`() throws { try Self.expectReadable(by: "zsh") }

    @Test(.enabled(if: path("fish") != nil, "fish is not installed"))
    func `fish parses its completion script without errors`() throws { try Self.expectReadable(by: "fish") }
}

@Suite("The manual page")
struct ManualPageTests {
    private static func page() throws -> String {
        guard case .print(let text) = CommandLineUnderTest.parse(["man"], [:]) else { throw CancellationError() }
        return text
    }

    @Test func `the manual page has every setting, and its sections in the conventional order`() throws {
        let page = try Self.page()
        for setting in Settings.table {
            #expect(page.contains("\\fB\(setting.environment)\\fR"))
            if let flag = setting.flag { #expect(page.contains("\\fB\(flag.replacing("-", with: "\\-"))\\fR")) }
        }
        let sections = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(4) }

        #expect(sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "SETTINGS", "FILES", "SEE ALSO"])
    }

    @Test func `the manual page contains only known roff requests`() throws {
        let known = [".TH", ".SH", ".SS", ".B", ".BR", ".TP", ".PP", ".nf", ".fi", ".RS", ".RE"]
        for line in try Self.page().split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }
}
