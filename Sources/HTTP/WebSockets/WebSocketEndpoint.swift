// SPDX-License-Identifier: Apache-2.0

/// The server side of a WebSocket without its socket (RFC 6455). The endpoint converts received bytes to events, and
/// messages to frames.
///
/// The endpoint replies to pings and performs the closing handshake itself. An endpoint is confined to one thread.
/// Event handlers may send replies from within ``receive(_:_:)``, so that replies keep the order of the requests.
package final class WebSocketEndpoint {
    /// An event that the peer caused.
    package enum Event: Equatable {
        /// A complete message, assembled from its fragments.
        case message(Message)
        /// The reply to a ping.
        case pong
        /// The peer has started or confirmed the closing handshake; the value is nil if it sent no status code.
        case closed(CloseStatus?)
        /// The peer has violated the protocol. A close frame with this status was queued, and no further bytes are
        /// read.
        case failed(CloseStatus)
    }

    /// The phases of a connection.
    package enum Phase: Equatable {
        /// Messages can be sent in both directions.
        case open
        /// A close frame was sent, and the endpoint waits for the peer's close frame.
        case closing
        /// Both sides have sent a close frame, or one side has violated the protocol. End the connection once all
        /// frames are sent.
        case ended
    }

    /// The current phase of the connection.
    package private(set) var phase = Phase.open
    /// The frames that are waiting to be sent.
    package private(set) var outgoing = OutgoingFrames()
    private var messages: MessageState
    private var parser: FrameParser?

    /// Creates an endpoint that accepts messages of up to `limit` bytes.
    package init(limit: Int) { messages = MessageState(limit: limit) }

    /// Whether the endpoint is idle: it has no frames to send and no incomplete frame.
    package var isIdle: Bool { parser == nil && outgoing.isEmpty }

    /// Processes received bytes and calls `emit` for each event immediately.
    package func receive(_ bytes: Span<UInt8>, _ emit: (Event) -> Void) {
        guard phase != .ended else { return }
        let parser = self.parser ?? FrameParser()
        self.parser = parser
        switch parser.parse(bytes, { [self] in process($0, at: $1, bytes: $2, emit: emit) }) {
        case .wantsMore: break
        case .refused: break
        case .malformed:
            fail(
                CloseStatus(.protocolError, "a frame's length is not valid, or a control frame is fragmented"),
                emit)
        case .failed: fail(CloseStatus(.internalError), emit)
        }
        if phase == .ended || parser.isBetweenFrames { self.parser = nil }
    }

    /// Queues a message. Does nothing after a close frame was sent.
    package func send(_ frame: Frame) {
        guard phase == .open else { return }
        outgoing.append(frame)
    }

    /// Sends a ping, to check whether the peer is still connected.
    package func ping() { send(Frame(.ping, [])) }

    /// Starts the closing handshake with this status.
    package func close(_ status: CloseStatus) {
        guard phase == .open else { return }
        outgoing.append(.close(status))
        phase = .closing
    }

    /// Removes the given number of sent bytes from ``outgoing``.
    package func sent(_ count: Int) { outgoing.sent(count) }

    /// Handles a part of a frame. Returns whether to continue parsing.
    private func process(
        _ head: FrameHead, at position: FrameParser.PartPosition, bytes: Span<UInt8>, emit: (Event) -> Void
    ) -> Bool {
        let fault = (position.isFirst ? messages.startFrame(head) : nil) ?? messages.add(bytes)
        if let fault {
            fail(fault, emit)
        } else if position.isLast {
            follow(messages.finishFrame(), emit)
        }
        return phase != .ended
    }

    private func follow(_ outcome: MessageState.FrameResult, _ emit: (Event) -> Void) {
        switch outcome {
        case .nothing: break
        // Messages received after sending a close frame are discarded (RFC 6455 §5.5.1).
        case .message(let message): if phase == .open { emit(.message(message)) }
        case .ping(let payload): send(Frame(.pong, payload))
        case .pong: emit(.pong)
        case .close(let status):
            if phase == .open { outgoing.append(.close(status.map { CloseStatus($0.code) })) }
            phase = .ended
            emit(.closed(status))
        case .failure(let status): fail(status, emit)
        }
    }

    private func fail(_ status: CloseStatus, _ emit: (Event) -> Void) {
        if phase == .open { outgoing.append(.close(status)) }
        phase = .ended
        emit(.failed(status))
    }
}
