// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A snapshot of the machine's processes, with their parents and the markers in their environments.
///
/// A marker is the value of an environment variable that identifies a run. Every process that is started with its
/// parent's environment inherits the marker. The marker therefore also identifies a process that has left the process
/// group and whose parent has ended.
package struct ProcessTable: Sendable {
    /// A process of the snapshot.
    package struct Entry: Sendable {
        /// The kernel's status of the process.
        package let status: ProcessStatus
        /// The marker in the process's environment; nil if there is none, or if the process belongs to another user.
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
    /// The snapshot takes about 50 µs for each process of the machine. A process that starts in the meantime may be
    /// missing.
    ///
    /// - Parameter variable: The name of the environment variable that contains the marker.
    package static func snapshot(marker variable: String) -> ProcessTable {
        let prefix = Array("\(variable)=".utf8)
        // All processes share one deadline. With separate deadlines, each process that has removed its variables would
        // take the full time.
        let deadline = SuspendingClock.now.advanced(by: patience)
        return ProcessTable(
            ProcFile.processes().compactMap { number in
                status(of: number).map { Entry(status: $0, marker: marker(prefix, of: number, until: deadline)) }
            })
    }

    /// The number of the calling process.
    package static var currentProcess: Int32 { getpid() }

    /// Returns the kernel's status of the process that currently has this number; nil if there is none.
    package static func status(of number: Int32) -> ProcessStatus? {
        ProcFile.read("/proc/\(number)/stat").flatMap { ProcessStatus($0) }
    }

    /// Returns the real user id of a process, or nil if there is no such process or the kernel hides it (proc(5),
    /// `hidepid=`).
    ///
    /// The owner of `/proc/PID` is unsuitable, because root owns this directory for a process that is not dumpable.
    package static func realUser(of number: Int32) -> UInt32? {
        guard let bytes = ProcFile.read("/proc/\(number)/status") else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
        return line.flatMap { UInt32($0.dropFirst(4).split(whereSeparator: \.isWhitespace).first ?? "") }
    }

    /// Returns whether a process has this number and has not ended.
    package static func isRunning(_ number: Int32) -> Bool { status(of: number).map { !$0.hasEnded } ?? false }

    /// Returns every running process of the run with this marker, including the run's leader. The result consists of
    /// the processes with the marker, the processes in the leader's session or group, and all their descendants. Never
    /// includes the calling process or process 1.
    ///
    /// - Parameters:
    ///   - marker: The marker of the run.
    ///   - leader: The run's leader; nil if its number may have been reused, because the numbers of the session and the
    ///     group are then unreliable.
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
    /// During execve(2), the new program has no arguments and no environment yet. This state lasts for microseconds, or
    /// longer on a busy machine. Neither an event nor a lock shows the end of this state, so the file is read
    /// repeatedly.
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
