// SPDX-License-Identifier: Apache-2.0

/// A position in the events of an instance at which events are missing, or may be missing.
package struct EventGap: Sendable, Equatable {
    /// The reason for a gap. The raw values are the names on the gateway's own event streams.
    package enum Reason: String, Sendable, CaseIterable {
        /// The missing events are no longer stored, or were too large for the log.
        case retention
        /// The instance's event stream was interrupted and opened again.
        case upstreamLost = "upstream-lost"
        /// The instance now runs in another process.
        case instanceRestarted = "instance-restarted"
        /// The gateway was not running when the events were sent.
        case gatewayRestarted = "gateway-restarted"
        /// The instance was stopped.
        case stopped
        /// An event was larger than the limit for events from the instance.
        case tooLarge = "too-large"
        /// The stored events can no longer be read.
        case damaged
        /// The client sent an id that was never assigned.
        case unknownID = "unknown-id"
    }

    /// The reason why events are missing.
    package var reason: Reason
    /// The last event before the gap; nil if there is none.
    package var from: EventID?
    /// The first event after the gap; nil if there is none yet.
    package var to: EventID?

    /// Creates a gap between two events.
    package init(_ reason: Reason, from: EventID?, to: EventID?) {
        self.reason = reason
        self.from = from
        self.to = to
    }
}
