// SPDX-License-Identifier: Apache-2.0

import Settings

/// The command `check`, which prints the current values with their sources, and the results of the checks.
enum Check {
    private static let wrongExitCode: Int32 = 1

    /// Prints all values and the results of the checks. Returns the exit code.
    static func run(_ resolution: Resolution) -> Int32 {
        StandardStreams.writeLine("Settings:\n\(settings(resolution.configuration))\n\nChecks:")
        var report = CheckReport()
        for error in resolution.errors { report.add(.problem, error.description) }
        for notice in resolution.overridden + resolution.configuration.notices { report.add(.note, notice) }
        let machine = MachineCheck(resolution.configuration)
        machine.checkKeys(&report)
        machine.checkProjects(&report)
        machine.checkOpenCode(&report)
        machine.checkEnvironmentFiles(&report)
        machine.checkAddress(&report)
        machine.checkState(&report)
        machine.checkData(&report)
        machine.checkSupervisor(&report)
        PublicCheck.run(resolution.configuration, &report)
        StandardStreams.writeLine(report.lines.joined(separator: "\n") + "\n\n" + conclusion(report.problems))
        return report.problems == 0 ? 0 : wrongExitCode
    }

    private static func settings(_ configuration: Configuration) -> String {
        PlainText.table(
            Settings.table.map { setting in
                [
                    "  \(setting.flag ?? setting.environment)", PlainText.line(setting.text(in: configuration)),
                    PlainText.line(configuration.origin(of: setting).description),
                ]
            })
    }

    private static func conclusion(_ problems: Int) -> String {
        switch problems {
        case 0: "No problems found."
        case 1: "1 problem found."
        default: "\(problems) problems found."
        }
    }
}
