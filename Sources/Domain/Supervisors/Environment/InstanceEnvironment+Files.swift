// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles
package import Instances
package import Projects

extension InstanceEnvironment {
    /// Reads a project's environment files. Files that do not exist are skipped.
    ///
    /// All callers use this function, so that a server has the same environment regardless of the process that starts
    /// the server.
    ///
    /// - Parameters:
    ///   - home: The home directory of the gateway's user.
    ///   - base: The environment of the process that starts the server.
    ///   - data: The directory that contains each project's own OpenCode data; nil if the projects share the data.
    /// - Throws: A message with the path and the fix. If other users can read the file, the message contains the
    ///   `chmod` command. If a line cannot be parsed, the message contains the number of the line but never its
    ///   content.
    package static func load(
        project: ProjectName, home: String, base: [String: String], data: String? = nil
    ) throws(LaunchError) -> InstanceEnvironment {
        let paths = paths(of: project, home: home)
        let common = try read(paths.common)
        let projectFile: EnvironmentFile? = if let path = paths.own { try read(path) } else { nil }
        return InstanceEnvironment(
            base: base, files: common.map { [$0] } ?? [], dataFolder: data.map { Self.dataFolder(of: project, in: $0) },
            projectFile: projectFile)
    }

    /// Returns the digest of the environment that a server of the project would get now; nil if an environment file
    /// cannot be read.
    ///
    /// - Parameters:
    ///   - home: The home directory of the gateway's user.
    ///   - data: The directory that contains each project's own OpenCode data; nil if the projects share the data.
    package static func currentDigest(of project: ProjectName, home: String, data: String? = nil) -> String? {
        (try? load(project: project, home: home, base: [:], data: data))?.digest
    }

    /// Returns the paths of the common file and the project's own file. The name of the project's file contains the
    /// project's name unchanged, without escapes or patterns.
    package static func paths(of project: ProjectName, home: String) -> (common: String, own: String?) {
        let folder = home + "/.config/opencode"
        let projectFileName = project.string + ".env"
        // Omit a name that is too long, because no file can have this name and opening it would fail.
        return (
            folder + "/env",
            projectFileName.utf8.count <= ProjectName.maximumLength ? folder + "/env.d/" + projectFileName : nil
        )
    }

    private static func read(_ path: String) throws(LaunchError) -> EnvironmentFile? {
        let bytes: [UInt8]
        do {
            bytes = try PrivateFile.read(path)
        } catch {
            if error.kind == .missing { return nil }
            throw LaunchError(error.description)
        }
        do {
            return try EnvironmentFile(parsing: bytes, path: path)
        } catch {
            throw LaunchError(error.description)
        }
    }
}
