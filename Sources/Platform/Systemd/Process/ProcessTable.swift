// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A snapshot of the machine's processes, with their parents and the marks in their environments.
///
/// Every process started with its parent's environment inherits a mark, even one that has left the process group and
/// whose parent has ended. This makes it possible to find such a process again.
package struct ProcessTable: Sendable {
    /// A process of the snapshot.
    package struct Entry: Sendable {
        /// The kernel's status of the process.
        package let status: ProcessStatus
        /// The value of the mark in the process's environment; nil if there is none, or if the process belongs to
        /// another user.
        package let marker: String?

        /// Creates an entry for tests.
        package init(status: ProcessStatus, marker: String?) {
            self.status = status
            self.marker = marker
        }
    }

    /// All processes in no particular order.
    package let entries: [Entry]

    /// Creates a snapshot of these processes.
    package init(_ entries: [Entry]) { self.entries = entries }

    /// Returns a snapshot of the current processes.
    ///
    /// This takes about 50 µs for each process of the machine. A process that starts in the meantime may be missing.
    ///
    /// - Parameter variable: The name of the environment variable that holds the mark.
    package static func snapshot(marker variable: String) -> ProcessTable {
        let prefix = Array("\(variable)=".utf8)
        // All processes share one deadline, because a process can remove its variables permanently.
        let deadline = SuspendingClock.now.advanced(by: patience)
        return ProcessTable(
            ProcFile.processes().compactMap { number in
                status(of: number).map { Entry(status: $0, marker: marker(prefix, of: number, until: deadline)) }
            })
    }

    /// The number of the calling process.
    package static var currentProcess: Int32 { getpid() }

    /// Returns the kernel's status of the process that has this number now; nil if there is none.
    package static func status(of number: Int32) -> ProcessStatus? {
        ProcFile.read("/proc/\(number)/stat").flatMap { ProcessStatus($0) }
    }

    /// Returns the real user id of a process, or nil if there is no such process or it may not be seen (proc(5),
    /// `hidepid=`).
    ///
    /// The owner of /proc/PID is not suitable, because it is root for a process that is not dumpable.
    package static func realUser(of number: Int32) -> UInt32? {
        guard let bytes = ProcFile.read("/proc/\(number)/status") else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
        return line.flatMap { UInt32($0.dropFirst(4).split(whereSeparator: \.isWhitespace).first ?? "") }
    }

    /// Whether a process has this number and has not ended.
    package static func isRunning(_ number: Int32) -> Bool { status(of: number).map { !$0.hasEnded } ?? false }

    /// Returns every running process of the run with this mark, including its leader: the processes that carry the
    /// mark, those in the leader's session or group, and all their descendants. Never includes the calling process or
    /// process 1.
    ///
    /// - Parameters:
    ///   - marker: The mark of the run.
    ///   - leader: The leader; nil once its number may have been reused, because sessions and groups then prove
    ///     nothing.
    ///   - known: The processes that were previously found to be part of the run.
    package func members(
        withMarker marker: String, leader: ProcessIdentity?, known: Set<ProcessIdentity> = []
    ) -> [ProcessStatus] {
        let alive = entries.filter { !$0.status.hasEnded && !Self.isExempt($0.status.identity.number) }
        let children = Dictionary(grouping: alive, by: \.status.parent)
        var found: Set<ProcessIdentity> = []
        var members: [ProcessStatus] = []
        var waiting = alive.filter { entry in
            entry.marker == marker || known.contains(entry.status.identity)
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

    /// The maximum time that a process may take for execve(2) on a busy machine.
    static let patience = Duration.seconds(1)

    /// Returns the variables with which a process was started, each followed by a NUL.
    ///
    /// During execve(2) the new program has no arguments and no environment yet. This takes microseconds unless the
    /// machine is busy, and neither an event nor a lock shows when it is over. Therefore the file is read repeatedly.
    private static func environment(of number: Int32, until deadline: SuspendingClock.Instant) -> [UInt8]? {
        while true {
            guard let environment = ProcFile.read("/proc/\(number)/environ") else { return nil }
            guard environment.isEmpty, let status = status(of: number), !status.hasEnded, !status.isKernels,
                status.hasVariables != false, .now < deadline
            else { return environment }
            sched_yield()
        }
    }

    static func marker(
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
