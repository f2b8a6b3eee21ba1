// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import OpenCodeFamilies
internal import Projects
import Settings
internal import Supervisors
import Systemd

/// The check of the OpenCode commands, which determines each command's version with `--version`. The checked commands
/// are the common command and the projects' own commands.
struct CommandCheck {
    /// A command, with the projects that it serves.
    private struct Use {
        let words: [String]
        var isCommon: Bool
        var projects: [String]

        /// The text after the command's name, which names the command's projects; empty for the common command.
        var purpose: String {
            guard !projects.isEmpty else { return "" }
            let named = projects.prefix(3).joined(separator: ", ") + (projects.count > 3 ? ", …" : "")
            return isCommon ? "" : " (VIBE_OPENCODE of \(named))"
        }

        /// The setting that names the command.
        var setting: String { isCommon ? "--opencode" : "VIBE_OPENCODE in the project's env.d file" }
    }

    private var uses: [Use]

    /// Collects the common command and the commands of these projects. ``MachineCheck``
    /// reports unreadable environment files.
    init(common: [String], folders: [ProjectFolder], userHome: String) {
        uses = [Use(words: common, isCommon: true, projects: [])]
        for folder in folders {
            guard let environment = try? InstanceEnvironment.load(project: folder.name, home: userHome, base: [:]),
                let projectCommand = try? environment.command
            else { continue }
            if let index = uses.firstIndex(where: { $0.words == projectCommand }) {
                uses[index].projects.append(folder.name.string)
            } else {
                uses.append(Use(words: projectCommand, isCommon: false, projects: [folder.name.string]))
            }
        }
    }

    /// Checks the commands one after the other.
    func run(_ report: inout CheckReport) {
        for use in uses { check(use, &report) }
    }

    private func check(_ use: Use, _ report: inout CheckReport) {
        let command = uses.count > 1 ? CommandWords.text(use.words) : use.words.first ?? ""
        let shown = command + use.purpose
        do throws(SystemdError) {
            switch try VersionQuery.run(use.words) {
            case .version(let line):
                if let version = VersionLine.version(line) {
                    let family = APIFamily(version: version).map { ", OpenCode \($0.rawValue)" }
                    report.add(.good, "\(shown) is version \(version)\(family ?? "")")
                } else {
                    report.add(
                        .note,
                        "\(shown) --version printed \(line), which is not a version of OpenCode. Check that \(use.setting) "
                            + "names OpenCode's command.")
                }
            case .silent(let reason): report.add(.note, "The version of \(shown) is unknown: \(reason).")
            case .absent(let reason):
                report.add(
                    .problem,
                    "Cannot run \(shown): \(reason). Install OpenCode, or set \(use.setting) to its full path."
                )
            }
        } catch {
            report.add(.problem, "Cannot run \(shown): \(error.description).")
        }
    }
}
