// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles
internal import Instances
internal import Projects
internal import Systemd

/// A server that works in a project's folder, regardless of the program that started the server. The gateway never
/// starts a second server in the same folder.
struct FolderServer: Sendable, Equatable {
    /// The first process of the server.
    let process: Int32
    /// The unit to which the server belongs; nil if it belongs to no project's unit.
    let unit: UnitOfProcess?

    /// Returns the server in the table that works in the given folder. Ignores servers whose run is in `ignoring`, and
    /// servers of the unit `ignoredUnit`.
    ///
    /// Considers only the first process of each run, because the descendants of a server may work in any folder.
    static func find(
        in folder: FolderIdentity, _ table: ProcessTable, ignoring: Set<String> = [],
        ignoringUnit ignoredUnit: UnitName? = nil
    ) -> FolderServer? {
        for (marker, status) in table.beginnings where !ignoring.contains(marker) {
            let number = status.identity.number
            guard ProcessTable.workingFolder(of: number).map(FolderIdentity.init) == folder else { continue }
            let unit = UnitOfProcess(controlGroups: ProcessTable.controlGroups(of: number) ?? "")
            if let unit, unit.name == ignoredUnit { continue }
            return FolderServer(process: number, unit: unit)
        }
        return nil
    }

    /// The reason for rejecting a start, as a message that includes the fix.
    var refusal: LaunchError {
        guard let unit else {
            return LaunchError(
                "process \(process), which this gateway did not start, already serves this folder. End that process "
                    + "first (`kill \(process)`).")
        }
        let stop = "\(unit.isUsers ? "systemctl --user" : "systemctl") stop \(ShellWord.quoted(unit.name.string))"
        return LaunchError(
            "the unit \(unit.name) already serves this folder (process \(process)). Stop the unit first (`\(stop)`).")
    }

    /// Returns the error for a start that is rejected because another running project has the same folder.
    static func refusal(by other: ProjectName) -> LaunchError {
        LaunchError(
            "the project \(other) is the same folder and already runs. Use that project, or stop it first.")
    }
}

/// The project's unit to which a process belongs.
struct UnitOfProcess: Sendable, Equatable {
    /// The name of the unit.
    let name: UnitName
    /// Whether the unit belongs to the user's own service manager.
    let isUsers: Bool

    /// Finds the unit in the process's control groups. The argument is the content of `/proc/PID/cgroup` (cgroups(7)).
    /// Returns nil if none of these groups belongs to a project's unit.
    init?(controlGroups: String) {
        for line in controlGroups.split(separator: "\n") {
            let parts = line.split(separator: "/")
            guard let name = parts.lazy.compactMap({ UnitName(unit: String($0)) }).last else { continue }
            self.name = name
            isUsers = parts.contains { $0.hasPrefix("user@") && $0.hasSuffix(".service") }
            return
        }
        return nil
    }
}

extension FolderIdentity {
    /// Creates the identity of a process's working directory.
    init(_ folder: WorkingFolder) { self.init(device: folder.device, inode: folder.inode) }
}

extension ProcessTable {
    /// Returns the working directory of a server's first process, as ``Supervisor/workingFolder(of:)`` specifies.
    static func serverFolder(of number: Int32) -> (identity: FolderIdentity, path: String)? {
        workingFolder(of: number).map { (FolderIdentity($0), $0.path) }
    }
}

/// The environment variables that mark a server and all its descendants. With the marks, a gateway can find processes
/// that have left the process group, or whose gateway no longer exists.
enum RunMarker {
    /// The ID of the run.
    static let run = "VIBEREMOTE_RUN"
    /// The home directory (``FolderIdentity/text``) of the gateway that runs the server as its child. The variable is
    /// not set in units, because units belong to their service manager.
    static let projects = "VIBEREMOTE_PROJECTS"
}
