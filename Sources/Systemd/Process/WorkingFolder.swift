internal import Glibc

/// Where a process works.
package struct WorkingFolder: Sendable, Equatable {
    /// The path as the kernel has it: where the folder is now, with ` (deleted)` behind it when it is nowhere.
    package let path: String
    /// The folder's device (stat(3type), st_dev).
    package let device: UInt64
    /// The folder's inode on it: it has it also when it was moved or deleted.
    package let inode: UInt64
}

extension ProcessTable {
    /// The working folder of the process with this number (proc_pid_cwd(5)); nil when there is none or it may not be
    /// known.
    package static func workingFolder(of number: Int32) -> WorkingFolder? {
        let link = "/proc/\(number)/cwd"
        var status = stat()
        guard stat(link, &status) == 0 else { return nil }
        guard let path = FilePath.target(ofLink: link) else { return nil }
        return WorkingFolder(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// A variable in the environment with which the process was started; nil without it, and for processes of other
    /// users.
    package static func variable(_ name: String, of number: Int32) -> String? {
        mark(Array("\(name)=".utf8), of: number)
    }

    /// The process's control groups, as the kernel lists them (cgroups(7)); nil when it has gone.
    package static func controlGroups(of number: Int32) -> String? {
        ProcFile.read("/proc/\(number)/cgroup").map { String(decoding: $0, as: UTF8.self) }
    }

    /// For every mark the process that began it: all others with it were started by that one, at whatever remove. Never
    /// the calling process.
    package var beginnings: [String: ProcessStatus] {
        var found: [String: Entry] = [:]
        for entry in entries where !entry.status.hasEnded && entry.status.identity.number != ProcessTable.ownNumber {
            guard let mark = entry.mark else { continue }
            if let other = found[mark], !Self.precedes(entry.status, other.status) { continue }
            found[mark] = entry
        }
        return found.mapValues(\.status)
    }

    /// Start times are counted in hundredths of a second: a child may have its parent's.
    private static func precedes(_ one: ProcessStatus, _ other: ProcessStatus) -> Bool {
        let (first, second) = (one.identity, other.identity)
        if first.startTime != second.startTime { return first.startTime < second.startTime }
        if one.parent == second.number { return false }
        return other.parent == first.number || first.number < second.number
    }
}
