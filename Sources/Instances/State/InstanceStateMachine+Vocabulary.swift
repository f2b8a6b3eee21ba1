/// What goes into the machine and what comes out of it.
extension InstanceStateMachine {
    /// A deadline or delay that the owner keeps for the machine; at most one of each kind.
    package enum Timer: Sendable, Hashable, CaseIterable { case start, probe, terminate, kill }

    /// What happened.
    package enum Event: Sendable, Equatable {
        /// Somebody wants it ready.
        case startRequested
        /// Somebody wants it gone.
        case stopRequested
        /// The supervisor started it.
        case spawned(generation: UInt64)
        /// The supervisor could not start it; why.
        case spawnFailed(generation: UInt64, reason: String)
        /// It announced its port.
        case announced(generation: UInt64, port: UInt16)
        /// A health check came back.
        case probed(generation: UInt64, ProbeOutcome)
        /// It ended; how, and its last lines of output.
        case exited(generation: UInt64, how: String, tail: [String])
        /// A timer that was armed ran out; its last lines of output so far.
        case fired(Timer, tail: [String] = [])
    }

    /// What the owner does, in this order.
    package enum Action: Sendable, Equatable {
        /// Start the process of this generation.
        case spawn(generation: UInt64)
        /// Ask it for its health.
        case probe(generation: UInt64, port: UInt16)
        /// Start a timer.
        case arm(Timer, Duration)
        /// Stop a timer if it runs.
        case disarm(Timer)
        /// Send SIGTERM to its process group.
        case terminate
        /// Send SIGKILL to its process group.
        case kill
        /// Answer every waiting start.
        case answerStarts(StartAnswer)
        /// Answer every waiting stop.
        case answerStops(StopAnswer)
        /// Tell others the new state.
        case publish
    }
}
