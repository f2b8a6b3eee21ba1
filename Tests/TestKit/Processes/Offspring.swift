// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Glibc

/// Starts processes that must outlive the program that starts them, or that a clean-up must find.
package enum Offspring {
    /// Starts a program and returns its process ID. The calling program never reaps it.
    ///
    /// The started program shares the standard output, standard error, environment and ignored signals of the calling
    /// program, but no other descriptor. It stays in the process group of the calling program, or becomes the leader of
    /// a new session.
    package static func start(_ path: String, _ arguments: [String], inNewSession: Bool) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        spawn_add_closefrom(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if inNewSession { posix_spawnattr_setflags(&attributes, spawn_flag_new_session()) }

        var pid: Int32 = 0
        let code = Spawner.withCStrings([path] + arguments) { argv in
            posix_spawn(&pid, path, &actions, &attributes, argv, spawn_environment())
        }
        if code != 0 { throw TestKitError.system(operation: "posix_spawn \(path)", code: code) }
        return pid
    }
}
