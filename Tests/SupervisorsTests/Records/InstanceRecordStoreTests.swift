// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import OpenCodeFamilies
import Projects
import Supervisors
import TemporaryHomes
import Testing

@Suite struct InstanceRecordStoreTests {
    private let home: TemporaryHome
    private let store: InstanceRecordStore

    init() throws {
        home = try TemporaryHome()
        store = InstanceRecordStore(folder: home.path + "/run/records")
        try store.prepare()
    }

    private func record(_ project: ProjectName = .alpha, run: String = "one") -> InstanceRecord {
        InstanceRecord(
            project: project, run: run, credentials: InstanceCredentials(password: "secret"), environmentDigest: nil)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: store.folder).sorted() }
    }

    @Test func `a record can be read and replaced until it is removed`() throws {
        #expect(store.read(.alpha) == nil)

        try store.write(record())

        #expect(store.read(.alpha) == record())

        try store.write(record(run: "two"))

        #expect(store.read(.alpha)?.run == "two")

        store.remove(.alpha)

        #expect(store.read(.alpha) == nil)
        #expect(try files == [])
    }

    @Test func `only the owner can read a record and its directory`() throws {
        let mask = umask(0)
        defer { umask(mask) }
        try store.write(record())

        #expect(mode(store.folder) == 0o700)
        #expect(mode(store.folder + "/alpha") == 0o600)
    }

    @Test func `no two projects share a record file`() throws {
        let longest = String(repeating: "\u{fc}", count: 127)
        let names = ["a-b", "a_b", "a b", "a\\x2db", "my.app", "gr\u{fc}n", longest, longest + "x", "~lock"]
            .compactMap { ProjectName($0) }
        for name in names { try store.write(record(name, run: name.string)) }
        for name in names { #expect(store.read(name)?.run == name.string) }

        #expect(try files.count == names.count)
        #expect(try files.allSatisfy { $0.utf8.count <= 255 })
        #expect(Set(store.all().map(\.project)) == Set(names))
    }

    /// All records, and the problems that are reported for files that are not records.
    private var found: (records: [InstanceRecord], problems: [String]) {
        var problems: [String] = []
        let records = store.all { problems.append($0) }
        return (records, problems.sorted())
    }

    @Test func `a file that is not a valid record is ignored, reported and kept`() throws {
        try store.write(record())
        let text = record(.beta).text
        for (name, text) in [("beta", "nonsense"), ("gamma", text), ("beta2", "")] {
            let path = "\(store.folder)/\(name)"
            #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
            chmod(path, 0o600)
        }
        let found = found

        #expect(found.records == [record()])
        #expect(try files == ["alpha", "beta", "beta2", "gamma"])
        #expect(found.problems.count == 3)
        #expect(
            found.problems.contains(
                "Cannot use the record \(store.folder)/beta: it is not a record of an instance. If no server of this project "
                    + "runs, remove the record (`rm \(store.folder)/beta`)."))
        #expect(found.problems.last?.contains("it is the record of another project, beta") == true)
        #expect(store.read(.beta) == nil)
    }

    @Test func `the temporary file of a killed writer is removed with the next lock`() throws {
        for name in [".0123456789abcdef", ".another-program's"] {
            #expect(FileManager.default.createFile(atPath: "\(store.folder)/\(name)", contents: Data()))
        }

        #expect(store.all().isEmpty)

        let lock = try store.lock()

        #expect(try files == [".another-program's", "~lock"])

        withExtendedLifetime(lock) {}
    }

    @Test func `a record that others can read is used and reported, and its mode is fixed`() throws {
        try store.write(record())
        chmod(store.folder + "/alpha", 0o644)
        var problems: [String] = []

        #expect(store.read(.alpha) { problems.append($0) } == record())
        #expect(problems.count == 1)
        #expect(problems.first?.contains("(mode 644)") == true)
        #expect(mode(store.folder + "/alpha") == 0o600)
        #expect(found.records == [record()])
        #expect(found.problems.isEmpty)
    }

    @Test func `a record that others can write is ignored, reported and kept`() throws {
        try store.write(record())
        chmod(store.folder + "/alpha", 0o620)

        #expect(store.read(.alpha) == nil)
        #expect(found.records.isEmpty)
        #expect(found.problems.first?.contains("other users can write to it") == true)
        #expect(try files == ["alpha"])
    }

    @Test func `a write creates a missing records directory`() throws {
        try FileManager.default.removeItem(atPath: home.path + "/run")
        try store.write(record())

        #expect(store.read(.alpha) == record())
        #expect(mode(store.folder) == 0o700)
    }

    @Test func `the reserve directory contains the records while their own directory cannot be created`() throws {
        let store = InstanceRecordStore(folder: home.path + "/gone/records", reserve: home.path + "/state/records")
        // No user, not even root, can create a folder inside a file.
        try home.makeFile("gone")
        try store.write(record())

        #expect(store.read(.alpha) == record())
        #expect(store.all() == [record()])
        #expect(mode(home.path + "/state/records") == 0o700)

        // The folder can be created again.
        try FileManager.default.removeItem(atPath: home.path + "/gone")
        try store.write(record(run: "two"))

        #expect(store.all() == [record(run: "two")])
        #expect(!FileManager.default.fileExists(atPath: home.path + "/state/records"))

        store.remove(.alpha)

        #expect(store.all().isEmpty)
    }

    @Test func `a symbolic link is not read as a record`() throws {
        try store.write(record(.beta))

        #expect(symlink("beta", store.folder + "/alpha") == 0)
        #expect(store.read(.alpha) == nil)
    }

    @Test func `a records directory that other users can read is rejected with the chmod command`() throws {
        chmod(store.folder, 0o755)
        let error = #expect(throws: InstanceRecordError.self) { try store.prepare() }

        #expect(error?.description.hasSuffix("Run `chmod 700 '\(store.folder)'`.") == true)
    }

    @Test func `a symbolic link in place of the records directory is rejected`() throws {
        rmdir(store.folder)

        #expect(symlink(home.path, store.folder) == 0)
        #expect(throws: InstanceRecordError.self) { try store.prepare() }
    }

    @Test func `the error for a directory that cannot be created names its path and XDG_RUNTIME_DIR`() {
        let error = #expect(throws: InstanceRecordError.self) {
            try InstanceRecordStore(folder: "/proc/nowhere/records").prepare()
        }

        #expect(error?.description.hasPrefix("cannot create /proc/nowhere, ") == true)
        #expect(error?.description.contains("XDG_RUNTIME_DIR") == true)
    }

    @Test func `only one gateway at a time can lock the records`() throws {
        var lock: InstanceRecordLock? = try store.lock()
        let error = #expect(throws: InstanceRecordError.self) { _ = try store.lock() }

        #expect(error?.description.contains("another gateway (process \(getpid()))") == true)
        // A lock file is not a record.
        #expect(store.all().isEmpty)

        withExtendedLifetime(lock) {}
        lock = nil
        lock = try store.lock()

        #expect(store.all().isEmpty)

        lock = nil

        #expect(!FileManager.default.fileExists(atPath: store.folder))
    }

    @Test func `a records directory that contains records is kept when its lock is released`() throws {
        var lock: InstanceRecordLock? = try store.lock()
        try store.write(record())

        #expect(lock != nil)

        lock = nil

        #expect(try files == ["alpha"])
    }

    @Test(arguments: [
        (["XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/s"], "/run/user/7/viberemote-gateway"),
        (["XDG_RUNTIME_DIR": "relative", "XDG_STATE_HOME": "/s"], "/s/viberemote-gateway"),
        (["XDG_RUNTIME_DIR": ""], "/home/vibe/.local/state/viberemote-gateway"),
    ])
    func `records are below an absolute XDG_RUNTIME_DIR or, without one, below the user's state directory`(
        environment: [String: String], base: String
    ) {
        let units = InstanceRecordStore.units(environment: environment, userHome: "/home/vibe")

        #expect(units.folder == base + "/units")

        let processes = InstanceRecordStore.processes(
            environment: environment, userHome: "/home/vibe", projects: "/home/vibe/my projects",
            runtimeFolders: "/nowhere")

        #expect(processes.folder == base + "/processes/-home-vibe-my\\x20projects")
    }

    @Test func `all paths of one home directory have the same records directory`() throws {
        try home.makeFolder("projects")

        #expect(symlink("projects", home.path + "/link") == 0)

        let folders = Set(
            ["/projects", "//projects/", "/./projects", "/link", "/link/../projects"].map {
                InstanceRecordStore.processes(environment: [:], userHome: "/h", projects: home.path + $0).folder
            })

        #expect(folders.count == 1)

        let other = InstanceRecordStore.processes(environment: [:], userHome: "/h", projects: home.path)

        #expect(!folders.contains(other.folder))
    }

    @Test(arguments: [(0o700, true), (0o755, false), (nil, false)] as [(Int?, Bool)])
    func `without XDG_RUNTIME_DIR, the user's runtime directory is used only if it is private`(mode: Int?, isUsed: Bool)
        throws
    {
        let own = "\(home.path)/user/\(geteuid())"
        if let mode {
            try home.makeFolder("user/\(geteuid())")
            chmod(own, mode_t(mode))
        }
        let store = InstanceRecordStore.processes(
            environment: ["XDG_STATE_HOME": "/s"], userHome: "/h", projects: home.path,
            runtimeFolders: home.path + "/user")

        #expect(store.folder.hasPrefix(isUsed ? "\(own)/viberemote-gateway/" : "/s/viberemote-gateway/"))
        #expect(store.reserve?.hasPrefix("/s/") ?? false == isUsed)
    }

    @Test func `the records of units are searched in each directory that may contain them`() {
        let stores = InstanceRecordStore.unitLocations(
            environment: ["XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/s"], userHome: "/h", runtimeFolders: "/u")

        #expect(
            stores.map(\.folder) == [
                "/r/viberemote-gateway/units", "/u/\(geteuid())/viberemote-gateway/units",
                "/s/viberemote-gateway/units",
            ])
    }
}
