/// A place in what an instance has said at which something is missing, or may be.
package struct EventGap: Sendable, Equatable {
    /// Why; the words of the gateway's own streams.
    package enum Reason: String, Sendable, CaseIterable {
        /// Older than what is kept.
        case retention
        /// The stream of the instance's events broke, and began again.
        case upstreamLost = "upstream-lost"
        /// The instance's process is another one.
        case instanceRestarted = "instance-restarted"
        /// The gateway did not run, or not yet.
        case gatewayRestarted = "gateway-restarted"
        /// The instance was stopped.
        case stopped
        /// An event was larger than any that is carried.
        case tooLarge = "too-large"
        /// What was kept can't be read any more.
        case damaged
        /// The client has named an id that was never given.
        case unknownID = "unknown-id"
    }

    /// Why something is missing.
    package var reason: Reason
    /// The last event before it; nil: none.
    package var from: EventID?
    /// The first event behind it; nil: none yet.
    package var to: EventID?

    /// A gap between two events.
    package init(_ reason: Reason, from: EventID?, to: EventID?) {
        self.reason = reason
        self.from = from
        self.to = to
    }
}
