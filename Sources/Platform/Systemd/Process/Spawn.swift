// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// Starts supervised children with posix_spawn(3). fork(2) is unsuitable, because the gateway has threads.
enum Spawn {
    /// Starts `command` with the two descriptors as its outputs. Returns the number of the process.
    static func start(_ command: ChildCommand, output: Int32, error: Int32) throws(SystemdError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if failed == 0 { failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        if failed == 0 { failed = posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO) }
        if failed == 0 { failed = posix_spawn_file_actions_addchdir_np(&actions, command.directory) }
        if failed == 0 { failed = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // A new session implies a new process group and has no terminal.
        posix_spawnattr_setflags(
            &attributes, Int16(Int32(control_spawn_setsid) | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var process: pid_t = 0
        if failed == 0 {
            let environment = command.environment.map { "\($0.key)=\($0.value)" }
            failed = withCStrings(command.words) { words in
                withCStrings(environment) { environment in
                    posix_spawnp(&process, command.words[0], &actions, &attributes, words, environment)
                }
            }
        }
        guard failed == 0 else {
            throw SystemdError(operation: "posix_spawn", code: failed, detail: command.words[0])
        }
        return process
    }

    /// Calls `body` with `strings` as the null-terminated vector that exec(3) requires.
    static func withCStrings(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let vector = strings.map { strdup($0) }
        defer { for string in vector { free(string) } }
        guard !vector.contains(nil) else { return ENOMEM }
        return body(vector + [nil])
    }
}

/// The command for a child process.
package struct ChildCommand: Sendable {
    /// The program and its arguments. A program name without a slash is searched for in the gateway's own `PATH`.
    package var words: [String]
    /// The child's whole environment; nothing is inherited.
    package var environment: [String: String]
    /// The path of the child's working directory.
    package var directory: String

    /// Creates a command. `words` must not be empty.
    package init(words: [String], environment: [String: String], directory: String) {
        precondition(!words.isEmpty, "a command needs a program")
        self.words = words
        self.environment = environment
        self.directory = directory
    }
}

/// Replaces this process with another program (execve(2)). The process keeps its number, its cgroup and its outputs.
package enum ProcessReplacement {
    /// Replaces this process with the command. Returns only if the replacement fails.
    ///
    /// The program gets the same setup as a child of the gateway: the working directory, the environment, only the
    /// standard descriptors, and default signal handling. The signal handling must be reset, because systemd starts
    /// services with SIGPIPE ignored.
    package static func become(_ command: ChildCommand) -> SystemdError {
        guard chdir(command.directory) == 0 else {
            return SystemdError(operation: "chdir", code: errno, detail: command.directory)
        }
        closefrom(STDERR_FILENO + 1)
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        for number in 1..<NSIG { signal(number, SIG_DFL) }
        let environment = command.environment.map { "\($0.key)=\($0.value)" }
        let code = Spawn.withCStrings(command.words) { words in
            Spawn.withCStrings(environment) { environment in
                execvpe(command.words[0], words, environment)
                return errno
            }
        }
        return SystemdError(operation: "execve", code: code, detail: command.words[0])
    }
}
