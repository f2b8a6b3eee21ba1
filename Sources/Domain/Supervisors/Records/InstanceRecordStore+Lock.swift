// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Systemd

extension InstanceRecordStore {
    /// Locks the records for this gateway. The lock lasts until it is released, or until the gateway ends in any way.
    /// Throws an error if another gateway holds the lock.
    package func lock() throws(InstanceRecordError) -> InstanceRecordLock {
        let path = "\(folder)/\(Self.lockName)"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == ENOENT {
                // A gateway that has just ended has removed the directory. Create it again.
                try prepare()
                continue
            }
            guard descriptor >= 0 else { throw .failed("create", path: path, code: errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { close(descriptor) }
                guard code == EWOULDBLOCK else { throw .failed("lock", path: path, code: code) }
                throw Self.locked(by: Self.holder(descriptor))
            }
            guard Self.isLinked(descriptor, path) else {
                close(descriptor)
                continue
            }
            Self.writeHolder(descriptor)
            removeUnfinished()
            return InstanceRecordLock(descriptor: descriptor, path: path)
        }
    }

    private static func locked(by holder: Int32?) -> InstanceRecordError {
        let name = holder.map { "process \($0)" } ?? "another process"
        return InstanceRecordError(
            "another gateway (\(name)) already runs instances for the same projects as its child processes. Stop "
                + "that gateway first, or set --home to another directory.",
            endedHolder: holder.flatMap { ProcessTable.isRunning($0) ? nil : $0 })
    }

    /// Returns whether the path still refers to the open file. The previous holder of the lock may have removed the
    /// file before this process locked it.
    private static func isLinked(_ descriptor: Int32, _ path: String) -> Bool {
        var ours = stat()
        var present = stat()
        return fstat(descriptor, &ours) == 0 && stat(path, &present) == 0 && ours.st_ino == present.st_ino
            && ours.st_dev == present.st_dev
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func writeHolder(_ descriptor: Int32) {
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.count, 0)
    }
}

/// A gateway's lock on its directory of records, which is held for the lifetime of this object.
package final class InstanceRecordLock: Sendable {
    private let descriptor: Int32
    private let path: String

    fileprivate init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Removes the lock file, and the directory if it is empty.
    deinit {
        // Remove the file while the lock is held. After the lock is released, the file may belong to another gateway.
        unlink(path)
        if let slash = path.lastIndex(of: "/") { rmdir(String(path[..<slash])) }
        // Unlock explicitly, because a child that has not called execve(2) yet has a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
