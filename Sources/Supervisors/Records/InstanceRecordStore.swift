internal import Glibc
package import Projects
internal import Sodium
internal import Systemd

/// The records of running servers: one file of mode 0600 a project, in a folder of mode 0700 that outlives the gateway
/// and not the machine's boot (or whose records are void after one).
package struct InstanceRecordStore: Sendable {
    /// Told what was wrong with a record, as a sentence.
    package typealias Report = (_ problem: String) -> Void

    /// The folder's absolute path.
    package let folder: String
    /// Where records are kept while ``folder`` is gone and can't be made again; nil for nowhere.
    package let reserve: String?

    /// The records in this folder, which need not exist yet.
    package init(folder: String, reserve: String? = nil) {
        self.folder = folder
        self.reserve = reserve == folder ? nil : reserve
    }

    // MARK: Records

    /// Whether anything was ever written down, or is about to be.
    var exists: Bool { folders.contains { Self.exists($0) } }

    /// Makes the folder where it is missing; throws unless it is ours and closed to others. To be called before any
    /// writing.
    package func prepare() throws(InstanceRecordError) { try Self.prepare(folder) }

    /// Keeps a record in place of the project's last one: whoever reads sees one of the two, never a part.
    ///
    /// A folder that has vanished is made again: logind removes a user's runtime folder when that user logs out.
    package func write(_ record: InstanceRecord) throws(InstanceRecordError) {
        let name = Self.fileName(of: record.project.bytes)
        do throws(InstanceRecordError) {
            if !Self.exists(folder) { try prepare() }
            try Self.put(record, name, in: folder)
        } catch {
            guard let reserve, !Self.exists(folder) else { throw error }
            try Self.prepare(reserve)
            return try Self.put(record, name, in: reserve)
        }
        if let reserve { Self.remove(name, in: reserve) }
    }

    /// The project's record; nil when there is none, or none that can be understood and trusted.
    package func read(_ project: ProjectName, report: Report = { _ in }) -> InstanceRecord? {
        let name = Self.fileName(of: project.bytes)
        for folder in folders {
            if let record = Self.read(name, in: folder, report: report), record.project == project { return record }
        }
        return nil
    }

    /// Forgets the project's record.
    package func remove(_ project: ProjectName) {
        let name = Self.fileName(of: project.bytes)
        unlink("\(folder)/\(name)")
        if let reserve { Self.remove(name, in: reserve) }
    }

    /// Every record, in no order. What can't be understood or trusted is left where it is, and told of: a server may
    /// still run that it is about.
    package func all(report: Report = { _ in }) -> [InstanceRecord] {
        folders.flatMap { folder in
            (FolderEntries.names(in: folder) ?? []).compactMap { name in
                // A file with a dot is one that somebody is just writing.
                guard name != Self.lockName, !name.hasPrefix(".") else { return nil }
                return Self.read(name, in: folder, report: report)
            }
        }
    }

    /// Removes what writers have left that were killed; nobody may be writing.
    func removeUnfinished() {
        for folder in folders {
            let names = FolderEntries.names(in: folder) ?? []
            for name in names where Self.isUnfinished(name) { unlink("\(folder)/\(name)") }
        }
    }

    private var folders: [String] { [folder] + (reserve.map { [$0] } ?? []) }

    // MARK: Names

    /// The lock's file name: no record's, which never begin so.
    static let lockName = "~lock"

    /// One file name for each text, at most 255 bytes: systemd's escaping, which never begins with `.` or `~`; where that
    /// is too long, `~` and a hash.
    static func fileName(of bytes: [UInt8]) -> String {
        let escaped = UnitName.escape(bytes)
        return (1...255).contains(escaped.utf8.count) ? escaped : "~" + Hash.hex(bytes)
    }
}

/// Records could not be kept.
package struct InstanceRecordError: Error, Equatable, CustomStringConvertible {
    /// One sentence that says what to do.
    package let description: String

    /// The process that had a lock and has ended: a child of it has the lock until it begins its program (execve(2)), so it
    /// is free soon. Nil in every other case.
    let endedHolder: Int32?

    init(_ description: String, endedHolder: Int32? = nil) {
        self.description = description
        self.endedHolder = endedHolder
    }

    static func failed(_ verb: String, _ path: String, _ code: Int32) -> InstanceRecordError {
        InstanceRecordError(
            "\(path) could not be \(verb): \(SystemdError.reason(of: code)). Records of running instances are kept "
                + "there; let XDG_RUNTIME_DIR name a folder that this user can write to.")
    }
}
