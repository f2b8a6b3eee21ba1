import Glibc

/// What SIGTERM and SIGINT lead to.
enum Termination: Sendable {
    /// They end the process in the middle of whatever that does: OpenCode 1.
    case bySignal
    /// It ends by itself with status 130, without another byte on any connection: OpenCode 2.
    case byExit

    /// From now on a signal does that. SIGHUP ends the process in both cases.
    func begin(_ number: Int32) {
        switch self {
        case .bySignal: signal(number, SIG_DFL)
        // Only what is safe in a handler: signal-safety(7).
        case .byExit: signal(number) { _ in _exit(130) }
        }
    }

    /// Ends the process now, as a signal that was kept back does.
    func end(by number: Int32) {
        begin(number)
        raise(number)
    }
}
