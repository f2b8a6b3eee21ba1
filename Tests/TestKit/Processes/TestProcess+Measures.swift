// SPDX-License-Identifier: Apache-2.0

import Glibc

extension TestProcess {
    /// Returns the resident memory (VmRSS) in bytes.
    package func residentMemory() throws -> Int { try ProcessMeasures.residentMemory(of: pid) }

    /// Returns the peak resident memory (VmHWM) in bytes.
    package func peakResidentMemory() throws -> Int { try ProcessMeasures.peakResidentMemory(of: pid) }

    /// Returns the consumed processor time of all threads, user and system.
    package func processorTime() throws -> Duration { try ProcessMeasures.processorTime(of: pid) }

    /// Returns how often the threads that exist have waited for something.
    package func waitCount() throws -> Int { try ProcessMeasures.waitCount(of: pid) }

    /// Returns the number of open descriptors.
    package func openDescriptors() throws -> Int { try ProcessMeasures.openDescriptors(of: pid) }
}

/// The measurements of a process in /proc (proc(5)).
package enum ProcessMeasures {
    /// Returns the resident memory (VmRSS) in bytes.
    package static func residentMemory(of pid: Int32) throws -> Int { try memory("VmRSS", of: pid) }

    /// Returns the peak resident memory (VmHWM) in bytes.
    package static func peakResidentMemory(of pid: Int32) throws -> Int { try memory("VmHWM", of: pid) }

    private static func memory(_ name: String, of pid: Int32) throws -> Int {
        let status = String(decoding: try FileTree.contents("/proc/\(pid)/status"), as: UTF8.self)
        for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count >= 2, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
        }
        throw TestKitError.unavailable("process \(pid) has no \(name): it has ended")
    }

    /// Returns the consumed processor time of all threads, user and system. The resolution is one clock tick, usually
    /// 10 ms.
    package static func processorTime(of pid: Int32) throws -> Duration {
        let stat = String(decoding: try FileTree.contents("/proc/\(pid)/stat"), as: UTF8.self)
        // The second field is the name of the program in parentheses and can contain any character. Therefore the later
        // fields are counted from the end of this field.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int64(fields[12]), let system = Int64(fields[13]) else {
            throw TestKitError.malformed("/proc/\(pid)/stat: \(stat)")
        }
        return .nanoseconds((user + system) * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))))
    }

    /// Returns how often the threads that exist have waited for something (voluntary context switches).
    package static func waitCount(of pid: Int32) throws -> Int {
        try FileTree.names(in: "/proc/\(pid)/task").reduce(0) { sum, thread in
            let status = String(decoding: try FileTree.contents("/proc/\(pid)/task/\(thread)/status"), as: UTF8.self)
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Returns the number of open descriptors.
    package static func openDescriptors(of pid: Int32) throws -> Int {
        try FileTree.names(in: "/proc/\(pid)/fd").count
    }

    /// Returns whether the process exists and is not only waiting to be reaped.
    package static func isAlive(_ pid: Int32) -> Bool {
        guard let stat = try? FileTree.contents("/proc/\(pid)/stat") else { return false }
        let text = String(decoding: stat, as: UTF8.self)
        let state = text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first
        return state != "Z" && state != "X"
    }
}
