// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A process's lock on a database file. The lock exists as long as this object. The kernel releases the lock when the
/// process ends.
///
/// The lock is a record lock (fcntl(2)) on a file next to the database. A child process does not inherit the lock, and
/// the kernel reports the lock's owner. Two locks of one process do not exclude each other.
final class StateLock: Sendable {
    private let descriptor: Int32

    /// Acquires the lock on the database at `path`. Throws if another process holds the lock.
    init(_ path: String) throws(StorageError) {
        let name = Self.name(path)
        let descriptor = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("made", path: name, code: errno) }
        var lock = Self.whole
        guard fcntl(descriptor, F_SETLK, &lock) == 0 else {
            let code = errno
            close(descriptor)
            guard code == EACCES || code == EAGAIN else { throw .system("locked", path: name, code: code) }
            throw .locked(path, by: Self.holder(path))
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Throws if another process has locked the database at `path`. Acquires nothing.
    static func check(_ path: String) throws(StorageError) {
        if let lock = conflict(path) { throw .locked(path, by: lock.l_pid > 0 ? lock.l_pid : nil) }
    }

    /// Returns the id of the process that has locked the database; nil if no process is known.
    static func holder(_ path: String) -> Int32? {
        conflict(path).flatMap { $0.l_pid > 0 ? $0.l_pid : nil }
    }

    /// Returns the lock that would conflict with a new lock; nil if there is none.
    private static func conflict(_ path: String) -> flock? {
        let descriptor = open(name(path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var lock = whole
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != F_UNLCK else { return nil }
        return lock
    }

    private static func name(_ path: String) -> String { path + ".lock" }

    private static var whole: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}
