internal import Glibc

/// How a process ended.
package enum ProcessExit: Sendable, Equatable, CustomStringConvertible {
    /// It ended by itself with this status.
    case exited(Int32)
    /// This signal ended it.
    case killed(signal: Int32)
    /// Somebody else collected it: nobody knows.
    case unknown

    /// As a phrase: `exit status 1`, `signal SIGKILL`.
    package var description: String {
        switch self {
        case .exited(let status): "exit status \(status)"
        case .unknown: "an unknown status"
        case .killed(let signal): "signal \(Self.names[signal] ?? String(signal))"
        }
    }

    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
        SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGPIPE: "SIGPIPE", SIGTERM: "SIGTERM",
    ]
}
