// SPDX-License-Identifier: Apache-2.0

/// The state machine for the end of a response that is sent directly on the socket. `DetachedConnection` performs the
/// returned effects.
///
///     open ──finish──► ending ──written──► returned, or lingering ──client's end──► closed
///       └───abort────► breaking ──written──► lingering, or reset ──────────────────► closed
struct DetachedState: Equatable {
    enum Phase: CaseIterable {
        /// The body is incomplete, and more of it will follow.
        case open
        /// The body has ended. The remainder is written, then the connection continues or is closed in the regular way.
        case ending
        /// The source failed. The remainder is written, then the connection is aborted.
        case breaking
        /// Everything is written and FIN is sent. Bytes that the client still sends are discarded until it closes the
        /// connection.
        case lingering
        case closed
    }

    enum Event: CaseIterable {
        /// The source has provided the complete body.
        case finish
        /// The source failed before the body's end.
        case abort
        /// The kernel has accepted all waiting bytes.
        case written
        case input
        case clientDisconnected
        case timedOut
        /// The connection's owner closes it.
        case close
    }

    /// The action that an event requires.
    enum Effect: Equatable {
        case nothing
        /// The remainder is written, as far as the client accepts it.
        case writeRemainder
        /// The connection is returned to libmicrohttpd for the next request.
        case returnSocket
        /// FIN is sent. Incoming bytes are then read, so that no reset overtakes the response.
        case linger
        /// Bytes that the client sends are read and discarded.
        case discardInput
        /// A reset is sent after the client has received everything that was written. The reset shows that the body is
        /// incomplete.
        case reset
        case close
    }

    private(set) var phase = Phase.open
    /// Whether the body ends only with the connection.
    var endsByClosing = false
    /// Whether another request may follow on this connection.
    var isReusable = false

    /// Whether the complete response was provided.
    var isWhole: Bool { phase == .ending || phase == .lingering }

    /// Processes an event.
    ///
    /// - Parameter isDraining: Whether the server is shutting down, so that no request follows.
    mutating func on(_ event: Event, isDraining: Bool = false) -> Effect {
        switch (phase, event) {
        case (.closed, _): return .nothing
        case (.open, .finish):
            phase = .ending
            return .writeRemainder
        case (.open, .abort):
            phase = .breaking
            isReusable = false
            return .writeRemainder
        case (.ending, .written) where isReusable && !isDraining:
            phase = .closed
            return .returnSocket
        case (.breaking, .written) where endsByClosing: return .reset
        case (.ending, .written), (.breaking, .written):
            phase = .lingering
            return .linger
        // If the connection will be reused, leave the bytes of the next request in the socket.
        case (.ending, .input): return isReusable ? .nothing : .discardInput
        case (.lingering, .input): return .discardInput
        case (_, .clientDisconnected), (_, .close): return close()
        case (.breaking, .timedOut) where endsByClosing: return .reset
        case (_, .timedOut): return close()
        case (.open, .written), (.lingering, .written), (.open, .input), (.breaking, .input): return .nothing
        case (_, .finish), (_, .abort): return .nothing
        }
    }

    private mutating func close() -> Effect {
        phase = .closed
        return .close
    }
}
