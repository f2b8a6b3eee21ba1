// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The current misbehaviour and its effects on the process. The misbehaviour can be changed while the simulator runs.
final class MisbehaviourSwitch: Sendable {
    private struct State {
        var current: Misbehaviour
        /// Closes the listening socket; nil before the socket exists.
        var refuse: (@Sendable () -> Void)?
        /// The number of changes, which shows whether a timer belongs to an earlier misbehaviour.
        var changes = 0
    }

    private let state: Monitor<State>
    private let termination: Termination

    /// Creates a switch.
    ///
    /// - Parameter termination: The effect of SIGTERM if the misbehaviour does not ignore SIGTERM.
    init(_ misbehaviour: Misbehaviour, termination: Termination = .bySignal) {
        state = Monitor(State(current: misbehaviour))
        self.termination = termination
    }

    /// The current misbehaviour.
    var current: Misbehaviour { state.withLock { $0.current } }

    /// Starts the misbehaviour after the server was created.
    ///
    /// - Parameter refuse: Closes the listening socket of the server.
    func start(refuse: @escaping @Sendable () -> Void) {
        state.withLock { $0.refuse = refuse }
        apply(effect: current)
    }

    /// Applies a misbehaviour from now on.
    func change(to misbehaviour: Misbehaviour) {
        state.withLock {
            $0.current = misbehaviour
            $0.changes += 1
        }
        apply(effect: misbehaviour)
    }

    /// Waits while the server is wedged. Throws an error if the connection ends during the wait.
    func waitWhileWedged(_ connection: TestConnection) throws {
        while current.isWedged { try connection.pause(.milliseconds(20)) }
    }

    /// Ends the process with exit code 1, as an unexpected error would.
    func crash() -> Never {
        Console.write("opencode-simulator: crashes because of crash-after or crash-at\n", to: .error)
        _exit(1)
    }

    private func apply(effect misbehaviour: Misbehaviour) {
        meetTermination(misbehaviour)
        if misbehaviour.refuses { state.withLock { $0.refuse }?() }
        after(misbehaviour.crashDelay) { $0.crash() }
        after(misbehaviour.killDelay) { _ in raise(SIGKILL) }
        for kind in misbehaviour.grandchildren { spawnGrandchild(kind) }
    }

    /// Runs an action after a delay. Does not run the action if the misbehaviour is changed during the delay.
    private func after(_ delay: Duration?, _ action: @escaping @Sendable (MisbehaviourSwitch) -> Void) {
        guard let delay else { return }
        let number = state.withLock { $0.changes }
        let timer = try? TestThread { [self] in
            let isChanged: Bool? = try? state.wait(for: "a change", within: delay) {
                $0.changes != number ? true : nil
            }
            if isChanged == nil { action(self) }
        }
        // Fail immediately if no thread can be created. Without the timer, a test would wait until its time limit.
        precondition(timer != nil, "no thread for a timer")
    }

    private func meetTermination(_ misbehaviour: Misbehaviour) {
        if misbehaviour.ignoresTermination { signal(SIGTERM, SIG_IGN) } else { termination.install(SIGTERM) }
    }

    private func spawnGrandchild(_ kind: Misbehaviour.Grandchild) {
        // Ignore SIGTERM before the start of the child process. An ignored signal remains ignored after execve(2), so
        // the signal cannot end the child process at any moment.
        if kind != .obedient { signal(SIGTERM, SIG_IGN) }
        let child = try? Offspring.start("/bin/sleep", ["600"], inNewSession: kind == .escaped)
        if kind != .obedient { meetTermination(current) }
        Console.write("simulator grandchild \(child.map { "\($0)" } ?? "could not be started")\n")
    }
}
