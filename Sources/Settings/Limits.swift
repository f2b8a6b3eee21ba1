/// How long things may take and how much may wait. Durations are measured on the monotonic clock, sizes are in bytes.
package struct Limits: Sendable, Equatable {
    /// For a request's line and fields to arrive, from the first byte on.
    package internal(set) var headTimeout = Duration.zero
    /// Without a request on a kept-alive connection.
    package internal(set) var idleTimeout = Duration.zero
    /// Without a byte of a request's body.
    package internal(set) var bodyTimeout = Duration.zero
    /// Until the head of upstream's answer, and without a byte of an ordinary answer, from upstream or taken by the client.
    package internal(set) var answerTimeout = Duration.zero
    /// Without a byte on an event stream.
    package internal(set) var streamTimeout = Duration.zero
    /// For running exchanges to finish after SIGTERM.
    package internal(set) var drainTimeout = Duration.zero
    /// For an instance to become ready.
    package internal(set) var startTimeout = Duration.zero
    /// Between SIGTERM and SIGKILL for an instance.
    package internal(set) var stopTimeout = Duration.zero
    /// Waiting for a stalled reader of an event stream before it is cut.
    package internal(set) var streamBacklog = 0
    /// A request's line and fields together.
    package internal(set) var maxHead = 0
    /// Clients' connections at once; 0 takes as many as the limit on descriptors allows.
    package internal(set) var maxConnections = 0
}
