internal import Glibc

/// A picture of the machine's processes: who is whose child, and which carry a mark in their environment.
///
/// A mark is inherited by every process that is started with its parent's environment, also by one that has left the
/// process group and whose parent has ended: that is how such a one is found again.
package struct ProcessTable: Sendable {
    /// One process.
    package struct Entry: Sendable {
        /// What the kernel tells about it.
        package let status: ProcessStatus
        /// The value of the mark in its environment; nil without one, and for processes of other users.
        package let mark: String?

        /// A process, as a test makes it up.
        package init(status: ProcessStatus, mark: String?) {
            self.status = status
            self.mark = mark
        }
    }

    /// All of them, in no order.
    package let entries: [Entry]

    /// A picture of these processes.
    package init(_ entries: [Entry]) { self.entries = entries }

    /// The processes as they are now; `variable` is the name of the mark.
    ///
    /// Takes some 50 µs for each process of the machine. One that starts meanwhile may be missing.
    package static func read(mark variable: String) -> ProcessTable {
        let prefix = Array("\(variable)=".utf8)
        // For all of them together: a process can take its variables away for good.
        let deadline = SuspendingClock.now.advanced(by: patience)
        return ProcessTable(
            ProcFile.processes().compactMap { number in
                status(of: number).map { Entry(status: $0, mark: mark(prefix, of: number, until: deadline)) }
            })
    }

    /// The number of the calling process.
    package static var ownNumber: Int32 { getpid() }

    /// What the kernel tells about the process that has this number now; nil when there is none.
    package static func status(of number: Int32) -> ProcessStatus? {
        ProcFile.read("/proc/\(number)/stat").flatMap { ProcessStatus($0) }
    }

    /// Whether a process has this number and has not ended.
    /// Returns the real user id of a process, or nil if there is no such process or it may not be seen (proc(5), `hidepid=`).
    ///
    /// The owner of /proc/PID does not say it: that is root for a process that is not dumpable.
    package static func realUser(of number: Int32) -> UInt32? {
        guard let bytes = ProcFile.read("/proc/\(number)/status") else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
        return line.flatMap { UInt32($0.dropFirst(4).split(whereSeparator: \.isWhitespace).first ?? "") }
    }

    package static func isRunning(_ number: Int32) -> Bool { status(of: number).map { !$0.hasEnded } ?? false }

    /// Every process that still runs and belongs to the run with this mark, its leader included: those that carry the
    /// mark, those in the leader's session or group, and whatever descends from one of them.
    ///
    /// `leader` is nil once its number may have been given to another process: sessions and groups then prove nothing.
    /// `known` are processes that were found to belong to it before. Never the calling process or process 1.
    package func members(
        ofMark mark: String, leader: ProcessIdentity?, known: Set<ProcessIdentity> = []
    ) -> [ProcessStatus] {
        let alive = entries.filter { !$0.status.hasEnded && !Self.isExempt($0.status.identity.number) }
        let children = Dictionary(grouping: alive, by: \.status.parent)
        var found: Set<ProcessIdentity> = []
        var members: [ProcessStatus] = []
        var waiting = alive.filter { entry in
            entry.mark == mark || known.contains(entry.status.identity)
                || leader.map { entry.status.belongs(to: $0) } ?? false
        }
        while let entry = waiting.popLast() {
            guard found.insert(entry.status.identity).inserted else { continue }
            members.append(entry.status)
            waiting += children[entry.status.identity.number] ?? []
        }
        return members
    }

    private static func isExempt(_ number: Int32) -> Bool { number == 1 || number == getpid() }

    /// How long a process may take from its old program to its new one, on a machine that is busy.
    static let patience = Duration.seconds(1)

    /// The variables with which a process was started, each with a NUL behind it.
    ///
    /// In the middle of execve(2) the new program has no arguments and no environment yet: neither an event nor a lock tells
    /// when it has them, microseconds later unless the machine is busy, so it is read again.
    private static func environment(of number: Int32, until deadline: SuspendingClock.Instant) -> [UInt8]? {
        while true {
            guard let environment = ProcFile.read("/proc/\(number)/environ") else { return nil }
            guard environment.isEmpty, let status = status(of: number), !status.hasEnded, !status.isKernels,
                status.hasVariables != false, .now < deadline
            else { return environment }
            sched_yield()
        }
    }

    static func mark(
        _ prefix: [UInt8], of number: Int32, until deadline: SuspendingClock.Instant = .now.advanced(by: patience)
    ) -> String? {
        guard let environment = environment(of: number, until: deadline) else { return nil }
        return environment.split(separator: 0).first { $0.starts(with: prefix) }
            .map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }
    }
}

extension ProcessStatus {
    fileprivate func belongs(to leader: ProcessIdentity) -> Bool {
        identity == leader || session == leader.number || group == leader.number
    }
}
