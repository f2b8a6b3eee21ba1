import Foundation
import Glibc
import Instances
import OpenCode
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

    @Test func aRecordComesBackUntilItIsRemoved() throws {
        #expect(store.read(.alpha) == nil)
        try store.write(record())
        #expect(store.read(.alpha) == record())
        try store.write(record(run: "two"))
        #expect(store.read(.alpha)?.run == "two")
        store.remove(.alpha)
        #expect(store.read(.alpha) == nil)
        #expect(try files == [])
    }

    @Test func onlyItsOwnerCanReadIt() throws {
        let mask = umask(0)
        defer { umask(mask) }
        try store.write(record())
        #expect(mode(store.folder) == 0o700)
        #expect(mode(store.folder + "/alpha") == 0o600)
    }

    @Test func noTwoFoldersShareAFile() throws {
        let longest = String(repeating: "\u{fc}", count: 127)
        let names = ["a-b", "a_b", "a b", "a\\x2db", "my.app", "gr\u{fc}n", longest, longest + "x", "~lock"]
            .compactMap { ProjectName($0) }
        for name in names { try store.write(record(name, run: name.string)) }
        for name in names { #expect(store.read(name)?.run == name.string) }
        #expect(try files.count == names.count)
        #expect(try files.allSatisfy { $0.utf8.count <= 255 })
        #expect(Set(store.all().map(\.project)) == Set(names))
    }

    @Test func whatIsNoRecordIsNotBelievedAndGoes() throws {
        try store.write(record())
        let text = record(.beta).text
        for (name, text, mode) in [
            ("beta", "nonsense", 0o600), ("gamma", text, 0o600), ("beta2", "", 0o600),
        ] {
            let path = "\(store.folder)/\(name)"
            #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
            chmod(path, mode_t(mode))
        }
        #expect(store.all() == [record()])
        #expect(try files == ["alpha"])
    }

    @Test func whatAKilledWriterLeftGoesWithTheNextLock() throws {
        #expect(FileManager.default.createFile(atPath: store.folder + "/.left", contents: Data()))
        #expect(store.all().isEmpty)
        #expect(try files == [".left"])
        let lock = try store.lock()
        #expect(try files == ["~lock"])
        withExtendedLifetime(lock) {}
    }

    @Test func aRecordThatOthersCanReadIsNotBelieved() throws {
        try store.write(record())
        chmod(store.folder + "/alpha", 0o640)
        #expect(store.read(.alpha) == nil)
    }

    @Test func aLinkIsNotFollowed() throws {
        try store.write(record(.beta))
        #expect(symlink("beta", store.folder + "/alpha") == 0)
        #expect(store.read(.alpha) == nil)
    }

    @Test func aFolderThatOthersCanReadIsRefusedWithTheFix() throws {
        chmod(store.folder, 0o755)
        let error = #expect(throws: InstanceRecordError.self) { try store.prepare() }
        #expect(error?.description.hasSuffix("chmod 700 '\(store.folder)'.") == true)
    }

    @Test func whatIsNoFolderIsRefused() throws {
        rmdir(store.folder)
        #expect(symlink(home.path, store.folder) == 0)
        #expect(throws: InstanceRecordError.self) { try store.prepare() }
    }

    @Test func aFolderThatCannotBeMadeIsNamed() {
        let error = #expect(throws: InstanceRecordError.self) {
            try InstanceRecordStore(folder: "/proc/nowhere/records").prepare()
        }
        #expect(error?.description.hasPrefix("/proc/nowhere could not be made: ") == true)
        #expect(error?.description.contains("XDG_RUNTIME_DIR") == true)
    }

    @Test func oneGatewayHasTheRecords() throws {
        var lock: InstanceRecordLock? = try store.lock()
        let error = #expect(throws: InstanceRecordError.self) { _ = try store.lock() }
        #expect(error?.description.contains("another gateway (process \(getpid()))") == true)
        // A lock is no record.
        #expect(store.all().isEmpty)
        withExtendedLifetime(lock) {}
        lock = nil
        lock = try store.lock()
        #expect(store.all().isEmpty)
        lock = nil
        #expect(!FileManager.default.fileExists(atPath: store.folder))
    }

    @Test func aFolderWithRecordsStays() throws {
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
    func theyLieWhereRuntimeFilesBelong(environment: [String: String], base: String) {
        let units = InstanceRecordStore.units(environment: environment, userHome: "/home/vibe")
        #expect(units.folder == base + "/units")
        let processes = InstanceRecordStore.processes(
            environment: environment, userHome: "/home/vibe", projects: "/home/vibe/my projects")
        #expect(processes.folder == base + "/processes/-home-vibe-my\\x20projects")
    }
}
