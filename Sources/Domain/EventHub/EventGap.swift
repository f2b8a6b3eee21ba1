// SPDX-License-Identifier: Apache-2.0

/// A position in the events of an instance at which events are missing, or may be missing.
package struct EventGap: Sendable, Equatable {
    /// The reason for a gap, with the names that the gateway's own streams use.
    package enum Reason: String, Sendable, CaseIterable {
        /// The missing events are older than the kept events.
        case retention
        /// The instance's event stream was interrupted and opened again.
        case upstreamLost = "upstream-lost"
        /// The instance now runs in another process.
        case instanceRestarted = "instance-restarted"
        /// The gateway was not running when the events were sent.
        case gatewayRestarted = "gateway-restarted"
        /// The run ended because the instance was stopped.
        case stopped
        /// An event was larger than the maximum size.
        case tooLarge = "too-large"
        /// The stored events can no longer be read.
        case damaged
        /// The client named an id that was never assigned.
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
