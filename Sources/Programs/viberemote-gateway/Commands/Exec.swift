// SPDX-License-Identifier: Apache-2.0

internal import Projects
import Settings
internal import Supervisors

/// The command `exec`, which replaces its process with the OpenCode server of a unit's instance.
enum Exec {
    /// Executes the server. Returns the exit code (sysexits.h) only if the execution fails.
    static func run(instance: String, _ configuration: Configuration) -> Int32 {
        let environment = Environment.variables
        let userHome = Environment.homeFolder
        let setUp = ProcessSetUp(
            command: configuration.opencode, environment: environment, userHome: userHome, projects: configuration.home,
            data: configuration.isolatedData, setsPasswords: configuration.instances.setsPasswords,
            records: .units(environment: environment, userHome: userHome))
        for notice in configuration.notices { StandardStreams.writeError(notice) }
        let error: UnitLaunchError
        do throws(UnitLaunchError) {
            let launch = try UnitLaunch(
                instance: instance,
                projects: DiskProjectReader(
                    home: configuration.home, followsLinks: configuration.projects.followsLinks), setUp: setUp)
            for warning in launch.warnings { StandardStreams.writeError(warning) }
            error = launch.become()
        } catch let failure {
            error = failure
        }
        StandardStreams.writeError("viberemote-gateway: \(error)")
        return exitCode(error.kind)
    }

    private static func exitCode(_ kind: UnitLaunchError.Kind) -> Int32 {
        switch kind {
        case .misconfigured: Command.misconfiguredExitCode
        case .running: 75
        case .system: 71
        }
    }
}
