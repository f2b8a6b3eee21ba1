import Glibc

extension TestProcess {
    /// The resident memory (VmRSS) in bytes.
    package func residentMemory() throws -> Int { try ProcessMeasures.residentMemory(of: pid) }

    /// The most that was ever resident (VmHWM) in bytes.
    package func peakResidentMemory() throws -> Int { try ProcessMeasures.peakResidentMemory(of: pid) }

    /// The processor time consumed so far, all threads, user and system.
    package func processorTime() throws -> Duration { try ProcessMeasures.processorTime(of: pid) }

    /// How many descriptors are open.
    package func openDescriptors() throws -> Int { try ProcessMeasures.openDescriptors(of: pid) }
}

/// What /proc tells about a process (proc(5)).
package enum ProcessMeasures {
    /// The resident memory (VmRSS) in bytes.
    package static func residentMemory(of pid: Int32) throws -> Int { try memory("VmRSS", of: pid) }

    /// The most that was ever resident (VmHWM) in bytes.
    package static func peakResidentMemory(of pid: Int32) throws -> Int { try memory("VmHWM", of: pid) }

    private static func memory(_ name: String, of pid: Int32) throws -> Int {
        let status = String(decoding: try FileTree.read("/proc/\(pid)/status"), as: UTF8.self)
        for line in status.split(separator: "\n") where line.hasPrefix("\(name):") {
            let words = line.split { $0 == " " || $0 == "\t" }
            if words.count >= 2, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
        }
        throw TestKitError.unavailable("process \(pid) has no \(name): it has ended")
    }

    /// The processor time consumed so far, all threads, user and system. Its grain is a clock tick, mostly 10 ms.
    package static func processorTime(of pid: Int32) throws -> Duration {
        let stat = String(decoding: try FileTree.read("/proc/\(pid)/stat"), as: UTF8.self)
        // The second field is the program's name in parentheses, which may hold anything: count from its end.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Int64(fields[12]), let system = Int64(fields[13]) else {
            throw TestKitError.malformed("/proc/\(pid)/stat: \(stat)")
        }
        return .nanoseconds((user + system) * (1_000_000_000 / Int64(sysconf(Int32(_SC_CLK_TCK)))))
    }

    /// How many descriptors are open.
    package static func openDescriptors(of pid: Int32) throws -> Int {
        try FileTree.names(in: "/proc/\(pid)/fd").count
    }

    /// Whether a process with that id exists and is not merely waiting to be reaped.
    package static func isAlive(_ pid: Int32) -> Bool {
        guard let stat = try? FileTree.read("/proc/\(pid)/stat") else { return false }
        let text = String(decoding: stat, as: UTF8.self)
        let state = text[(text.lastIndex(of: ")") ?? text.startIndex)...].dropFirst(2).first
        return state != "Z" && state != "X"
    }
}
