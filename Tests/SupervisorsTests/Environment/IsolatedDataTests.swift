// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Foundation
import Glibc
import Instances
import Projects
import Supervisors
import TemporaryHomes
import Testing

/// Tests the directories for OpenCode's data with `--isolate-sessions on`.
@Suite struct IsolatedDataTests {
    private let home: TemporaryHome
    private let data: String

    init() throws {
        home = try TemporaryHome()
        data = home.path + "/.state/data"
        try home.makeFolder(".config/opencode/env.d")
    }

    private func environment(
        _ project: ProjectName = .alpha, base: [String: String] = [:], isOn: Bool = true
    ) throws -> InstanceEnvironment {
        try InstanceEnvironment.load(project: project, home: home.path, base: base, data: isOn ? data : nil)
    }

    private func variables(_ environment: InstanceEnvironment) -> [String: String] {
        environment.variables(credentials: nil, directory: "/d")
            .filter { $0.key != "PWD" && $0.key != "OPENCODE_DISABLE_AUTOUPDATE" }
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test func `off, the project has the inherited directory, and none is created`() throws {
        let environment = try environment(base: ["XDG_DATA_HOME": "/shared", "OPENCODE_DB": "/db"], isOn: false)
        try environment.prepareDataFolder()

        #expect(variables(environment) == ["XDG_DATA_HOME": "/shared", "OPENCODE_DB": "/db"])
        #expect(environment.dataFolder == nil)
        #expect(mode(data) == nil)
    }

    @Test func `on, the project's directory overrides the inherited and the common one`() throws {
        try home.makeFile(
            ".config/opencode/env", "A=1\nXDG_DATA_HOME=/shared\nOPENCODE_DB=/db\n", mode: 0o600)
        let environment = try environment(base: ["XDG_DATA_HOME": "/inherited", "OPENCODE_DB": "/inherited.db"])

        #expect(variables(environment) == ["A": "1", "XDG_DATA_HOME": "\(data)/alpha"])
        #expect(
            environment.ignoredLines.map(\.description).filter { $0.contains("--isolate-sessions on") }.count == 2)
    }

    @Test func `the project's own file overrides the project's directory`() throws {
        try home.makeFile(
            ".config/opencode/env.d/alpha.env", "XDG_DATA_HOME=/own\nOPENCODE_DB=/own.db\n", mode: 0o600)
        let environment = try environment()
        try environment.prepareDataFolder()

        #expect(variables(environment) == ["XDG_DATA_HOME": "/own", "OPENCODE_DB": "/own.db"])
        #expect(environment.dataFolder == nil)
        #expect(environment.ignoredLines.isEmpty)
        #expect(mode(data) == nil)
        #expect(try variables(self.environment(.beta)) == ["XDG_DATA_HOME": "\(data)/beta"])
    }

    @Test(arguments: [
        "a", "A", "a b", "a-b", "gr\u{fc}n", "gru\u{308}n", "%2e%2e", "a\\", "~", "-", "*", "$HOME", "data",
    ])
    func `each legal name has a directory of its own directly in the data directory`(name: String) throws {
        let project = try #require(ProjectName(name))
        let path = InstanceEnvironment.dataFolder(of: project, in: data)

        #expect(path.utf8.elementsEqual("\(data)/\(name)".utf8))

        try environment(project).prepareDataFolder()
        let names = try FileManager.default.contentsOfDirectory(atPath: data)

        #expect(names.count == 1)
        #expect(names.first?.utf8.elementsEqual(name.utf8) == true)
    }

    @Test func `the longest name has a directory`() throws {
        let project = try #require(ProjectName(String(repeating: "x", count: ProjectName.maximumLength)))
        try environment(project).prepareDataFolder()

        #expect(mode("\(data)/\(project)") == S_IFDIR | 0o700)
    }

    @Test(arguments: ["..", ".", ".hidden", "a/b", "../../alpha", "", "a\u{0}b", "a\nb"])
    func `a name that could leave the data directory is not a project's name`(name: String) {
        #expect(ProjectName(name) == nil)
    }

    @Test func `the directories are created with mode 0700, and are used again`() throws {
        let environment = try environment()
        try environment.prepareDataFolder()
        for path in ["\(home.path)/.state", data, "\(data)/alpha"] {
            #expect(mode(path) == S_IFDIR | 0o700, "\(path)")
        }
        try home.makeFile(".state/data/alpha/kept")
        try environment.prepareDataFolder()

        #expect(mode("\(data)/alpha/kept") != nil)
    }

    @Test func `a directory that others can access is rejected with the chmod command`() throws {
        let environment = try environment()
        try environment.prepareDataFolder()
        chmod("\(data)/alpha", 0o750)
        let error = #expect(throws: LaunchError.self) { try environment.prepareDataFolder() }

        #expect(error?.description.contains("`chmod 700 \(data)/alpha`") == true, "\(error?.description ?? "")")
    }

    @Test func `a link in place of the directory is rejected`() throws {
        try home.makeFolder(".state/data")
        try home.makeFolder("elsewhere")
        symlink("\(home.path)/elsewhere", "\(data)/alpha")
        let environment = try environment()
        let error = #expect(throws: LaunchError.self) { try environment.prepareDataFolder() }

        #expect(error?.description.contains("is not a directory of this user") == true)
    }

    /// `status` then says that a restart is necessary.
    @Test func `the digest shows whether the setting has changed since a start`() throws {
        let digests = [nil, data, data + "2"].map {
            InstanceEnvironment.currentDigest(of: .alpha, home: home.path, data: $0)
        }

        #expect(Set(digests).count == 3)
        #expect(digests[1] == (try environment().digest))
    }
}
