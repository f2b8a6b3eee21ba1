// SPDX-License-Identifier: Apache-2.0

import Audit
import EnvironmentFiles
import EventLoop
import GatewayServer
import Glibc
import HTTPTypes
internal import Instances
import JSONText
import OpenCodeFamilies
internal import Projects
import Settings
import Storage
internal import Supervisors
import Systemd

/// The checks that compare the settings with the state of this machine.
struct MachineCheck {
    private let configuration: Configuration
    private let projects: DiskProjectReader

    init(_ configuration: Configuration) {
        self.configuration = configuration
        projects = DiskProjectReader(
            home: configuration.home, followsLinks: configuration.projects.followsLinks)
    }

    func checkKeys(_ report: inout CheckReport) {
        let count = configuration.keys.count
        // If there is no key, an error has already been reported, so report nothing here.
        if count > 0 { report.add(.good, count == 1 ? "1 key is configured" : "\(count) keys are configured") }
    }

    func checkProjects(_ report: inout CheckReport) {
        do throws(ProjectFolderError) {
            try ProjectFolderCheck.require(configuration.home)
            let count = try folders().count
            report.add(.good, "\(configuration.home) has \(count) \(count == 1 ? "project" : "projects")")
        } catch {
            report.add(.problem, error.description)
        }
    }

    func checkOpenCode(_ report: inout CheckReport) {
        // Without a list of projects, check only the common command. `checkProjects(_:)` reports the missing list.
        let folders = (try? folders()) ?? []
        CommandCheck(common: configuration.opencode, folders: folders, userHome: Environment.homeFolder).run(&report)
    }

    /// Reads the environment files of each project. The method reads the common file for each project, but reports each
    /// problem only once.
    func checkEnvironmentFiles(_ report: inout CheckReport) {
        guard let folders = try? folders() else { return }
        let userHome = Environment.homeFolder
        var reported: Set<String> = []
        var problems: [String] = []
        for folder in folders {
            do throws(LaunchError) {
                let environment = try InstanceEnvironment.load(
                    project: folder.name, home: userHome, base: [:], data: configuration.isolatedData)
                _ = try environment.command
                if configuration.isolatedData != nil, environment.dataFolder == nil {
                    report.add(
                        .note,
                        "The environment file of \(folder.name) sets XDG_DATA_HOME, so --isolate-sessions has no effect on this "
                            + "project.")
                }
                for line in environment.ignoredLines where reported.insert(line.description).inserted {
                    report.add(.note, "\(line.description) The line has no effect.")
                }
            } catch {
                if reported.insert(error.description).inserted { problems.append(error.description) }
            }
        }
        for problem in problems { report.add(.problem, problem) }
        let paths = "\(userHome)/.config/opencode/env and env.d"
        if problems.isEmpty { report.add(.good, "\(paths): the environment of every project is readable") }
    }

    func checkAddress(_ report: inout CheckReport) {
        check(configuration.listen, setting: "--listen", into: &report)
        if let listen = configuration.chat.listen { check(listen, setting: "--chat-listen", into: &report) }
        if let listen = configuration.chat.conversations {
            check(listen, setting: "--conversations-listen", into: &report)
        }
    }

    private func check(_ listen: ListenAddress, setting: String, into report: inout CheckReport) {
        guard let address = SocketAddress(host: listen.host, port: listen.port) else {
            return report.add(
                .problem,
                "\(listen) (\(setting)) is not an address of this machine. Use one that `ip address` lists, or 0.0.0.0."
            )
        }
        guard listen.port != 0 else { return report.add(.good, "\(listen): the system selects a free port") }
        do throws(SystemCallError) {
            try Listener.requireUnused(address)
            report.add(.good, "\(listen) is available")
        } catch {
            guard error.code == EADDRINUSE else {
                return report.add(.problem, "The gateway cannot listen on \(listen) (\(setting)): \(error).")
            }
            // If a running gateway responds on its main port, assume that the process on an additional port
            // belongs to that gateway.
            if isGateway(listen) || setting != "--listen" && isGateway(configuration.listen) {
                return report.add(.good, "\(listen): a gateway responds there")
            }
            report.add(
                .problem,
                "Another program, not a gateway, listens on \(listen) (\(setting)). Stop that program or choose another port."
            )
        }
    }

    func checkState(_ report: inout CheckReport) {
        check(StateFile(folder: configuration.stateFolder, migrations: Migration.all), &report)
        check(StateFile.audit(in: configuration.stateFolder), &report)
    }

    private func check(_ file: StateFile, _ report: inout CheckReport) {
        do throws(StorageError) {
            switch try file.examine() {
            case .usable: report.add(.good, "\(file.path) is usable")
            case .missing: report.add(.good, "\(file.path) does not exist and can be created")
            }
        } catch {
            if case .locked(let holder) = error.kind, isGateway(configuration.listen) {
                let process = holder.map { " (process \($0))" } ?? ""
                return report.add(.good, "\(file.path) is in use by the running gateway\(process)")
            }
            report.add(.problem, error.description)
        }
    }

    /// Reports whether the projects share OpenCode's data, and which keys this concerns.
    func checkData(_ report: inout CheckReport) {
        if let data = configuration.isolatedData {
            return report.add(.good, "each project has its own OpenCode data below \(data)")
        }
        let names = keysForProjects()
        guard !names.isEmpty else { return }
        let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
        report.add(
            .note,
            "Some keys are limited to projects (\(shown)), but all projects share OpenCode's database and logins. Turn "
                + "--isolate-sessions on to give each project its own (docs/operations.md).")
    }

    /// Returns the names of the running gateway's keys that are limited to projects; empty if no gateway responds.
    private func keysForProjects() -> [String] {
        // Do not send the key to another program that uses the address.
        guard let key = configuration.keys.first?.secret, configuration.listen.port != 0,
            isGateway(configuration.listen),
            let response = try? GatewayCall.perform(.get, "/-/keys", to: configuration.listen, key: key),
            response.status == 200, let list = KeyListView(jsonText: response.body)
        else { return [] }
        return list.keys.filter { $0.projects != nil }.map(\.name)
    }

    func checkSupervisor(_ report: inout CheckReport) {
        let access = ManagerAccess(ManagerScope(configuration.scope), environment: Environment.variables)
        let selection = SupervisorSelection(configuration, access)
        guard configuration.supervisor == .systemd else {
            let backend = selection.kind == .systemd ? "systemd units" : "child processes of the gateway"
            return report.add(.good, "instances run as \(backend): \(selection.reason)")
        }
        do throws(BusError) {
            let manager = try ManagerProbe(access, template: SupervisorSelection.template)
            if manager.hasTemplate {
                report.add(
                    .good, "systemd \(manager.version) responds and has the unit \(SupervisorSelection.template)")
            } else {
                report.add(
                    .problem,
                    "systemd \(manager.version) responds but has no unit \(SupervisorSelection.template). Run "
                        + "deploy/install.sh to install the unit.")
            }
        } catch {
            report.add(.problem, ManagerMessage(access).unreachable(error))
        }
    }

    private func folders() throws(ProjectFolderError) -> [ProjectFolder] {
        do {
            return try projects.folders()
        } catch {
            throw ProjectFolderError("\(error)")
        }
    }

    private func isGateway(_ address: ListenAddress) -> Bool {
        guard let answer = try? GatewayCall.perform(.get, "/health", to: address, key: nil) else { return false }
        return GatewayCall.isHealth(status: answer.status, body: answer.body)
    }
}
