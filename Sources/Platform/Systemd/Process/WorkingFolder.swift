// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The working directory of a process.
package struct WorkingFolder: Sendable, Equatable {
    /// The path according to the kernel: the current location of the directory, or its old path followed by `
    /// (deleted)`.
    package let path: String
    /// The directory's device (stat(3type), st_dev).
    package let device: UInt64
    /// The directory's inode on that device, which does not change when the directory is moved or deleted.
    package let inode: UInt64
}

extension ProcessTable {
    /// Returns the working directory of the process with this number (proc_pid_cwd(5)); nil if there is no such process
    /// or the directory is not readable.
    package static func workingFolder(of number: Int32) -> WorkingFolder? {
        let link = "/proc/\(number)/cwd"
        var status = stat()
        guard stat(link, &status) == 0 else { return nil }
        guard let path = FilePath.target(ofLink: link) else { return nil }
        return WorkingFolder(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Returns a variable of the environment with which the process was started; nil if the variable is missing or the
    /// process belongs to another user.
    package static func variable(_ name: String, of number: Int32) -> String? {
        marker(Array("\(name)=".utf8), of: number)
    }

    /// Returns the process's control groups as the kernel lists them (cgroups(7)); nil if the process has ended.
    package static func controlGroups(of number: Int32) -> String? {
        ProcFile.read("/proc/\(number)/cgroup").map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first process with each marker, from which all other processes with the marker descend. Never includes the
    /// calling process.
    package var beginnings: [String: ProcessStatus] {
        var found: [String: Entry] = [:]
        for entry in entries where !entry.status.hasEnded && entry.status.identity.number != ProcessTable.currentProcess
        {
            guard let marker = entry.marker else { continue }
            if let other = found[marker], !Self.precedes(entry.status, other.status) { continue }
            found[marker] = entry
        }
        return found.mapValues(\.status)
    }

    /// Returns whether the process `one` was started before the process `other`. Start times have a resolution of
    /// hundredths of a second, so a child may have the same start time as its parent. In that case, the method compares
    /// the parents and the numbers.
    private static func precedes(_ one: ProcessStatus, _ other: ProcessStatus) -> Bool {
        let first = one.identity
        let second = other.identity
        if first.startTime != second.startTime { return first.startTime < second.startTime }
        if one.parent == second.number { return false }
        return other.parent == first.number || first.number < second.number
    }
}
