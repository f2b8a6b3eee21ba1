import Glibc
import TestKit

/// How the simulator misbehaves now, and what that does to the process. Can be changed while it runs.
final class MisbehaviourSwitch: Sendable {
    private struct State {
        var current: Misbehaviour
        /// What closes the listening socket; set once there is one.
        var refuse: (@Sendable () -> Void)?
        /// Counts the changes, so that a timer of an earlier one does nothing.
        var changes = 0
    }

    private let state: Monitor<State>
    private let termination: Termination

    /// `termination` is what SIGTERM leads to where it is not ignored.
    init(_ misbehaviour: Misbehaviour, termination: Termination = .bySignal) {
        state = Monitor(State(current: misbehaviour))
        self.termination = termination
    }

    /// What is in force.
    var current: Misbehaviour { state.withLock { $0.current } }

    /// Begins to misbehave, once there is a server. `refuse` closes its listening socket.
    func begin(refuse: @escaping @Sendable () -> Void) {
        state.withLock { $0.refuse = refuse }
        take(effect: current)
    }

    /// Behaves like this from now on.
    func change(to misbehaviour: Misbehaviour) {
        state.withLock {
            $0.current = misbehaviour
            $0.changes += 1
        }
        take(effect: misbehaviour)
    }

    /// Waits as long as the server is wedged; throws when the connection ends before.
    func waitWhileWedged(_ connection: TestConnection) throws {
        while current.isWedged { try connection.pause(.milliseconds(20)) }
    }

    /// Ends the process as an unexpected error does.
    func crash() -> Never {
        Console.write("opencode-simulator: crashes as it was told to\n", to: .error)
        _exit(1)
    }

    private func take(effect misbehaviour: Misbehaviour) {
        meetTermination(misbehaviour)
        if misbehaviour.refuses { state.withLock { $0.refuse }?() }
        after(misbehaviour.crashDelay) { $0.crash() }
        after(misbehaviour.killDelay) { _ in raise(SIGKILL) }
        for kind in misbehaviour.grandchildren { leave(kind) }
    }

    /// Does something after a time, unless the misbehaviour has been changed until then.
    private func after(_ delay: Duration?, _ action: @escaping @Sendable (MisbehaviourSwitch) -> Void) {
        guard let delay else { return }
        let number = state.withLock { $0.changes }
        let timer = try? TestThread { [self] in
            let isChanged: Bool? = try? state.wait(for: "a change", within: delay) {
                $0.changes != number ? true : nil
            }
            if isChanged == nil { action(self) }
        }
        // Without a thread there is no timer, and a test would wait for nothing.
        precondition(timer != nil, "no thread for a timer")
    }

    private func meetTermination(_ misbehaviour: Misbehaviour) {
        if misbehaviour.ignoresTermination { signal(SIGTERM, SIG_IGN) } else { termination.begin(SIGTERM) }
    }

    private func leave(_ kind: Misbehaviour.Grandchild) {
        // An ignored signal stays ignored in a new program: there is no time in which it would still end it.
        if kind != .obedient { signal(SIGTERM, SIG_IGN) }
        let child = try? Offspring.start("/bin/sleep", ["600"], inNewSession: kind == .escaped)
        if kind != .obedient { meetTermination(current) }
        Console.write("simulator grandchild \(child.map { "\($0)" } ?? "could not be started")\n")
    }
}
