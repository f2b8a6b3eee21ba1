import Glibc
import Supervisors

/// What the program finds around itself.
enum Environment {
    /// The environment's variables.
    static var variables: [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "=") {
                result[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
            }
            entry += 1
        }
        return result
    }

    /// Overwrites a variable's value where the process was given it: instances run as the same user and could read it in
    /// `/proc/PID/environ` (proc_pid_environ(5)).
    static func scrub(_ name: String) {
        var entry = environ
        while let text = entry.pointee {
            if String(cString: text).hasPrefix(name + "=") {
                let value = text + name.utf8.count + 1
                memset(value, Int32(UInt8(ascii: "*")), strlen(value))
            }
            entry += 1
        }
    }

    /// The user's home folder: HOME, else what the user database says.
    static var homeFolder: String {
        if let home = variables["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return "/" }
        return String(cString: folder)
    }

    /// The folder for what outlasts the gateway: that of its unit (`StateDirectory=`, systemd.exec(5)), else the user's own.
    static var stateFolder: String {
        let variables = variables
        // What a shell within another service has inherited is that service's.
        let isOwn = variables["SYSTEMD_EXEC_PID"].map { $0 == "\(getpid())" } ?? true
        if isOwn, let folder = variables["STATE_DIRECTORY"]?.split(separator: ":").first, folder.hasPrefix("/") {
            return String(folder)
        }
        return InstanceRecordStore.state(variables, homeFolder)
    }

    /// Processors that this process may run on (sched_getaffinity(2), by way of sysconf(3) where that is all there is).
    static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Lets the process have as many descriptors as the administrator allows: a stream needs two.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
