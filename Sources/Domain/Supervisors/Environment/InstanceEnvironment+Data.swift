// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles
package import Instances
package import Projects
internal import Systemd

/// The project's own directory for OpenCode's data (`--isolate-sessions on`).
///
/// OpenCode stores its database, the logins of providers and its worktrees in `$XDG_DATA_HOME/opencode`.
extension InstanceEnvironment {
    /// The variable that names the directory for OpenCode's data (XDG Base Directory Specification).
    static let dataVariable = "XDG_DATA_HOME"
    /// The variable with which OpenCode 2 moves its database out of that directory.
    static let databaseVariable = "OPENCODE_DB"

    /// Returns the path of a project's own directory in the directory of all projects' data.
    ///
    /// The name of the project's directory is the project's name. A project's name contains no slash, does not begin
    /// with a dot, and is the name of only one folder in the home directory. Two projects therefore never share a
    /// directory, and no directory is outside `folder`.
    package static func dataFolder(of project: ProjectName, in folder: String) -> String { "\(folder)/\(project)" }

    /// Creates the project's own directory with mode 0700, if the instance uses it. Throws an error if other users can
    /// access the directory, because it will contain logins.
    package func prepareDataFolder() throws(LaunchError) {
        guard let dataFolder else { return }
        do throws(PrivateFolder.Problem) { try PrivateFolder.prepare(dataFolder) } catch {
            switch error {
            case .failed(let verb, let path, let code):
                throw LaunchError(
                    "Cannot \(verb) \(path), which contains the project's OpenCode data: \(SystemdError.reason(of: code)). Set "
                        + "--state-dir to a directory that this user can write to.")
            case .foreign:
                throw LaunchError(
                    "Cannot store the project's OpenCode data in \(dataFolder), because it is not a directory of this user. "
                        + "Move it away.")
            case .accessible:
                throw LaunchError(
                    "Cannot store the project's OpenCode data in \(dataFolder), because other users can access it. Run "
                        + "`chmod 700 \(ShellWord.quoted(dataFolder))`.")
            }
        }
    }
}
