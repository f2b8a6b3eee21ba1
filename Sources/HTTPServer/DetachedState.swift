/// How an answer on the socket itself ends. A value: `DetachedConnection` does what it answers.
///
///     open ──finish──► ending ──written──► handed back, or lingering ──client's end──► closed
///       └───breakOff─► breaking ──written──► lingering, or reset ─────────────────────► closed
struct DetachedState: Equatable {
    enum Phase: CaseIterable {
        /// More of the body will come.
        case open
        /// The body has ended; the rest is written, then the connection goes on or is closed in order.
        case ending
        /// The source broke off; the rest is written, then the connection is cut.
        case breaking
        /// Everything is written and FIN sent: what the client still sends is thrown away until it closes too.
        case lingering
        case closed
    }

    enum Event: CaseIterable {
        /// The source has given all.
        case finish
        /// The source broke off.
        case breakOff
        /// All that waited was taken by the kernel.
        case written
        /// The client has sent something.
        case input
        /// The client has gone.
        case clientGone
        /// A deadline has passed.
        case timedOut
        /// Somebody closes it.
        case close
    }

    /// What is to be done.
    enum Effect: Equatable {
        case nothing
        /// The rest is written, as far as the client takes it.
        case writeRest
        /// The connection is given back for the next request.
        case handBack
        /// FIN, and then what comes is read so that no reset overtakes the answer.
        case linger
        /// What the client sends is read and thrown away.
        case discardInput
        /// Only a reset tells that the body is not whole; it is sent once the client has all that was written.
        case reset
        case close
    }

    private(set) var phase = Phase.open
    /// Whether the body's end is told by the connection's end only.
    var endsByClosing = false
    /// Whether another request may follow on this connection.
    var handsBack = false

    /// Whether the answer was given whole.
    var isWhole: Bool { phase == .ending || phase == .lingering }

    /// Goes on; `isDraining` where the server is ending, so that nobody follows.
    mutating func on(_ event: Event, isDraining: Bool = false) -> Effect {
        switch (phase, event) {
        case (.closed, _): return .nothing
        case (.open, .finish):
            phase = .ending
            return .writeRest
        case (.open, .breakOff):
            phase = .breaking
            handsBack = false
            return .writeRest
        case (.ending, .written) where handsBack && !isDraining:
            phase = .closed
            return .handBack
        case (.breaking, .written) where endsByClosing: return .reset
        case (.ending, .written), (.breaking, .written):
            phase = .lingering
            return .linger
        // The next request's bytes stay where they are.
        case (.ending, .input): return handsBack ? .nothing : .discardInput
        case (.lingering, .input): return .discardInput
        case (_, .clientGone), (_, .close): return close()
        case (.breaking, .timedOut) where endsByClosing: return .reset
        case (_, .timedOut): return close()
        case (.open, .written), (.lingering, .written), (.open, .input), (.breaking, .input): return .nothing
        case (_, .finish), (_, .breakOff): return .nothing
        }
    }

    private mutating func close() -> Effect {
        phase = .closed
        return .close
    }
}
