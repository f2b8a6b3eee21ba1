// SPDX-License-Identifier: Apache-2.0

/// The limits for times and sizes. Durations are measured on the monotonic clock, sizes are in bytes.
package struct Limits: Sendable, Equatable {
    /// The time for a request's line and fields to arrive, from the first byte on.
    package internal(set) var headTimeout = Duration.zero
    /// The time without a request on a kept-alive connection.
    package internal(set) var idleTimeout = Duration.zero
    /// The time without a byte of a request's body.
    package internal(set) var bodyTimeout = Duration.zero
    /// The time until the head of upstream's response, and without a byte of an ordinary response, from upstream or
    /// read by the client.
    package internal(set) var answerTimeout = Duration.zero
    /// The time without a byte on an event stream.
    package internal(set) var streamTimeout = Duration.zero
    /// The time for running exchanges to finish after SIGTERM.
    package internal(set) var drainTimeout = Duration.zero
    /// The time for an instance to become ready.
    package internal(set) var startTimeout = Duration.zero
    /// The time between SIGTERM and SIGKILL for an instance.
    package internal(set) var stopTimeout = Duration.zero
    /// The number of bytes that may wait for a stalled reader of an event stream before it is disconnected.
    package internal(set) var streamBacklog = 0
    /// The size of a request's line and fields together.
    package internal(set) var maxHead = 0
    /// The number of simultaneous client connections; 0 allows as many as the limit on descriptors.
    package internal(set) var maxConnections = 0
}
