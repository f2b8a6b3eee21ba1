internal import EnvironmentFiles
package import Instances
package import Projects

extension InstanceEnvironment {
    /// Reads a project's environment files: `home` is the user's own home folder, `base` the environment of the process
    /// that starts the server. A file that does not exist says nothing.
    ///
    /// Throws one sentence with the path and what to do: for a file that others can read, with the `chmod` that fixes it;
    /// for one without a clear meaning, with the line. The only reading there is, so that a server has the same
    /// environment whoever starts it.
    package static func load(
        project: ProjectName, home: String, base: [String: String]
    ) throws(LaunchError) -> InstanceEnvironment {
        let paths = paths(of: project, home: home)
        let common = try read(paths.common)
        let own: EnvironmentFile? = if let path = paths.own { try read(path) } else { nil }
        return InstanceEnvironment(base: base, files: common.map { [$0] } ?? [], own: own)
    }

    /// The digest that a server of the project would get if it were started now; nil when its files can't be read.
    package static func currentDigest(of project: ProjectName, home: String) -> String? {
        (try? load(project: project, home: home, base: [:]))?.digest
    }

    /// The common file and the project's own. The folder's name stands there as it is: never escaped, never a pattern.
    package static func paths(of project: ProjectName, home: String) -> (common: String, own: String?) {
        let folder = home + "/.config/opencode"
        let own = project.string + ".env"
        // With a longer name there is no file: asking for it would be an error of its own.
        return (folder + "/env", own.utf8.count <= ProjectName.maximumLength ? folder + "/env.d/" + own : nil)
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
