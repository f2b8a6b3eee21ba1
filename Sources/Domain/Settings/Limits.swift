// SPDX-License-Identifier: Apache-2.0

/// The limits for durations and sizes. Durations are measured on the monotonic clock, and sizes are in bytes.
package struct Limits: Sendable, Equatable {
    /// The time limit for a request's line and fields, counted from their first byte.
    package internal(set) var headTimeout = Duration.zero
    /// The time that a kept-alive connection may be idle between requests.
    package internal(set) var idleTimeout = Duration.zero
    /// The time limit between two received parts of a request's body.
    package internal(set) var bodyTimeout = Duration.zero
    /// The time limit for the head of an instance's response. The same limit applies to the time between two bytes of
    /// an ordinary response, both from the instance and to the client.
    package internal(set) var answerTimeout = Duration.zero
    /// The maximum time between two bytes on an event stream.
    package internal(set) var streamTimeout = Duration.zero
    /// The time limit for running exchanges to finish after SIGTERM.
    package internal(set) var drainTimeout = Duration.zero
    /// The time limit for an instance to become ready.
    package internal(set) var startTimeout = Duration.zero
    /// The time between SIGTERM and SIGKILL for an instance.
    package internal(set) var stopTimeout = Duration.zero
    /// The maximum number of bytes that wait for a slow client of an event stream. The gateway disconnects a client
    /// that exceeds this limit.
    package internal(set) var streamBacklog = 0
    /// The maximum size of a request's line and fields together.
    package internal(set) var maxHead = 0
    /// The maximum number of simultaneous client connections. With 0, the limit on open descriptors determines the
    /// number.
    package internal(set) var maxConnections = 0
}
