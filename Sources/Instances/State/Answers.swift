package import Addresses

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
