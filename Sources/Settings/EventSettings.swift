/// What is kept of what instances say, and how it is told.
package struct EventSettings: Sendable, Equatable {
    /// Whether the gateway listens to instances itself and serves their event streams.
    package internal(set) var isHubOn = false
    /// Bytes that are kept of one project; 0: 4 MiB in memory, nothing on the disk.
    package internal(set) var keepSize = 0
    /// How long an event is kept.
    package internal(set) var keepTime = Duration.zero
    /// Bytes that are kept of all projects together.
    package internal(set) var keepTotal = 0
    /// How long a client may take nothing of its stream.
    package internal(set) var stall = Duration.zero
    /// How streamed text is told where a request does not say.
    package internal(set) var form = EventFormChoice.raw
}

/// How streamed text is told.
package enum EventFormChoice: String, Sendable, CaseIterable {
    /// As the instance says it.
    case raw
    /// Piece by piece.
    case delta
    /// Whole, again and again.
    case full
}
