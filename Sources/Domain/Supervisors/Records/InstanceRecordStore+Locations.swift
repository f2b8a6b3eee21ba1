// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Projects

/// The locations of records. All gateways for the same home directory must find the same locations.
extension InstanceRecordStore {
    /// Returns the store for servers that are units of a service manager. `viberemote-gateway exec` writes the records
    /// of these servers.
    ///
    /// The store is in `$XDG_RUNTIME_DIR/viberemote-gateway`. If there is no runtime directory, the store is in
    /// `$XDG_STATE_HOME/viberemote-gateway` (XDG Base Directory Specification).
    ///
    /// - Parameter userHome: The home directory of the gateway's user.
    package static func units(environment: [String: String], userHome: String) -> InstanceRecordStore {
        let runtime = absolute("XDG_RUNTIME_DIR", environment).map { below($0) }
        return InstanceRecordStore(folder: (runtime ?? state(environment, userHome)) + "/units")
    }

    /// Returns the store for the facts that a gateway has determined about units' servers (``InstanceRecord/memory``).
    package static func memories(environment: [String: String], userHome: String) -> InstanceRecordStore {
        let runtime = absolute("XDG_RUNTIME_DIR", environment).map { below($0) }
        return InstanceRecordStore(folder: (runtime ?? state(environment, userHome)) + "/memory")
    }

    /// Returns all possible stores for the records of units, for reading. The unit's environment may differ from the
    /// reader's environment, and a user's runtime directory exists only while the user is logged in.
    package static func unitLocations(
        environment: [String: String], userHome: String, runtimeFolders: String = runtimeFolders
    ) -> [InstanceRecordStore] {
        var folders = [absolute("XDG_RUNTIME_DIR", environment), "\(runtimeFolders)/\(geteuid())"].compactMap {
            $0.map { below($0) }
        }
        folders.append(state(environment, userHome))
        return folders.map { InstanceRecordStore(folder: $0 + "/units") }
    }

    /// Returns the store for servers that a gateway runs as its child processes.
    ///
    /// The store is in `$XDG_RUNTIME_DIR` if this variable is set. If `XDG_RUNTIME_DIR` is not set, the store is in the
    /// user's directory below `runtimeFolders`. If this directory does not exist either, the store is in the state
    /// directory.
    ///
    /// - Parameter projects: The directory whose subdirectories are the projects. Gateways for different directories
    ///   use different stores. Gateways for the same directory use the same store, regardless of the path that they
    ///   use.
    package static func processes(
        environment: [String: String], userHome: String, projects: String, runtimeFolders: String = runtimeFolders
    ) -> InstanceRecordStore {
        // If the directory does not exist, there are no projects. Any unique name is then sufficient.
        let key = FolderIdentity(ofFolderAt: projects)?.text ?? fileName(of: Array(projects.utf8))
        let state = state(environment, userHome)
        let userFolder = "\(runtimeFolders)/\(geteuid())"
        let base =
            absolute("XDG_RUNTIME_DIR", environment).map { below($0) }
            ?? (isOurs(userFolder) ? below(userFolder) : state)
        return InstanceRecordStore(folder: "\(base)/processes/\(key)", reserve: "\(state)/processes/\(key)")
    }

    /// The parent directory of all users' runtime directories. logind creates the runtime directories (pam_systemd(8)).
    package static let runtimeFolders = "/run/user"

    private static func below(_ base: String) -> String { base + "/viberemote-gateway" }

    /// Returns the gateway's directory for persistent state: `$XDG_STATE_HOME/viberemote-gateway`. By default, this
    /// directory is in `~/.local/state` (XDG Base Directory Specification).
    package static func state(_ environment: [String: String], _ userHome: String) -> String {
        below(absolute("XDG_STATE_HOME", environment) ?? userHome + "/.local/state")
    }

    /// Returns the path in a variable. The specification requires programs to ignore paths that are not absolute.
    private static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Returns whether the path is a directory that belongs to this user and that no other user may enter.
    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o777 == 0o700
    }
}
