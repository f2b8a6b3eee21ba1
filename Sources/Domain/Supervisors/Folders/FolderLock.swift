// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Systemd

/// A gateway's lock on the projects' folder, held for the lifetime of this object. It excludes other gateways,
/// regardless of the path and the environment that they use for the same folder.
package final class FolderLock: Sendable {
    /// The kinds of lock on the folder.
    package enum Kind: Sendable {
        /// The lock of a single gateway that runs the servers as its children.
        case exclusive
        /// The lock of gateways that let one service manager run the servers. It excludes gateways of the other kind.
        case shared
    }

    /// The result of an attempt to lock a folder.
    package enum Attempt: Sendable {
        case locked(FolderLock)
        /// The folder cannot be locked, because flock(2) is missing on the network file system or the folder may not be
        /// opened.
        case unsupported
        /// A process of another user holds the lock. That process is not a gateway of this user. Any user can acquire
        /// the lock of a folder that every user may open, because flock(2) needs no write permission.
        case lockedByOtherUser(process: Int32?)
    }

    private let descriptor: Int32

    /// The number of attempts. If the holder cannot be found, it has released the lock in the meantime, or it is in
    /// another namespace.
    private static let attempts = 5

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Locks a folder.
    ///
    /// - Parameters:
    ///   - path: The folder. Symbolic links are followed.
    ///   - kind: The kind of the lock, which determines which other gateways are excluded.
    ///   - ignoresEndedHolder: Whether a holder that no longer exists counts as another user's. The lock is then held
    ///     by its children. The children of a gateway release it within milliseconds, when they execute their program.
    /// - Throws: An error if a gateway of this user or of root holds the lock.
    package static func acquire(
        _ path: String, _ kind: Kind, ignoresEndedHolder: Bool = false
    ) throws(InstanceRecordError) -> Attempt {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return .unsupported }
        var holder: Int32?
        for _ in 0..<Self.attempts {
            if flock(descriptor, (kind == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 {
                return .locked(FolderLock(descriptor: descriptor))
            }
            // Other errors are ENOLCK, EOPNOTSUPP and EBADF. In these cases only the records' folder is locked.
            guard errno == EWOULDBLOCK else {
                close(descriptor)
                return .unsupported
            }
            var status = stat()
            fstat(descriptor, &status)
            holder = Self.holder(inode: UInt64(status.st_ino), locks: Machine.fileLocks)
            if holder != nil { break }
        }
        close(descriptor)
        if let holder {
            guard let user = ProcessTable.realUser(of: holder) else {
                if ignoresEndedHolder { return .lockedByOtherUser(process: nil) }
                throw locked(path, by: holder)
            }
            // Root could interfere without a lock, so a lock of root belongs to a gateway.
            if user != getuid(), user != 0 { return .lockedByOtherUser(process: holder) }
        }
        throw locked(path, by: holder)
    }

    deinit {
        // Unlock explicitly. Children that still have a copy of the descriptor before execve(2) would otherwise hold
        // the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func locked(_ path: String, by holder: Int32?) -> InstanceRecordError {
        let name = holder.map { "process \($0)" } ?? "another process"
        return InstanceRecordError(
            "another gateway (\(name)) already runs instances for the projects in \(path). Stop that gateway first, "
                + "or set --home to another folder.",
            endedHolder: holder.flatMap { ProcessTable.isRunning($0) ? nil : $0 })
    }

    /// Returns the process that has locked the whole file with this inode, according to proc_locks(5); nil if it is not
    /// listed.
    static func holder(inode: UInt64, locks: String) -> Int32? {
        for line in locks.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Skip waiting locks, which have an arrow in the second field.
            guard fields.count >= 6, fields[1] == "FLOCK",
                fields[5].split(separator: ":").last.map({ UInt64($0) }) == inode
            else { continue }
            // Skip processes in other namespaces, which are listed with the number 0.
            if let number = Int32(fields[4]), number > 0 { return number }
        }
        return nil
    }
}
