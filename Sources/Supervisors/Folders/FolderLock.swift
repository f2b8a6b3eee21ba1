internal import Glibc
internal import Systemd

/// A gateway's hold on the projects' folder itself, for as long as this object lives: by whatever path or environment
/// another gateway comes to the same folder, it finds it taken.
package final class FolderLock: Sendable {
    /// How much it keeps others out.
    package enum Kind: Sendable {
        /// One gateway: it runs the servers as its children.
        case exclusive
        /// Gateways that let one service manager run the servers, but none of the other kind.
        case shared
    }

    private let descriptor: Int32

    /// Who can't be found has let go meanwhile, or lives in another name space.
    private static let attempts = 5

    /// Locks the folder at `path`, links followed. Throws when a gateway has it that leaves no room for this one; nil where
    /// the folder can't be locked (flock(2) on some network file systems, or a folder that may not be opened).
    package init?(_ path: String, _ kind: Kind) throws(InstanceRecordError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var holder: Int32?
        for _ in 0..<Self.attempts {
            if flock(descriptor, (kind == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 {
                self.descriptor = descriptor
                return
            }
            // Others are ENOLCK, EOPNOTSUPP, EBADF: there the folder of the records is all that is locked.
            guard errno == EWOULDBLOCK else {
                close(descriptor)
                return nil
            }
            var status = stat()
            fstat(descriptor, &status)
            holder = Self.holder(inode: UInt64(status.st_ino), locks: Machine.fileLocks)
            if holder != nil { break }
        }
        close(descriptor)
        throw Self.taken(path, by: holder)
    }

    deinit {
        // Closing alone would leave it to children that have a copy of the descriptor until they begin their programs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func taken(_ path: String, by holder: Int32?) -> InstanceRecordError {
        let name = holder.map { "process \($0)" } ?? "another process"
        return InstanceRecordError(
            "another gateway (\(name)) already runs instances for the projects in \(path). Stop it first, or give this "
                + "one other projects (--home).", endedHolder: holder.flatMap { ProcessTable.isRunning($0) ? nil : $0 })
    }

    /// Who has locked the whole file with this inode, out of proc_locks(5); nil when that is not told.
    static func holder(inode: UInt64, locks: String) -> Int32? {
        for line in locks.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Waiting ones have an arrow in the second field.
            guard fields.count >= 6, fields[1] == "FLOCK",
                fields[5].split(separator: ":").last.map({ UInt64($0) }) == inode
            else { continue }
            // Processes of other name spaces have the number 0.
            if let number = Int32(fields[4]), number > 0 { return number }
        }
        return nil
    }
}
