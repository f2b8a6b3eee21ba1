// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles
internal import Instances
package import Projects
internal import Sodium
package import Systemd

/// The preparation for turning a unit's process into its project's OpenCode server. The preparation finds the folder,
/// reads the environment files, creates the password, and writes the record for the gateway.
package struct UnitLaunch: Sendable {
    /// The command that replaces the unit's process.
    package let command: ChildCommand
    /// The lines of the environment files that have no effect.
    package let warnings: [String]

    private let project: ProjectName
    private let records: InstanceRecordStore

    /// Prepares the launch of a unit.
    ///
    /// - Parameters:
    ///   - instance: The unit's instance name (`%i`).
    ///   - setUp: The same set-up as for child processes, but with the store for units' records.
    package init(
        instance: String, projects: DiskProjectReader, setUp: ProcessSetUp
    ) throws(UnitLaunchError) {
        let folder = try Self.folder(instance, projects)
        let environment: InstanceEnvironment
        do throws(LaunchError) {
            environment = try InstanceEnvironment.load(
                project: folder.name, home: setUp.userHome, base: setUp.environment, data: setUp.data)
            try environment.prepareDataFolder()
        } catch {
            throw UnitLaunchError(.misconfigured, error.description)
        }
        let projectCommand: [String]?
        do throws(LaunchError) { projectCommand = try environment.command } catch {
            throw UnitLaunchError(.misconfigured, error.description)
        }
        let credentials = environment.credentials(withGatewayPassword: setUp.setsPasswords)
        // Use the unique ID that systemd assigns to each run of a unit (systemd.exec(5), `$INVOCATION_ID`).
        let run = setUp.environment["INVOCATION_ID"].flatMap { $0.isEmpty ? nil : $0 } ?? RandomBytes.hex(16)
        var variables = environment.variables(credentials: credentials, directory: folder.path)
        variables[RunMarker.run] = run
        command = ChildCommand(
            words: InstanceCommand.words(projectCommand ?? setUp.command, from: FilePath.workingFolder ?? ""),
            environment: variables, directory: folder.path)
        warnings = environment.ignoredLines.map(\.description)
        project = folder.name
        records = setUp.records
        try write(
            InstanceRecord(
                project: project, run: run, process: ProcessTable.status(of: ProcessTable.currentProcess)?.identity,
                credentials: credentials, environmentDigest: environment.digest,
                folder: FolderIdentity(ofFolderAt: folder.path)))
    }

    /// Executes OpenCode in this process. If this fails, removes the record and returns the error.
    package func become() -> UnitLaunchError {
        let error = ProcessReplacement.become(command)
        records.remove(project)
        return UnitLaunchError(
            .misconfigured,
            "Cannot run \(command.words[0]) in \(command.directory): \(error.reason). Check that the command is installed and "
                + "on the unit's PATH, or set VIBE_OPENCODE in the gateway's settings or in the project's env.d file to its "
                + "full path, and check that the unit's user may enter the folder.")
    }

    private func write(_ record: InstanceRecord) throws(UnitLaunchError) {
        // Reject the start if a server of the project runs. Overwriting the record would lose the password of the
        // running server, and a second server would serve the folder.
        if let other = records.read(project), other.isOfThisBoot, let process = other.process,
            process != record.process, let status = ProcessTable.status(of: process.number),
            status.identity == process, !status.hasEnded
        {
            throw UnitLaunchError(
                .running, "Process \(process.number) already serves \(project). Stop that process first.")
        }
        if let folder = record.folder,
            let server = FolderServer.find(
                in: folder, ProcessTable.snapshot(marker: RunMarker.run), ignoringUnit: try? UnitName(project))
        {
            throw UnitLaunchError(.running, "Cannot serve \(project): \(server.refusal.description)")
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
                .misconfigured,
                "There is no project \(project), because \(projects.path) (HOME_DIR) has no such folder.")
        }
        // The instance part may be a folder's name without systemd's escaping. Add the name of the correct unit to the
        // error.
        let hint = ProjectName(instance).flatMap { try? UnitName($0) }.map { unit in
            " To serve the folder with this name, use the unit \(ShellWord.quoted(unit.string))."
        }
        throw UnitLaunchError(
            .misconfigured,
            "\"\(instance)\" is not a folder's name in systemd's escaping (systemd-escape).\(hint ?? "")")
    }
}

/// The reason why a unit's process cannot execute its project's OpenCode server.
package struct UnitLaunchError: Error, Equatable, CustomStringConvertible {
    /// The kinds of launch errors.
    package enum Kind: Sendable, Equatable {
        /// The settings, the project or the environment files are invalid. A retry would also fail.
        case misconfigured
        /// Another process already serves the project.
        case running
        /// A system call failed.
        case system
    }

    /// The kind of the error.
    package let kind: Kind
    /// A message that describes the problem.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
