// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Projects
internal import Sodium
internal import Systemd

/// The records of running servers: one file of mode 0600 for each project, in a directory of mode 0700. The directory
/// outlives the gateway. The records become invalid when the machine reboots.
package struct InstanceRecordStore: Sendable {
    /// A function that receives a message about a problem with a record.
    package typealias Report = (_ problem: String) -> Void

    /// The absolute path of the directory.
    package let folder: String
    /// The directory to use while ``folder`` is missing and cannot be created; nil if there is no such directory.
    package let reserve: String?

    /// Creates a store in this directory. The directory does not need to exist yet.
    package init(folder: String, reserve: String? = nil) {
        self.folder = folder
        self.reserve = reserve == folder ? nil : reserve
    }

    // MARK: Records

    /// Whether any record may exist.
    var exists: Bool { folders.contains { Self.exists($0) } }

    /// Creates the directory if it is missing. Throws an error if the directory belongs to another user or other users
    /// can access it. Call this method before writing.
    package func prepare() throws(InstanceRecordError) { try Self.prepare(folder) }

    /// Replaces the project's record atomically.
    ///
    /// If the directory is missing, creates the directory again, because logind removes a user's runtime directory when
    /// the user logs out.
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

    /// Returns the project's record; nil if there is no record or if it is rejected.
    package func read(_ project: ProjectName, report: Report = { _ in }) -> InstanceRecord? {
        let name = Self.fileName(of: project.bytes)
        for folder in folders {
            if let record = Self.read(name, in: folder, report: report), record.project == project { return record }
        }
        return nil
    }

    /// Removes the project's record, if there is one.
    package func remove(_ project: ProjectName) {
        let name = Self.fileName(of: project.bytes)
        unlink("\(folder)/\(name)")
        if let reserve { Self.remove(name, in: reserve) }
    }

    /// Returns all records in no particular order. Invalid or untrusted records are reported and kept, because the
    /// server that a record describes may still be running.
    package func all(report: Report = { _ in }) -> [InstanceRecord] {
        folders.flatMap { folder in
            (FolderEntries.names(in: folder) ?? []).compactMap { name in
                // Skip names with a leading dot, because they belong to files that are being written.
                guard name != Self.lockName, !name.hasPrefix(".") else { return nil }
                return Self.read(name, in: folder, report: report)
            }
        }
    }

    /// Removes the unfinished files of writers that were killed. No other process may be writing at the same time.
    func removeUnfinished() {
        for folder in folders {
            let names = FolderEntries.names(in: folder) ?? []
            for name in names where Self.isUnfinished(name) { unlink("\(folder)/\(name)") }
        }
    }

    private var folders: [String] { [folder] + (reserve.map { [$0] } ?? []) }

    // MARK: Names

    /// The name of the lock file. No record's file has this name.
    static let lockName = "~lock"

    /// Returns a unique file name of at most 255 bytes for a text. The name is the text in systemd's escaping, which
    /// never begins with `.` or `~`. If the escaped text is empty or too long, the name is `~` and a hash.
    static func fileName(of bytes: [UInt8]) -> String {
        let escaped = UnitName.escape(bytes)
        return (1...255).contains(escaped.utf8.count) ? escaped : "~" + Hash.hex(bytes)
    }
}

/// The error when records cannot be stored or locked.
package struct InstanceRecordError: Error, Equatable, CustomStringConvertible {
    /// A message that describes the problem and the fix.
    package let description: String

    /// The process that acquired a lock and has ended; nil in all other cases. A child of the process holds the lock
    /// until the child calls execve(2), so the lock will soon be free.
    let endedHolder: Int32?

    init(_ description: String, endedHolder: Int32? = nil) {
        self.description = description
        self.endedHolder = endedHolder
    }

    static func failed(_ verb: String, path: String, code: Int32) -> InstanceRecordError {
        InstanceRecordError(
            "cannot \(verb) \(path), where records of running instances are stored: \(SystemdError.reason(of: code)). Set "
                + "XDG_RUNTIME_DIR to a directory that this user can write to.")
    }
}
