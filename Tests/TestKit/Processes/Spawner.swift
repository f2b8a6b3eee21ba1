// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Glibc

/// Starts a program with posix_spawn(3). The output of the program is written to two pipes, and the program inherits
/// only the given descriptor.
enum Spawner {
    struct Child {
        let pid: Int32
        let standardOutput: Int32
        let standardError: Int32
    }

    static func spawn(
        _ path: String, _ arguments: [String], environment: [String: String], directory: String?, inOwnGroup: Bool,
        descriptor: Int32?
    ) throws -> Child {
        let output = try Pipe.make()
        let error = try Pipe.make()
        defer {
            _ = close(output.write)
            _ = close(error.write)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, 1)
        posix_spawn_file_actions_adddup2(&actions, error.write, 2)
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
        spawn_add_closefrom(&actions, descriptor == nil ? 3 : 4)
        if let directory { spawn_add_chdir(&actions, directory) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child starts with default signals, regardless of the signals that the test runner blocks or ignores.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        if inOwnGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: Int32 = 0
        let code = withCStrings([path] + arguments) { argv in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { envp in
                posix_spawn(&pid, path, &actions, &attributes, argv, envp)
            }
        }
        if code != 0 {
            _ = close(output.read)
            _ = close(error.read)
            throw TestKitError.system(operation: "posix_spawn \(path)", code: code)
        }
        return Child(pid: pid, standardOutput: output.read, standardError: error.read)
    }

    /// Calls `body` with an array of C strings that ends with a null pointer.
    static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                preconditionFailure("an array with a nil at its end is not empty")
            }
            return body(base)
        }
    }
}
