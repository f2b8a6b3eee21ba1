internal import EnvironmentFiles
internal import Instances
internal import Projects
internal import Systemd

/// A server that works in a folder, whoever has started it: a folder never gets a second one.
struct FolderServer: Sendable, Equatable {
    /// Its first process.
    let process: Int32
    /// The unit that it belongs to; nil when it is no unit's.
    let unit: UnitOfProcess?

    /// The server among the processes of `table` that works in that folder; servers with a mark in `ignoring` don't count.
    ///
    /// It is the one that began its mark: what a server has started may work in any folder.
    static func find(
        in folder: FolderIdentity, _ table: ProcessTable, ignoring: Set<String> = [],
        ignoringUnit own: UnitName? = nil
    ) -> FolderServer? {
        for (mark, status) in table.beginnings where !ignoring.contains(mark) {
            let number = status.identity.number
            guard ProcessTable.workingFolder(of: number).map(FolderIdentity.init) == folder else { continue }
            let unit = UnitOfProcess(controlGroups: ProcessTable.controlGroups(of: number) ?? "")
            if let unit, unit.name == own { continue }
            return FolderServer(process: number, unit: unit)
        }
        return nil
    }

    /// Why a start is refused, and what to do, as one sentence.
    var refusal: LaunchError {
        guard let unit else {
            return LaunchError(
                "process \(process) is a server of this folder already, and this gateway has not started it: end it "
                    + "first (`kill \(process)`).")
        }
        let stop = "\(unit.isUsers ? "systemctl --user" : "systemctl") stop \(ShellWord.quoted(unit.name.string))"
        return LaunchError(
            "the unit \(unit.name) serves this folder already (process \(process)): stop it first (`\(stop)`).")
    }

    /// Why a start is refused where another project's name leads to the same folder.
    static func refusal(by other: ProjectName) -> LaunchError {
        LaunchError(
            "the project \(other) is the same folder, and its server runs: use that project, or stop it first.")
    }
}

/// The unit of a project that a process belongs to.
struct UnitOfProcess: Sendable, Equatable {
    /// Which unit.
    let name: UnitName
    /// Whether it is one of the user's own manager.
    let isUsers: Bool

    /// Out of the process's control groups (cgroups(7), /proc/PID/cgroup); nil when it is in none of a project's unit.
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
    /// The folder in which a process works.
    init(_ folder: WorkingFolder) { self.init(device: folder.device, inode: folder.inode) }
}

extension ProcessTable {
    /// Where a server's first process works, as ``Supervisor/workingFolder(of:)`` tells it.
    static func serverFolder(of number: Int32) -> (identity: FolderIdentity, path: String)? {
        workingFolder(of: number).map { (FolderIdentity($0), $0.path) }
    }
}

/// What the environment of a server, and of all that it starts, tells of it: by that they are found when they have left
/// the process group, and when the gateway that started them is gone.
enum RunMark {
    /// The run's id.
    static let run = "VIBEREMOTE_RUN"
    /// The projects' folder (``FolderIdentity/text``) of the gateway that runs it as its child; not in units, which belong
    /// to their service manager.
    static let projects = "VIBEREMOTE_PROJECTS"
}
