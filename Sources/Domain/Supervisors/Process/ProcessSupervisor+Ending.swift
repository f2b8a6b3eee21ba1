// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Instances
internal import Logging
package import Projects
internal import Systemd

/// Ends servers with all their descendants. Some descendants are outside the server's process group, because OpenCode
/// starts each shell command in its own session.
extension ProcessSupervisor {
    /// The maximum time to wait for processes to end after SIGKILL.
    static let patience = Duration.seconds(5)

    /// Sends SIGTERM once to all processes of the server.
    func requestEnd(of project: ProjectName) {
        guard let instance = instances[project], !instance.isStopRequested else { return }
        instances[project]?.isStopRequested = true
        // Find the other processes first, because they can no longer be found after the leader has ended.
        let others = members(of: project).filter { $0.group != instance.child.identity.number }
        instance.child.signalGroup(SIGTERM)
        for other in others { _ = ProcessHandle(other.identity, on: loop)?.signal(SIGTERM) }
    }

    /// Sends SIGKILL to all processes of the server.
    func forceEnd(of project: ProjectName) {
        guard instances[project] != nil else { return }
        instances[project]?.isStopRequested = true
        instances[project]?.isKilling = true
        sweep(project)
    }

    /// Finds the remaining processes of a server and, if necessary, kills them. When no process remains, reports the
    /// server's end.
    ///
    /// After a requested stop, the server's descendants may end by themselves until `kill` is called. After an
    /// unrequested end, the descendants are killed immediately, because the next server may need their ports and files.
    func sweep(_ project: ProjectName) {
        guard let instance = instances[project] else { return }
        let kills = instance.isKilling || (instance.hasEnded && !instance.isStopRequested)
        var left = members(of: project)
        if kills { instance.child.signalGroup(SIGKILL) }
        if instance.hasEnded { left.removeAll { $0.identity == instance.child.identity } }
        let handles = left.compactMap { signal(kills ? SIGKILL : 0, to: $0, instance.logger) }
        guard instance.hasEnded else { return }
        instances[project]?.remainder = handles
        guard !handles.isEmpty else { return finish(project) }
        watch(handles, of: project, run: instance.run.id)
        if kills, instance.deadline == nil { setDeadline(project, run: instance.run.id) }
    }

    /// Sends a signal to a process. Returns nil if the process has already ended, or if it cannot be signalled because
    /// it runs as another user.
    private func signal(_ number: Int32, to process: ProcessStatus, _ logger: Logger) -> ProcessHandle? {
        guard let handle = ProcessHandle(process.identity, on: loop) else { return nil }
        if handle.signal(number) { return handle }
        logger.warning("cannot end a process of another user", LogField("pid", process.identity.number))
        return nil
    }

    /// Returns whether the project's child or one of its descendants has this number in its own PID namespace.
    package nonisolated func hasProcess(_ number: Int32, of project: ProjectName) -> Bool? {
        assumeIsolated { supervisor in
            guard let instance = supervisor.instances[project] else { return nil }
            // The first process nearly always has the number. Check it before a search through all processes.
            let first = instance.child.identity.number
            if ProcessTable.innermostNumber(of: first) == number { return true }
            return ProcessTable.hasNumber(number, among: supervisor.members(of: project).map(\.identity.number))
        }
    }

    /// Returns the working directory of the project's child.
    package nonisolated func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? {
        assumeIsolated { supervisor in
            supervisor.instances[project].flatMap { ProcessTable.serverFolder(of: $0.child.identity.number) }
        }
    }

    private func members(of project: ProjectName) -> [ProcessStatus] {
        guard let instance = instances[project] else { return [] }
        let members = ProcessTable.snapshot(marker: RunMarker.run)
            .members(withMarker: instance.run.id, leader: instance.leader, known: instance.known)
        instances[project]?.known.formUnion(members.map(\.identity))
        return members
    }

    /// Searches again when all of these processes have ended, because they may have started other processes.
    private func watch(_ handles: [ProcessHandle], of project: ProjectName, run: String) {
        for handle in handles {
            let identity = handle.identity
            do throws(SystemdError) {
                try handle.watchEnd { [weak self] in
                    self?.assumeIsolated { $0.recordEnd(theEndOf: identity, of: project, run: run) }
                }
            } catch {
                logger.error("cannot watch a process", LogField("reason", "\(error)"))
                recordEnd(theEndOf: identity, of: project, run: run)
            }
        }
    }

    private func recordEnd(theEndOf process: ProcessIdentity, of project: ProjectName, run: String) {
        guard instances[project]?.run.id == run else { return }
        instances[project]?.remainder.removeAll { $0.identity == process }
        if instances[project]?.remainder.isEmpty == true { sweep(project) }
    }

    private func setDeadline(_ project: ProjectName, run: String) {
        instances[project]?.deadline = try? loop.timer(after: Self.patience) { [weak self] in
            self?.assumeIsolated { $0.abandon(project, run: run) }
        }
    }

    /// Stops waiting for the remaining processes. A process that does not end after SIGKILL is blocked in the kernel
    /// and processes no requests.
    private func abandon(_ project: ProjectName, run: String) {
        guard let instance = instances[project], instance.run.id == run, instance.hasEnded else { return }
        let numbers = instance.remainder.map { "\($0.identity.number)" }.joined(separator: ",")
        instance.logger.error("processes of an ended instance do not end after SIGKILL", LogField("pids", numbers))
        abandoned.insert(run)
        finish(project)
    }

    private func finish(_ project: ProjectName) {
        guard let child = instances[project]?.child else { return }
        // `collect` delivers the last output, so call it before `finishOutput`.
        let exit = child.collect()
        instances[project]?.finishOutput()
        guard let instance = instances.removeValue(forKey: project) else { return }
        lastTails[project] = instance.tail
        setUp.records.remove(project)
        observer?.supervised(
            project,
            .exited(
                run: instance.run.id, how: exit.description, tail: instance.tail,
                next: instance.isStopRequested ? .stopped : .failed))
    }
}
