internal import Glibc
internal import Projects

/// Where records lie: every gateway that comes to the same folder of projects has to find the same ones.
extension InstanceRecordStore {
    /// The records of servers that are units of a service manager, one a name: written by `viberemote-gateway exec`.
    ///
    /// Below `$XDG_RUNTIME_DIR/viberemote-gateway`, or without a runtime folder below
    /// `$XDG_STATE_HOME/viberemote-gateway` (XDG Base Directory Specification); `userHome` is the user's own home folder.
    package static func units(environment: [String: String], userHome: String) -> InstanceRecordStore {
        let runtime = absolute("XDG_RUNTIME_DIR", environment).map { below($0) }
        return InstanceRecordStore(folder: (runtime ?? state(environment, userHome)) + "/units")
    }

    /// What a gateway has learnt of units' servers, for the next one (``InstanceRecord/memory``).
    package static func memories(environment: [String: String], userHome: String) -> InstanceRecordStore {
        let runtime = absolute("XDG_RUNTIME_DIR", environment).map { below($0) }
        return InstanceRecordStore(folder: (runtime ?? state(environment, userHome)) + "/memory")
    }

    /// All places where the records of units may lie, for who reads them: a unit's environment may differ from its
    /// reader's, and a user's runtime folder comes and goes with the user.
    package static func unitPlaces(
        environment: [String: String], userHome: String, runtimeFolders: String = runtimeFolders
    ) -> [InstanceRecordStore] {
        var places = [absolute("XDG_RUNTIME_DIR", environment), "\(runtimeFolders)/\(geteuid())"].compactMap {
            $0.map { below($0) }
        }
        places.append(state(environment, userHome))
        return places.map { InstanceRecordStore(folder: $0 + "/units") }
    }

    /// The records of servers that a gateway runs as its child processes. `projects` is the folder whose sub-folders are
    /// the projects: gateways of different ones don't meet, those of the same one always do, however they spell it.
    ///
    /// Below `$XDG_RUNTIME_DIR`, else the user's folder below `runtimeFolders`, else the state folder.
    package static func processes(
        environment: [String: String], userHome: String, projects: String, runtimeFolders: String = runtimeFolders
    ) -> InstanceRecordStore {
        // Without a folder there are no projects either.
        let key = FolderIdentity(ofFolderAt: projects)?.text ?? fileName(of: Array(projects.utf8))
        let state = state(environment, userHome)
        let own = "\(runtimeFolders)/\(geteuid())"
        let base = absolute("XDG_RUNTIME_DIR", environment).map { below($0) } ?? (isOurs(own) ? below(own) : state)
        return InstanceRecordStore(folder: "\(base)/processes/\(key)", reserve: "\(state)/processes/\(key)")
    }

    /// Where logind makes users' runtime folders (pam_systemd(8)).
    package static let runtimeFolders = "/run/user"

    private static func below(_ base: String) -> String { base + "/viberemote-gateway" }

    /// The user's folder for what outlasts the gateway: `$XDG_STATE_HOME/viberemote-gateway`, by default below
    /// `~/.local/state` (XDG Base Directory Specification).
    package static func state(_ environment: [String: String], _ userHome: String) -> String {
        below(absolute("XDG_STATE_HOME", environment) ?? userHome + "/.local/state")
    }

    /// The specification: paths that are not absolute are ignored.
    private static func absolute(_ name: String, _ environment: [String: String]) -> String? {
        environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Whether it is a folder of this user's that nobody else may enter.
    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o777 == 0o700
    }
}
