// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Foundation
import Glibc
import Instances
import OpenCodeFamilies
import Projects
import Supervisors
import TemporaryHomes
import Testing

@Suite struct InstanceEnvironmentTests {
    private func file(_ text: String) throws -> EnvironmentFile {
        try EnvironmentFile(parsing: Array(text.utf8), path: "env")
    }

    @Test func `the gateway's own variables are not passed to the instance`() {
        let own = [
            "VIBE_AUTH_SECRET", "VIBE_X", "HOME_DIR", "NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
            "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "MAINPID",
            "CREDENTIALS_DIRECTORY", "RUNTIME_DIRECTORY", "OLDPWD", "OPENCODE_SERVER_PASSWORD",
            "OPENCODE_SERVER_USERNAME", "OPENCODE_PASSWORD",
        ]
        let others = [
            "PATH": "/usr/bin", "HOME": "/home/vibe", "PROVIDER_KEY": "theirs", "OPENCODE_CONFIG": "c", "LISTENER": "x",
            "VIBER": "x", "XDG_RUNTIME_DIR": "/run/user/1000",
        ]
        let base = others.merging(own.map { ($0, "of the gateway") }) { $1 }.merging(["PWD": "/"]) { $1 }
        let environment = InstanceEnvironment(base: base, files: [])

        #expect(
            environment.variables(credentials: nil, directory: "/home/vibe/alpha")
                == others.merging(["PWD": "/home/vibe/alpha", "OPENCODE_DISABLE_AUTOUPDATE": "1"]) { $1 })
    }

    @Test func `a later file overrides an earlier one, and both override the inherited environment`() throws {
        let environment = InstanceEnvironment(
            base: ["A": "base", "B": "base", "C": "base"],
            files: [try file("B=common\nC=common\nD=common\n"), try file("C=own\nE=own\nE=own again\n")])

        #expect(
            environment.variables(credentials: nil, directory: "/d") == [
                "A": "base", "B": "common", "C": "own", "D": "common", "E": "own again", "PWD": "/d",
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
            ])
    }

    @Test func `no environment file overrides the generated password, the user name or the directory`() throws {
        let text = "OPENCODE_SERVER_PASSWORD=weak\nOPENCODE_SERVER_USERNAME=me\nOPENCODE_PASSWORD=weak\nPWD=/x\n"
        let environment = InstanceEnvironment(base: [:], files: [try file(text)])
        let credentials = environment.credentials(withGatewayPassword: true)

        #expect(credentials.username == "opencode")
        #expect(credentials.password.utf8.count == 32)
        #expect(
            environment.variables(credentials: credentials, directory: "/d") == [
                "OPENCODE_SERVER_PASSWORD": credentials.password, "OPENCODE_PASSWORD": credentials.password,
                "PWD": "/d", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            ])
    }

    @Test func `every run has its own password`() {
        let environment = InstanceEnvironment(base: [:], files: [])
        let passwords = (0..<100).map { _ in environment.credentials(withGatewayPassword: true).password }

        #expect(Set(passwords).count == 100)
    }

    /// The arguments `common` and `own` are the files, and `base` is the inherited environment.
    @Test(arguments: [
        ("", "OPENCODE_PASSWORD=own\n", "own"),
        ("", "OPENCODE_SERVER_PASSWORD=own\n", "own"),
        ("OPENCODE_SERVER_PASSWORD=common\n", "", "common"),
        ("OPENCODE_PASSWORD=common\n", "OPENCODE_SERVER_PASSWORD=own\n", "own"),
        ("OPENCODE_PASSWORD=common\n", "OPENCODE_PASSWORD=own\n", "own"),
        ("", "OPENCODE_SERVER_PASSWORD=one\nOPENCODE_PASSWORD=two\n", "two"),
        ("", "OPENCODE_PASSWORD=\nOPENCODE_SERVER_PASSWORD=one\n", "one"),
        ("OPENCODE_PASSWORD=common\n", "OPENCODE_PASSWORD=\nOPENCODE_SERVER_PASSWORD=\n", "common"),
        ("", "", "base"),
        ("OPENCODE_PASSWORD=\n", "OPENCODE_SERVER_PASSWORD=\n", "base"),
    ])
    func `without a generated password, the most specific configured one is used`(
        common: String, own: String, password: String
    ) throws {
        let environment = InstanceEnvironment(
            base: ["OPENCODE_SERVER_PASSWORD": "base", "OPENCODE_SERVER_USERNAME": "me"],
            files: [try file(common)], projectFile: try file(own))
        let credentials = environment.credentials(withGatewayPassword: false)

        #expect(credentials == InstanceCredentials(username: "me", password: password))

        let variables = environment.variables(credentials: credentials, directory: "/d")

        #expect(variables["OPENCODE_PASSWORD"] == password)
        #expect(variables["OPENCODE_SERVER_PASSWORD"] == password)
        #expect(variables["OPENCODE_SERVER_USERNAME"] == "me")
    }

    /// OpenCode 1 reads only one name, and accepts all requests without it. OpenCode 2 would generate a password and
    /// print it.
    @Test(arguments: ["", "OPENCODE_SERVER_PASSWORD=\nOPENCODE_PASSWORD=\n", "OPENCODE_SERVER_USERNAME=me\n"])
    func `without a generated or configured password, only OpenCode 2 receives one`(text: String) throws {
        let environment = InstanceEnvironment(base: [:], files: [try file(text)])
        let credentials = environment.credentials(withGatewayPassword: false)

        #expect(credentials.isForTwoOnly)
        #expect(credentials.password.utf8.count == 32)
        #expect(
            environment.variables(credentials: credentials, directory: "/d") == [
                "OPENCODE_PASSWORD": credentials.password, "PWD": "/d", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            ])
    }

    @Test func `automatic updates are disabled unless an environment file overrides that`() throws {
        func value(_ base: [String: String], _ text: String) throws -> String? {
            InstanceEnvironment(base: base, files: [try file(text)])
                .variables(credentials: nil, directory: "/d")["OPENCODE_DISABLE_AUTOUPDATE"]
        }

        #expect(try value([:], "") == "1")
        #expect(try value(["OPENCODE_DISABLE_AUTOUPDATE": "false"], "") == "1")
        #expect(try value([:], "OPENCODE_DISABLE_AUTOUPDATE=false\n") == "false")
        #expect(try value([:], "OPENCODE_DISABLE_AUTOUPDATE=\n")?.isEmpty == true)
    }

    @Test func `VIBE_OPENCODE in a project's own file sets its command and is not passed to the server`() throws {
        let environment = InstanceEnvironment(
            base: ["VIBE_OPENCODE": "base"], files: [],
            projectFile: try file("VIBE_OPENCODE=\"'/opt/open code/opencode' --two\"\nA=1\n"))

        #expect(try environment.command == ["/opt/open code/opencode", "--two"])
        #expect(environment.ignoredLines.isEmpty)

        let variables = environment.variables(credentials: nil, directory: "/d")

        #expect(variables == ["A": "1", "PWD": "/d", "OPENCODE_DISABLE_AUTOUPDATE": "1"])
    }

    @Test func `VIBE_OPENCODE in the common file has no effect and is reported`() throws {
        let environment = InstanceEnvironment(
            base: [:], files: [try file("A=1\nVIBE_OPENCODE=opencode2\n")], projectFile: try file("B=1\n"))

        #expect(try environment.command == nil)
        #expect(environment.ignoredLines.map(\.line) == [2])
        #expect(environment.ignoredLines.first?.description.contains("env.d/NAME.env") == true)
        #expect(environment.variables(credentials: nil, directory: "/d")["VIBE_OPENCODE"] == nil)
    }

    @Test(arguments: [("VIBE_OPENCODE=\"'open\"\n", "quote that never ends"), ("VIBE_OPENCODE=\n", "names no program")])
    func `each invalid VIBE_OPENCODE is an error that names the file`(text: String, word: String) throws {
        let environment = InstanceEnvironment(base: [:], files: [], projectFile: try file(text))
        let error = #expect(throws: LaunchError.self) { try environment.command }

        #expect(error?.description.contains("VIBE_OPENCODE in env") == true)
        #expect(error?.description.contains(word) == true)
    }

    @Test func `lines without effect are reported with their numbers`() throws {
        let environment = InstanceEnvironment(base: [:], files: [try file("A=1\nnonsense\n"), try file("1=x\n")])

        #expect(environment.ignoredLines.map(\.line) == [2, 1])
    }

    @Test func `the digest depends only on the variables and the command that the files set`() throws {
        func digest(_ texts: String...) throws -> String {
            InstanceEnvironment(base: ["BASE": "x"], files: try texts.map { try file($0) }).digest
        }
        let digest1 = try digest("A=1\nB=2\n")
        for same in [["B=2\nA=1\n"], ["# why\nA='1'\n", "B=2\n"], ["A=0\nB=2\n", "A=1\n"]] {
            #expect(InstanceEnvironment(base: [:], files: try same.map { try file($0) }).digest == digest1)
        }
        func withCommand(_ command: String) throws -> String {
            InstanceEnvironment(
                base: [:], files: [try file("A=1\nB=2\n")], projectFile: try file("VIBE_OPENCODE=\(command)\n")
            )
            .digest
        }

        #expect(try withCommand("opencode2") != digest1)
        #expect(try withCommand("opencode2") != withCommand("opencode"))

        for other in ["A=1\n", "A=1\nB=3\n", "A=12\nB=\n", "A=1\nB=2\nC=\n", "A='1\nB=2'\n", ""] {
            #expect(try digest(other) != digest1, "\(other)")
        }
    }
}

