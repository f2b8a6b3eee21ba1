/// What the callers of a start get.
package enum StartAnswer: Sendable, Equatable {
    /// It was started for these callers and is ready.
    case started(port: UInt16)
    /// It was ready before.
    case alreadyRunning(port: UInt16)
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

/// How a health check went.
package enum ProbeOutcome: Sendable, Equatable {
    /// It is ready; OpenCode's version.
    case healthy(version: String)
    /// It is not yet; why, as one sentence.
    case unhealthy(reason: String)
}

/// The wire contract's sentences about instances.
package enum InstanceMessage {
    /// 404 of start, stop and status.
    package static func projectNotFound(_ name: String) -> String { "Project not found: \(name)" }

    /// 503 of a request to an instance that is not ready.
    package static func notRunning(_ name: String) -> String {
        "OpenCode instance for \(name) is not running. Start it first."
    }

    /// 500 of a start that failed.
    package static func startFailed(_ reason: String) -> String { "Failed to start service: \(reason)" }

    /// 500 of a start whose port never became known.
    package static func noPort(_ reason: String) -> String { "Service started but failed to get port. \(reason)" }

    /// 500 of a stop that failed.
    package static func stopFailed(_ reason: String) -> String { "Failed to stop service: \(reason)" }
}
