// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Glibc
package import Instances
internal import Logging
internal import Projects
internal import Systemd

/// Handles the servers that a killed gateway left running.
extension ProcessSupervisor {
    /// Takes over every recorded server that still runs. For all other recorded servers, ends the remaining processes.
    func recover() async {
        let records = setUp.records.all(report: report)
        // Read the process table only if there are records of this boot, because reading it delays the gateway's start.
        let table =
            records.contains(where: \.isOfThisBoot) ? ProcessTable.snapshot(marker: RunMarker.run) : ProcessTable([])
        for record in records {
            if record.isOfThisBoot {
                guard !adopt(record, in: table) else { continue }
                await endRemains(of: record)
            }
            setUp.records.remove(record.project)
            // The project may have had two records, and `remove` removes both. Write the record of the running server
            // again.
            keepRecord(of: record.project)
        }
        await endStrays()
        isRecovered = true
    }

    /// Ends every server that a killed gateway left running as its child. A gateway whose servers run under another
    /// supervisor calls this method before it starts any server, so that a folder never has two servers.
    ///
    /// Throws an error if another gateway still manages these servers. Prevents a gateway with child processes from
    /// starting later.
    package func endLeftovers() async throws(LaunchError) {
        try await takeLocks { (supervisor) throws(InstanceRecordError) in
            try supervisor.takeFolderLock(.shared)
            if supervisor.setUp.records.exists { supervisor.lock = try supervisor.setUp.records.lock() }
        }
        for record in setUp.records.all(report: report) {
            if record.isOfThisBoot { await endRemains(of: record) }
            setUp.records.remove(record.project)
        }
        await endStrays()
        lock = nil
    }

    /// Ends the servers that a gateway for the same home directory left running and that have no record here. The
    /// records of these servers are elsewhere or no longer exist. A unit's server is never ended, because it belongs to
    /// its service manager.
    private func endStrays() async {
        // Without a lock on the home directory, do not end these servers, because their gateway may still be running.
        guard folderLock != nil, let projects = FolderIdentity(ofFolderAt: setUp.projects)?.text else { return }
        let known = Set(instances.values.map(\.run.id)).union(abandoned)
        for (marker, status) in ProcessTable.snapshot(marker: RunMarker.run).beginnings where !known.contains(marker) {
            let number = status.identity.number
            guard ProcessTable.variable(RunMarker.projects, of: number) == projects else { continue }
            logger.warning(
                "ending a server that has no record", LogField("pid", number),
                LogField("folder", ProcessTable.workingFolder(of: number)?.path ?? "unknown"))
            let leader = status.session == number ? status.identity : nil
            await endRemains(withMarker: marker, logger) { _ in leader }
        }
    }

    /// Takes over a record's server. Returns false if the server cannot be taken over.
    private func adopt(_ record: InstanceRecord, in table: ProcessTable) -> Bool {
        if let instance = instances[record.project] { return instance.run.id == record.run }
        guard let process = leader(of: record, in: table) else { return false }
        let logger = logger.with(LogField("project", record.project.string))
        let child: ChildProcess
        do throws(SystemdError) {
            child = try ChildProcess(
                adopting: process, on: loop, handler: handler(record.project, record.run))
        } catch {
            logger.warning("cannot adopt a running instance, so the gateway ends it", LogField("reason", "\(error)"))
            return false
        }
        let folder = record.folder ?? ProcessTable.workingFolder(of: process.number).map(FolderIdentity.init)
        let age = Machine.age(ofStart: process.startTime)
        let run = Run(
            id: record.run, processIdentifier: process.number, credentials: record.credentials,
            started: WallClock.nanoseconds() - age.wholeNanoseconds, isFound: true,
            environmentDigest: record.environmentDigest, folder: folder, memory: record.memory)
        var record = record
        record.process = process
        record.folder = folder
        instances[record.project] = ProcessInstance(run: run, child: child, record: record, logger: logger)
        logger.notice("adopted a running instance", LogField("pid", process.number))
        observer?.supervised(record.project, .launched(run))
        // If the record has no address, report no address, because the server's announcement may still be in the pipe.
        if let address = record.address {
            observer?.supervised(
                record.project, .announced(run: run.id, address: address, family: record.memory.family))
        }
        return true
    }

    /// Returns the record's process if it still runs. If the record contains no process, because the last gateway ended
    /// before it could record one, returns the session leader with the run's mark.
    func leader(of record: InstanceRecord, in table: ProcessTable) -> ProcessIdentity? {
        table.entries.first { entry in
            guard !entry.status.hasEnded else { return false }
            if let process = record.process { return entry.status.identity == process }
            return entry.marker == record.run && entry.status.session == entry.status.identity.number
        }?.status.identity
    }

    /// Kills all processes of a run with SIGKILL, and waits for their end. Stops waiting after ``patience``.
    private func endRemains(of record: InstanceRecord) async {
        await endRemains(withMarker: record.run, logger.with(LogField("project", record.project.string))) { table in
            self.leader(of: record, in: table)
        }
    }

    private func endRemains(
        withMarker marker: String, _ logger: Logger, leader: (ProcessTable) -> ProcessIdentity?
    ) async {
        while true {
            let table = ProcessTable.snapshot(marker: RunMarker.run)
            let members = table.members(withMarker: marker, leader: leader(table))
            let handles = members.compactMap { process in
                ProcessHandle(process.identity, on: loop).flatMap { $0.signal(SIGKILL) ? $0 : nil }
            }
            guard !handles.isEmpty else { return }
            let numbers = handles.map { "\($0.identity.number)" }.joined(separator: ",")
            logger.notice("ending processes of an earlier gateway", LogField("pids", numbers))
            guard await waitForEnd(of: handles) else {
                logger.error("processes of an earlier gateway do not end after SIGKILL", LogField("pids", numbers))
                abandoned.insert(marker)
                return
            }
        }
    }

    /// Waits until all processes have ended. Returns false if they do not end in time.
    private func waitForEnd(of processes: [ProcessHandle]) async -> Bool {
        let (ends, continuation) = AsyncStream.makeStream(of: Bool.self)
        let deadline = try? loop.timer(after: Self.patience) { continuation.yield(false) }
        defer { withExtendedLifetime(deadline) {} }
        for process in processes {
            do throws(SystemdError) {
                try process.watchEnd { continuation.yield(true) }
            } catch {
                continuation.yield(true)
            }
        }
        var missing = processes.count
        for await hasEnded in ends {
            guard hasEnded else { return false }
            missing -= 1
            if missing == 0 { break }
        }
        return true
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
