/// The server's end of a WebSocket without its socket: bytes in, events out; messages in, frames out (RFC 6455).
///
/// Pings are answered and the closing handshake is done by itself. It belongs to one thread. What is told may be answered at
/// once, in the middle of ``receive(_:_:)``, so that answers keep the order of what was asked.
package final class WebSocketEndpoint {
    /// What the peer has sent.
    package enum Event: Equatable {
        /// A whole message.
        case message(Message)
        /// The answer to a ping.
        case pong
        /// It has begun to close, or has answered; nil: without a code.
        case closed(CloseStatus?)
        /// It does not keep to the protocol: it was told so, and nothing more is read.
        case failed(CloseStatus)
    }

    /// How far it has come.
    package enum Phase: Equatable {
        /// Messages go both ways.
        case open
        /// The end was said here, the peer's is waited for.
        case closing
        /// Both have said it, or one does not keep to the protocol: once everything is sent, the connection is to be ended.
        case ended
    }

    /// How far it has come.
    package private(set) var phase = Phase.open
    /// What is to be sent.
    package private(set) var outgoing = OutgoingFrames()
    private var messages: MessageState
    private var parser: FrameParser?

    /// An end that takes messages of up to `limit` bytes.
    package init(limit: Int) { messages = MessageState(limit: limit) }

    /// Whether it holds no more than an idle one does.
    package var isIdle: Bool { parser == nil && outgoing.isEmpty }

    /// Takes what has come; `told` is called for each event at once.
    package func receive(_ bytes: Span<UInt8>, _ told: (Event) -> Void) {
        guard phase != .ended else { return }
        let parser = self.parser ?? FrameParser()
        self.parser = parser
        switch parser.read(bytes, { [self] in take($0, $1, $2, told) }) {
        case .wantsMore: break
        case .refused: break
        case .malformed:
            fail(
                CloseStatus(.protocolError, "a frame's length is not as it must be, or a control frame is a fragment"),
                told)
        case .failed: fail(CloseStatus(.internalError), told)
        }
        if phase == .ended || parser.isBetweenFrames { self.parser = nil }
    }

    /// Sends a message; nothing once the end was said.
    package func send(_ frame: Frame) {
        guard phase == .open else { return }
        outgoing.append(frame)
    }

    /// Asks whether the peer is there.
    package func ping() { send(Frame(.ping, [])) }

    /// Says the end.
    package func close(_ status: CloseStatus) {
        guard phase == .open else { return }
        outgoing.append(.close(status))
        phase = .closing
    }

    /// So many bytes of ``outgoing`` were sent.
    package func sent(_ count: Int) { outgoing.sent(count) }

    /// Looks at a piece of a frame; whether to go on.
    private func take(
        _ head: FrameHead, _ place: FrameParser.Place, _ bytes: Span<UInt8>, _ told: (Event) -> Void
    ) -> Bool {
        let fault = (place.isFirst ? messages.begin(head) : nil) ?? messages.add(bytes)
        if let fault {
            fail(fault, told)
        } else if place.isLast {
            follow(messages.end(), told)
        }
        return phase != .ended
    }

    private func follow(_ outcome: MessageState.Outcome, _ told: (Event) -> Void) {
        switch outcome {
        case .nothing: break
        // What comes behind the end that was said here is for nobody (RFC 6455 §5.5.1).
        case .message(let message): if phase == .open { told(.message(message)) }
        case .ping(let payload): send(Frame(.pong, payload))
        case .pong: told(.pong)
        case .close(let status):
            if phase == .open { outgoing.append(.close(status.map { CloseStatus($0.code) })) }
            phase = .ended
            told(.closed(status))
        case .failure(let status): fail(status, told)
        }
    }

    private func fail(_ status: CloseStatus, _ told: (Event) -> Void) {
        if phase == .open { outgoing.append(.close(status)) }
        phase = .ended
        told(.failed(status))
    }
}
