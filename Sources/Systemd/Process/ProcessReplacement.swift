internal import CSystemd
internal import Glibc

/// Turns this process into another program (execve(2)): the number, the cgroup and the outputs stay.
package enum ProcessReplacement {
    /// Becomes the command; returns only when that is not possible.
    ///
    /// The program gets what a child of the gateway gets: the working directory, the environment, no descriptor but the
    /// standard ones, and every signal as usual (systemd starts services with SIGPIPE ignored).
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
