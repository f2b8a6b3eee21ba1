internal import EnvironmentFiles
internal import Instances
package import Projects
internal import Sodium
package import Systemd

/// What a unit's process has to do before it becomes its project's OpenCode server: find the folder, read the environment
/// files, make the password, and leave a record that only the gateway finds.
package struct UnitLaunch: Sendable {
    /// What to become.
    package let command: ChildCommand
    /// Lines of the environment files that have no effect.
    package let warnings: [String]

    private let project: ProjectName
    private let records: InstanceRecordStore

    /// For the unit's instance, its `%i`. `setUp` is what child processes get, its records those of units.
    package init(
        instance: String, projects: DiskProjectReader, setUp: ProcessSetUp
    ) throws(UnitLaunchError) {
        let folder = try Self.folder(instance, projects)
        let environment: InstanceEnvironment
        do throws(LaunchError) {
            environment = try InstanceEnvironment.load(
                project: folder.name, home: setUp.userHome, base: setUp.environment)
        } catch {
            throw UnitLaunchError(.misconfigured, error.description)
        }
        let own: [String]?
        do throws(LaunchError) { own = try environment.command } catch {
            throw UnitLaunchError(.misconfigured, error.description)
        }
        let credentials = environment.credentials(withOwnPassword: setUp.givesPasswords)
        // systemd gives every run of a unit an identifier of its own (systemd.exec(5), $INVOCATION_ID).
        let run = setUp.environment["INVOCATION_ID"].flatMap { $0.isEmpty ? nil : $0 } ?? RandomBytes.hex(16)
        var variables = environment.variables(credentials: credentials, directory: folder.path)
        variables[RunMark.run] = run
        command = ChildCommand(
            words: InstanceCommand.words(own ?? setUp.command, from: FilePath.workingFolder ?? ""),
            environment: variables, directory: folder.path)
        warnings = environment.ignoredLines.map(\.description)
        project = folder.name
        records = setUp.records
        try leave(
            InstanceRecord(
                project: project, run: run, process: ProcessTable.status(of: ProcessTable.ownNumber)?.identity,
                credentials: credentials, environmentDigest: environment.digest,
                folder: FolderIdentity(ofFolderAt: folder.path)))
    }

    /// Becomes OpenCode; returns only when that is not possible, and takes the record back then.
    package func become() -> UnitLaunchError {
        let error = ProcessReplacement.become(command)
        records.remove(project)
        return UnitLaunchError(
            .misconfigured,
            "\(command.words[0]) could not be run in \(command.directory): \(error.reason). Check that it is installed, on "
                + "the unit's PATH or named with its full path by VIBE_OPENCODE in the gateway's settings or in the "
                + "project's env.d file, and that the folder can be entered.")
    }

    private func leave(_ record: InstanceRecord) throws(UnitLaunchError) {
        // The gateway would lose the password of a server that runs, and a second one would serve the folder.
        if let other = records.read(project), other.isOfThisBoot, let process = other.process,
            process != record.process, let status = ProcessTable.status(of: process.number),
            status.identity == process, !status.hasEnded
        {
            throw UnitLaunchError(
                .running, "\(project) is served already, by process \(process.number). Stop that one first.")
        }
        if let folder = record.folder,
            let server = FolderServer.find(
                in: folder, ProcessTable.read(mark: RunMark.run), ignoringUnit: try? UnitName(project))
        {
            throw UnitLaunchError(.running, "\(project) can't be served: \(server.refusal.description)")
        }
        do throws(InstanceRecordError) {
            try records.prepare()
            try records.write(record)
        } catch {
            throw UnitLaunchError(.system, error.description)
        }
    }

    private static func folder(
        _ instance: String, _ projects: DiskProjectReader
    ) throws(UnitLaunchError) -> ProjectFolder {
        if let project = UnitName.project(instance: instance) {
            if let folder = projects.folder(named: project) { return folder }
            throw UnitLaunchError(
                .misconfigured, "There is no project \(project): \(projects.path) (HOME_DIR) has no such folder.")
        }
        // Somebody has written the folder's name without systemd's escaping.
        let hint = ProjectName(instance).flatMap { try? UnitName($0) }.map { unit in
            " If it is the folder's name, its unit is \(ShellWord.quoted(unit.string))."
        }
        throw UnitLaunchError(
            .misconfigured, "\"\(instance)\" is no folder's name in systemd's escaping (systemd-escape).\(hint ?? "")")
    }
}

/// Why a unit's process can't become its project's OpenCode server.
package struct UnitLaunchError: Error, Equatable, CustomStringConvertible {
    /// The kinds of it.
    package enum Kind: Sendable, Equatable {
        /// Settings, project or environment files are wrong: another try would fail too.
        case misconfigured
        /// Another process serves the project.
        case running
        /// The system has refused something.
        case system
    }

    /// Which kind it is.
    package let kind: Kind
    /// One sentence that says what to do.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
