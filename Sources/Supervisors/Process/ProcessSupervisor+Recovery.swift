internal import Clocks
internal import Glibc
package import Instances
internal import Logging
internal import Projects
internal import Systemd

/// What a gateway has left behind that was killed.
extension ProcessSupervisor {
    /// Takes over every server that still runs, and ends what is left of the others.
    func recover() async {
        let table = ProcessTable.read(mark: RunMark.run)
        for record in setUp.records.all(report: report) {
            if record.isOfThisBoot {
                guard !adopt(record, in: table) else { continue }
                await endRemains(of: record)
            }
            setUp.records.remove(record.project)
            // There may have been two records of the project.
            keepRecord(of: record.project)
        }
        await endStrays()
        isRecovered = true
    }

    /// Ends every server that a killed gateway has left running as its child; for a gateway whose servers are run by
    /// somebody else, before it starts any: a folder never has two. Throws when another gateway still has them, and keeps
    /// such a gateway from beginning later.
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

    /// Ends servers that a gateway for this very folder has left and of which nothing is written down here: its records
    /// lay elsewhere, or are gone. Never a unit's server, which belongs to its service manager.
    private func endStrays() async {
        // Where the folder can't be locked, their gateway may live.
        guard folderLock != nil, let projects = FolderIdentity(ofFolderAt: setUp.projects)?.text else { return }
        let known = Set(instances.values.map(\.run.id)).union(abandoned)
        for (mark, status) in ProcessTable.read(mark: RunMark.run).beginnings where !known.contains(mark) {
            let number = status.identity.number
            guard ProcessTable.variable(RunMark.projects, of: number) == projects else { continue }
            logger.warning(
                "A server was found of which nothing is written down: it is ended", LogField("pid", number),
                LogField("folder", ProcessTable.workingFolder(of: number)?.path ?? "unknown"))
            let leader = status.session == number ? status.identity : nil
            await endRemains(ofMark: mark, logger) { _ in leader }
        }
    }

    /// False when the server can't be taken over.
    private func adopt(_ record: InstanceRecord, in table: ProcessTable) -> Bool {
        if let instance = instances[record.project] { return instance.run.id == record.run }
        guard let process = leader(of: record, in: table) else { return false }
        let logger = logger.with(LogField("project", record.project.string))
        let child: ChildProcess
        do throws(SystemdError) {
            child = try ChildProcess(
                adopting: process, on: loop, handler: handler(record.project, record.run))
        } catch {
            logger.warning("The instance that was found running can't be taken over and is ended: \(error)")
            return false
        }
        let folder = record.folder ?? ProcessTable.workingFolder(of: process.number).map(FolderIdentity.init)
        let age = Machine.age(ofStart: process.startTime)
        let run = Run(
            id: record.run, processIdentifier: process.number, credentials: record.credentials,
            started: WallClock.nanoseconds() - age.wholeNanoseconds, isFound: true,
            environmentDigest: record.environmentDigest, folder: folder, memory: record.memory)
        var record = record
        (record.process, record.folder) = (process, folder)
        instances[record.project] = ProcessInstance(run: run, child: child, record: record, logger: logger)
        logger.notice("An instance was found running and is taken over", LogField("pid", process.number))
        observer?.supervised(record.project, .launched(run))
        // Without it the announcement may still wait in the pipe.
        if let address = record.address {
            observer?.supervised(
                record.project, .announced(run: run.id, address: address, family: record.memory.family))
        }
        return true
    }

    /// The process of the record, if it still runs. Where the last gateway ended before it could write it down, the one
    /// with the run's mark that leads a session.
    func leader(of record: InstanceRecord, in table: ProcessTable) -> ProcessIdentity? {
        table.entries.first { entry in
            guard !entry.status.hasEnded else { return false }
            if let process = record.process { return entry.status.identity == process }
            return entry.mark == record.run && entry.status.session == entry.status.identity.number
        }?.status.identity
    }

    /// Ends by SIGKILL whatever belongs to a run, and waits until it is gone.
    private func endRemains(of record: InstanceRecord) async {
        await endRemains(ofMark: record.run, logger.with(LogField("project", record.project.string))) { table in
            self.leader(of: record, in: table)
        }
    }

    private func endRemains(
        ofMark mark: String, _ logger: Logger, leader: (ProcessTable) -> ProcessIdentity?
    ) async {
        while true {
            let table = ProcessTable.read(mark: RunMark.run)
            let members = table.members(ofMark: mark, leader: leader(table))
            let handles = members.compactMap { process in
                ProcessHandle(process.identity, on: loop).flatMap { $0.signal(SIGKILL) ? $0 : nil }
            }
            guard !handles.isEmpty else { return }
            let numbers = handles.map { "\($0.identity.number)" }.joined(separator: ", ")
            logger.notice("What an earlier gateway has left running is ended: processes \(numbers)")
            guard await end(of: handles) else {
                logger.error("Of processes \(numbers) some hang in the kernel, and are left alone")
                abandoned.insert(mark)
                return
            }
        }
    }

    /// Waits until all of them have ended; false when that takes too long.
    private func end(of processes: [ProcessHandle]) async -> Bool {
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
