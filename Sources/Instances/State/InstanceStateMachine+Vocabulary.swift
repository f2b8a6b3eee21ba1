package import Addresses

/// What goes into the machine and what comes out of it.
extension InstanceStateMachine {
    /// A deadline or delay that the owner keeps for the machine; at most one of each kind.
    package enum Timer: Sendable, Hashable, CaseIterable {
        /// For the whole start.
        case start
        /// For the answer to the callers of a start.
        case answer
        /// Until the next health check.
        case probe
        /// Until a health check counts as slow, and then until it is looked at again.
        case late
        /// Until a ready instance counts as steady.
        case steady
        /// Before the restart after a crash.
        case restart
        /// For the end after SIGTERM.
        case terminate
        /// For the end after SIGKILL.
        case kill
    }

    /// What happened.
    package enum Event: Sendable, Equatable {
        /// Somebody wants it ready.
        case startRequested
        /// Somebody wants it gone.
        case stopRequested
        /// Something became of its server.
        case supervised(SupervisedEvent)
        /// Another project's instance has announced this one's address after it; that project's name.
        case displaced(by: String)
        /// The health check with this number came back.
        case probed(UInt64, HealthFinding)
        /// For how long neither a healthy answer nor a byte has come, and whether bytes came since it was last looked.
        case measured(quiet: Duration, progressed: Bool)
        /// A timer that was armed ran out; its last lines of output so far.
        case fired(Timer, tail: [String] = [])
    }

    /// What the owner does, in this order.
    package enum Action: Sendable, Equatable {
        /// Tell others the new state.
        case publish
        /// Have the supervisor start it.
        case launch
        /// Ask for its health there, within this time; the finding carries the same number, and a later check's is greater.
        case probe(number: UInt64, address: InstanceAddress, timeout: Duration)
        /// Find out how long it has been quiet.
        case measure
        /// Start a timer.
        case arm(Timer, Duration)
        /// Stop a timer if it runs.
        case disarm(Timer)
        /// Ask all of it to end.
        case terminate
        /// End all of it.
        case kill
        /// Answer every waiting start.
        case answerStarts(StartAnswer)
        /// Answer every waiting stop.
        case answerStops(StopAnswer)
    }
}

/// What the callers of a start get.
package enum StartAnswer: Sendable, Equatable {
    /// It was started for these callers and is ready.
    case started(address: InstanceAddress)
    /// It was ready before, or was found running.
    case alreadyRunning(address: InstanceAddress)
    /// The callers can't wait any longer; the start goes on, and has come to this state.
    case pending(InstanceState)
    /// There is no such project.
    case notFound
    /// It is not ready; the wire contract's sentence, with the reason.
    case failed(String)
}

/// What the callers of a stop get.
package enum StopAnswer: Sendable, Equatable {
    /// Nothing of it runs any more.
    case stopped
    /// There is no such project.
    case notFound
    /// It could not be ended; the wire contract's sentence, with the reason.
    case failed(String)
}