/// Tests environment files that are read from the disk.
@Suite struct InstanceEnvironmentFilesTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.makeFolder(".config/opencode/env.d")
    }

    private func variables(_ project: ProjectName = .alpha) throws -> [String: String] {
        let environment = try InstanceEnvironment.load(project: project, home: home.path, base: ["BASE": "1"])
        return environment.variables(credentials: nil, directory: "/d")
            .filter { $0.key != "PWD" && $0.key != "OPENCODE_DISABLE_AUTOUPDATE" }
    }

    @Test func `missing environment files have no effect`() throws {
        #expect(try variables() == ["BASE": "1"])

        try FileManager.default.removeItem(atPath: home.path + "/.config")

        #expect(try variables() == ["BASE": "1"])

        try home.makeFile(".config")

        #expect(try variables() == ["BASE": "1"])
    }

    @Test func `the project's own file overrides the common one`() throws {
        try home.makeFile(".config/opencode/env", "A=common\nB=common\n", mode: 0o600)
        try home.makeFile(".config/opencode/env.d/alpha.env", "B=own\n", mode: 0o600)

        #expect(try variables() == ["BASE": "1", "A": "common", "B": "own"])
        #expect(try variables(.beta) == ["BASE": "1", "A": "common", "B": "common"])
    }

    @Test(arguments: ["a-b", "a b", "gr\u{fc}n", "*", "?", "[a]", "a\\x2db", "a$b", "%i", "env", "~", "a'b", "-"])
    func `each project uses only the environment file with its exact name`(name: String) throws {
        let project = try #require(ProjectName(name))
        // These files would match a pattern or an escaped name.
        for other in ["a", "b", "ab", "a-b", "a\\x2db", "x"] where other != name {
            try home.makeFile(".config/opencode/env.d/\(other).env", "WRONG=1\n", mode: 0o600)
        }

        #expect(try variables(project) == ["BASE": "1"])

        try home.makeFile(".config/opencode/env.d/\(name).env", "RIGHT=1\n", mode: 0o600)

        #expect(try variables(project) == ["BASE": "1", "RIGHT": "1"])
    }

    @Test func `a project whose name is too long for a file name has no environment file`() throws {
        let project = try #require(ProjectName(String(repeating: "x", count: 255)))

        #expect(try variables(project) == ["BASE": "1"])
    }

    @Test(arguments: [0o604, 0o620, 0o644])
    func `an environment file that others can read or write is rejected with the chmod command`(mode: Int) throws {
        let path = home.path + "/.config/opencode/env.d/alpha.env"
        try home.makeFile(".config/opencode/env.d/alpha.env", "SECRET=hidden\n", mode: mode)
        let error = #expect(throws: LaunchError.self) { try variables() }

        #expect(error?.description.contains("`chmod 600 \(path)`") == true)
        #expect(error?.description.contains("hidden") == false)
        #expect(InstanceEnvironment.currentDigest(of: .alpha, home: home.path) == nil)
        #expect(try variables(.beta) == ["BASE": "1"])
    }

    @Test func `an invalid line is reported with its file and number, but without its value`() throws {
        try home.makeFile(".config/opencode/env", "A=1\nSECRET='hidden\n", mode: 0o600)
        let error = #expect(throws: LaunchError.self) { try variables() }

        #expect(error?.description.hasPrefix("\(home.path)/.config/opencode/env, line 2 ") == true)
        #expect(error?.description.contains("hidden") == false)
    }

    @Test func `a change of an environment file changes the current digest`() throws {
        try home.makeFile(".config/opencode/env", "A=1\n", mode: 0o600)
        let first = InstanceEnvironment.currentDigest(of: .alpha, home: home.path)

        #expect(first == (try InstanceEnvironment.load(project: .alpha, home: home.path, base: ["B": "2"]).digest))

        try home.makeFile(".config/opencode/env", "A=2\n", mode: 0o600)

        #expect(InstanceEnvironment.currentDigest(of: .alpha, home: home.path) != first)
    }
}
