internal import Access
internal import FoundationEssentials
internal import Glibc
internal import Systemd

/// The records of running servers: one file of mode 0600 a project, in a folder of mode 0700 that outlives the gateway
/// and not the machine's boot (or whose records are void after one).
package struct InstanceRecordStore: Sendable {
    /// Records are shorter by far.
    private static let longestFile = 64 * 1024

    /// The folder's absolute path.
    package let folder: String

    /// The records in this folder, which need not exist yet.
    package init(folder: String) { self.folder = folder }

    /// The records of servers that are units of a service manager, one a name: written by `viberemote-gateway exec`.
    ///
    /// Below `$XDG_RUNTIME_DIR/viberemote-gateway`, or without a runtime folder below
    /// `$XDG_STATE_HOME/viberemote-gateway` (XDG Base Directory Specification); `userHome` is the user's own home folder.
    package static func units(environment: [String: String], userHome: String) -> InstanceRecordStore {
        InstanceRecordStore(folder: base(environment, userHome) + "/units")
    }

    /// The records of servers that a gateway runs as its child processes. `projects` is the folder whose sub-folders are
    /// the projects: gateways of different ones don't meet.
    package static func processes(
        environment: [String: String], userHome: String, projects: String
    ) -> InstanceRecordStore {
        InstanceRecordStore(
            folder: base(environment, userHome) + "/processes/" + fileName(of: Array(projects.utf8)))
    }

    // MARK: Records

    /// Whether anything was ever written down, or is about to be.
    var exists: Bool { exists(folder) }

    /// Makes the folder where it is missing; throws unless it is ours and closed to others. To be called before any
    /// writing.
    package func prepare() throws(InstanceRecordError) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            // XDG: a folder that has to be made is made with mode 0700.
            if mkdir(path, 0o700) != 0, errno != EEXIST, errno != EROFS || !exists(path) {
                throw .failed("made", path, errno)
            }
        }
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw .failed("looked at", folder, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw InstanceRecordError(
                "\(folder) is no folder of this user's, but it is to hold the instances' passwords: remove it.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw InstanceRecordError(
                "\(folder) can be read by others, but it is to hold the instances' passwords: chmod 700 '\(folder)'.")
        }
    }

    /// Keeps a record in place of the project's last one: whoever reads sees one of the two, never a part.
    package func write(_ record: InstanceRecord) throws(InstanceRecordError) {
        let path = path(of: record.project)
        let new = "\(folder)/.\(RandomBytes.hex(8))"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .failed("made", new, errno) }
        defer { close(descriptor) }
        let text = Array(record.text.utf8)
        guard Glibc.write(descriptor, text, text.count) == text.count, rename(new, path) == 0 else {
            let code = errno
            unlink(new)
            throw .failed("written", path, code)
        }
    }

    /// The project's record; nil when there is none, or none that can be understood and trusted.
    package func read(_ project: ProjectName) -> InstanceRecord? {
        read(file: path(of: project)).flatMap { $0.project == project ? $0 : nil }
    }

    /// Forgets the project's record.
    package func remove(_ project: ProjectName) { unlink(path(of: project)) }

    /// Every record, in no order. Files that are none are removed: nobody could ever use them.
    package func all() -> [InstanceRecord] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            // A file with a dot is one that somebody is just writing.
            guard name != Self.lockName, !name.hasPrefix(".") else { return nil }
            let path = "\(folder)/\(name)"
            if let record = read(file: path), self.path(of: record.project) == path { return record }
            unlink(path)
            return nil
        }
    }

    /// Removes what writers have left that were killed; nobody may be writing.
    func removeUnfinished() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(".") { unlink("\(folder)/\(name)") }
    }

    private func read(file path: String) -> InstanceRecord? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0, status.st_size <= Self.longestFile
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count == bytes.count, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return InstanceRecord(text: text)
    }

    private func exists(_ path: String) -> Bool { Glibc.access(path, F_OK) == 0 }

    // MARK: Names

    /// The lock's file name: no record's, which never begin so.
    static let lockName = "~lock"

    private func path(of project: ProjectName) -> String { "\(folder)/\(Self.fileName(of: project.bytes))" }

    /// One file name for each text, at most 255 bytes: systemd's escaping, which never begins with `.` or `~`; where that
    /// is too long, `~` and a hash.
    static func fileName(of bytes: [UInt8]) -> String {
        let escaped = UnitName.escape(bytes)
        return (1...255).contains(escaped.utf8.count) ? escaped : "~" + Hash.hex(bytes)
    }

    private static func base(_ environment: [String: String], _ userHome: String) -> String {
        // The specification: paths that are not absolute are ignored.
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return folder + "/viberemote-gateway" }
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder + "/viberemote-gateway" }
        return userHome + "/.local/state/viberemote-gateway"
    }
}

/// Records could not be kept.
package struct InstanceRecordError: Error, Equatable, CustomStringConvertible {
    /// One sentence that says what to do.
    package let description: String

    init(_ description: String) { self.description = description }

    static func failed(_ verb: String, _ path: String, _ code: Int32) -> InstanceRecordError {
        InstanceRecordError(
            "\(path) could not be \(verb): \(SystemdError.reason(of: code)). Records of running instances are kept "
                + "there; let XDG_RUNTIME_DIR name a folder that this user can write to.")
    }
}
