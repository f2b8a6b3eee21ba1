// SPDX-License-Identifier: Apache-2.0

internal import Instances
internal import Logging
internal import Projects
internal import Systemd

/// Ensures that a folder never has two servers, regardless of the program that has started the first server and of the
/// path to the folder.
extension ProcessSupervisor {
    /// Returns the identity of the folder. Throws an error if a server already works in the folder, even if the gateway
    /// did not start that server.
    func requireVacant(_ folder: ProjectFolder) throws(LaunchError) -> FolderIdentity? {
        guard isRecovered else {
            throw LaunchError("the gateway is still looking for servers of an earlier gateway. Try again in a moment.")
        }
        guard instances[folder.name] == nil else {
            throw LaunchError("a server of this project still runs. Try again in a moment.")
        }
        let table = ProcessTable.snapshot(marker: RunMarker.run)
        if let record = setUp.records.read(folder.name, report: report), record.isOfThisBoot,
            let process = leader(of: record, in: table)
        {
            throw LaunchError(
                "process \(process.number), which this gateway did not start, already serves this project. End that process "
                    + "first (`kill \(process.number)`), or restart the gateway, which then takes the process over.")
        }
        guard let identity = FolderIdentity(ofFolderAt: folder.path) else { return nil }
        if let other = instances.first(where: { $0.value.record.folder == identity })?.key {
            throw FolderServer.refusal(by: other)
        }
        let ours = Set(instances.values.map(\.run.id))
        if let server = FolderServer.find(in: identity, table, ignoring: ours.union(abandoned)) { throw server.refusal }
        return identity
    }

    /// Acquires the locks that exclude other gateways from these projects.
    ///
    /// If the previous gateway was killed during a start, its child holds the locks until the child calls execve(2).
    /// The method waits for this call. After the call, the gateway can find the child by its mark.
    func takeLocks(
        _ take: (isolated ProcessSupervisor) throws(InstanceRecordError) -> Void
    ) async throws(LaunchError) {
        let start = SuspendingClock.now
        var hasReported = false
        while true {
            do throws(InstanceRecordError) { return try take(self) } catch {
                lock = nil
                folderLock = nil
                guard let holder = error.endedHolder, !ignoresEndedHolder else { throw LaunchError(error.description) }
                // A gateway's child needs less time to execute its program. A lock that is held for longer counts as
                // another user's lock.
                ignoresEndedHolder = start.duration(to: .now) >= Self.patience
                if !hasReported {
                    logger.notice(
                        "waiting for a server that an earlier gateway was starting", LogField("gateway_pid", holder))
                }
                hasReported = true
            }
            await pause()
        }
    }

    /// Locks the home directory. If this is impossible, only the private directory of the records is locked.
    func takeFolderLock(_ kind: FolderLock.Kind) throws(InstanceRecordError) {
        switch try FolderLock.acquire(setUp.projects, kind, ignoresEndedHolder: ignoresEndedHolder) {
        case .locked(let lock): folderLock = lock
        case .unsupported: if kind == .exclusive { warnOfFolder() }
        case .lockedByOtherUser(let process):
            logger.warning(
                "another user has locked the home directory, so a second gateway of this user can start",
                LogField("home", setUp.projects), LogField("pid", process.map { "\($0)" } ?? "unknown"))
        }
    }

    private func pause() async {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let timer = try? loop.timer(after: .milliseconds(10)) { continuation.finish() }
        guard timer != nil else { return }
        for await _ in ends {}
        withExtendedLifetime(timer) {}
    }

    /// Logs a problem with a record.
    func report(_ problem: String) {
        logger.warning("cannot use an instance record", LogField("reason", problem))
    }

    /// Logs that the home directory cannot be locked.
    func warnOfFolder() {
        logger.warning(
            "cannot lock the home directory, so a second gateway with another XDG_RUNTIME_DIR can start",
            LogField("home", setUp.projects))
    }
}
