// SPDX-License-Identifier: Apache-2.0

import Glibc
import Supervisors

/// Access to the program's environment.
enum Environment {
    /// The environment variables.
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

    /// Overwrites a variable's value in the process's original memory. Instances run as the same user and could
    /// otherwise read the value in `/proc/PID/environ` (proc_pid_environ(5)).
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

    /// The user's home directory, from HOME. If HOME is not an absolute path, the directory comes
    /// from the user database.
    static var homeFolder: String {
        if let home = variables["HOME"], home.hasPrefix("/") { return home }
        guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return "/" }
        return String(cString: folder)
    }

    /// The directory for persistent data, from the unit (`StateDirectory=`, systemd.exec(5)). Without a directory from
    /// the unit, the directory is below `$XDG_STATE_HOME` or `~/.local/state`.
    static var stateFolder: String {
        let variables = variables
        // A shell within another service inherits the variables of that service. Use the variable only in the main
        // process of a service.
        let isMainProcess = variables["SYSTEMD_EXEC_PID"].map { $0 == "\(getpid())" } ?? true
        if isMainProcess, let folder = variables["STATE_DIRECTORY"]?.split(separator: ":").first, folder.hasPrefix("/")
        {
            return String(folder)
        }
        return InstanceRecordStore.state(variables, homeFolder)
    }

    /// The number of processors on which this process may run. The value comes from sched_getaffinity(2), which is
    /// available here only through sysconf(3).
    static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Raises the limit on descriptors to the administrator's maximum, because a stream needs two
    /// descriptors. Returns the limit.
    static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
