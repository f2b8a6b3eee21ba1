import EventLoop

/// A client's stream that wants to begin: behind all that the instance had written when its client asked. Else it could show the
/// end of a turn whose answer the client has already, which would take it for the next turn's.
struct StreamMark {
    /// What had come of an instance's stream.
    struct Arrival {
        let stream: UpstreamEventStream
        /// How many bytes.
        let end: Int

        /// Whether the project has all of it that is its own.
        var isTaken: Bool { stream.taken >= end }
    }

    /// Whose events it has; nil: all projects'.
    let project: HubProject?
    let loop: Mailbox<LoopMessage>
    /// What its loop knows it by.
    let number: Int
    let arrivals: [Arrival]

    var isDue: Bool { arrivals.allSatisfy { $0.isTaken } }
}
