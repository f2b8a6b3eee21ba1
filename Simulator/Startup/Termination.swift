// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The effect of SIGTERM and SIGINT.
enum Termination: Sendable {
    /// The signal ends the process immediately and at any time, as in OpenCode 1.
    case bySignal
    /// The process exits with status 130 without sending another byte on any connection, as in OpenCode 2.
    case byExit

    /// Installs this effect for a signal. SIGHUP ends the process in both cases.
    func install(_ number: Int32) {
        switch self {
        case .bySignal: signal(number, SIG_DFL)
        // A signal handler may call only async-signal-safe functions (signal-safety(7)).
        case .byExit: signal(number) { _ in _exit(130) }
        }
    }

    /// Ends the process with the effect of this signal.
    func terminate(by number: Int32) {
        install(number)
        raise(number)
    }
}
