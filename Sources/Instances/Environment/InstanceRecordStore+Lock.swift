internal import Glibc

extension InstanceRecordStore {
    /// Reserves the records for this gateway until the lock is let go or the gateway ends, however it ends; throws when
    /// another gateway has them.
    package func lock() throws(InstanceRecordError) -> InstanceRecordLock {
        let path = "\(folder)/\(Self.lockName)"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .failed("made", path, errno) }
            let lock = InstanceRecordLock(descriptor: descriptor, path: path)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw .failed("locked", path, errno) }
                let holder = lock.holder.map { "process \($0)" } ?? "another process"
                throw InstanceRecordError(
                    "another gateway (\(holder)) already runs instances for the same projects as its child processes. "
                        + "Stop it first, or give this one other projects (--home).")
            }
            // The one before may have removed the file between the two calls.
            guard lock.isInPlace else { continue }
            lock.noteHolder()
            removeUnfinished()
            return lock
        }
    }
}

/// A gateway's hold on its folder of records.
package final class InstanceRecordLock: Sendable {
    private let descriptor: Int32
    private let path: String

    fileprivate init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    /// Ends the hold and leaves nothing behind, not even the folder when it is empty.
    package func remove() {
        unlink(path)
        if let slash = path.lastIndex(of: "/") { rmdir(String(path[..<slash])) }
    }

    fileprivate var isInPlace: Bool {
        var ours = stat()
        var present = stat()
        return fstat(descriptor, &ours) == 0 && stat(path, &present) == 0 && ours.st_ino == present.st_ino
            && ours.st_dev == present.st_dev
    }

    fileprivate var holder: Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return Int32(String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self))
    }

    fileprivate func noteHolder() {
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, text, text.count, 0)
    }
}
