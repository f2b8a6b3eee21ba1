// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// The current misbehaviour and its effects on the process. It can be changed while the simulator runs.
final class MisbehaviourSwitch: Sendable {
    private struct State {
        var current: Misbehaviour
        /// Closes the listening socket. It is set as soon as there is a socket.
        var refuse: (@Sendable () -> Void)?
        /// The number of changes, so that the timer of an earlier misbehaviour has no effect.
        var changes = 0
    }

    private let state: Monitor<State>
    private let termination: Termination

    /// Creates a switch.
    ///
    /// - Parameter termination: The effect of SIGTERM, unless SIGTERM is ignored.
    init(_ misbehaviour: Misbehaviour, termination: Termination = .bySignal) {
        state = Monitor(State(current: misbehaviour))
        self.termination = termination
    }

    /// The misbehaviour that applies to requests now.
    var current: Misbehaviour { state.withLock { $0.current } }

    /// Starts to misbehave, once the server exists.
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

    /// Waits while the server is wedged. Throws an error if the connection ends first.
    func waitWhileWedged(_ connection: TestConnection) throws {
        while current.isWedged { try connection.pause(.milliseconds(20)) }
    }

    /// Ends the process as an unexpected error does.
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

    /// Runs an action after a delay, unless the misbehaviour is changed before.
    private func after(_ delay: Duration?, _ action: @escaping @Sendable (MisbehaviourSwitch) -> Void) {
        guard let delay else { return }
        let number = state.withLock { $0.changes }
        let timer = try? TestThread { [self] in
            let isChanged: Bool? = try? state.wait(for: "a change", within: delay) {
                $0.changes != number ? true : nil
            }
            if isChanged == nil { action(self) }
        }
        // Without a thread there is no timer, and a test would wait until its time limit. Therefore fail immediately.
        precondition(timer != nil, "no thread for a timer")
    }

    private func meetTermination(_ misbehaviour: Misbehaviour) {
        if misbehaviour.ignoresTermination { signal(SIGTERM, SIG_IGN) } else { termination.install(SIGTERM) }
    }

    private func spawnGrandchild(_ kind: Misbehaviour.Grandchild) {
        // An ignored signal remains ignored after execve(2), so there is no moment at which it could end the child
        // process.
        if kind != .obedient { signal(SIGTERM, SIG_IGN) }
        let child = try? Offspring.start("/bin/sleep", ["600"], inNewSession: kind == .escaped)
        if kind != .obedient { meetTermination(current) }
        Console.write("simulator grandchild \(child.map { "\($0)" } ?? "could not be started")\n")
    }
}
