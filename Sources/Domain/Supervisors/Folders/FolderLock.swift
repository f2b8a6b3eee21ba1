// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Systemd

/// A gateway's lock on the home directory, which is held for the lifetime of this object. The lock excludes other
/// gateways, regardless of their environment and of the path by which they refer to the directory.
package final class FolderLock: Sendable {
    /// The kinds of lock on a directory.
    package enum Kind: Sendable {
        /// The lock of a single gateway that runs the servers as its child processes.
        case exclusive
        /// The lock of gateways whose servers are units of a service manager. Several gateways can hold a shared lock
        /// at the same time. A shared lock excludes gateways with an exclusive lock.
        case shared
    }

    /// The result of an attempt to lock a directory.
    package enum Attempt: Sendable {
        case locked(FolderLock)
        /// The directory cannot be locked. The network file system does not support flock(2), or the gateway may not
        /// open the directory.
        case unsupported
        /// A process of another user holds the lock. The process is therefore not a gateway of this user. Any user can
        /// lock a directory that every user may open, because flock(2) needs no write permission.
        case lockedByOtherUser(process: Int32?)
    }

    private let descriptor: Int32

    /// The number of attempts. If the process that holds the lock cannot be found, the process has either released the
    /// lock since the attempt, or it is in another namespace.
    private static let attempts = 5

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Locks a directory.
    ///
    /// - Parameters:
    ///   - path: The path of the directory. Symbolic links are followed.
    ///   - kind: The kind of lock, which determines the gateways that it excludes.
    ///   - ignoresEndedHolder: Whether a holder that no longer exists counts as a process of another user. If a holder
    ///     no longer exists, its children hold the lock. A gateway's children release the lock within milliseconds,
    ///     when they execute their program.
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
            // Other errors are ENOLCK, EOPNOTSUPP and EBADF. The gateway then locks only the directory of the records.
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
            // Root needs no lock to interfere, so a lock that root holds belongs to a gateway.
            if user != getuid(), user != 0 { return .lockedByOtherUser(process: holder) }
        }
        throw locked(path, by: holder)
    }

    deinit {
        // Unlock explicitly. A child that has not called execve(2) yet has a copy of the descriptor and would continue
        // to hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func locked(_ path: String, by holder: Int32?) -> InstanceRecordError {
        let name = holder.map { "process \($0)" } ?? "another process"
        return InstanceRecordError(
            "another gateway (\(name)) already runs instances for the projects in \(path). Stop that gateway first, "
                + "or set --home to another directory.",
            endedHolder: holder.flatMap { ProcessTable.isRunning($0) ? nil : $0 })
    }

    /// Returns the process that has locked the whole file with this inode, according to proc_locks(5); nil if the
    /// process is not listed.
    static func holder(inode: UInt64, locks: String) -> Int32? {
        for line in locks.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Skip waiting processes, whose lines have an arrow in the second field.
            guard fields.count >= 6, fields[1] == "FLOCK",
                fields[5].split(separator: ":").last.map({ UInt64($0) }) == inode
            else { continue }
            // Skip processes in other namespaces, which have the number 0.
            if let number = Int32(fields[4]), number > 0 { return number }
        }
        return nil
    }
}
