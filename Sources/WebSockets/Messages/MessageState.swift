internal import HTTPTypes

/// A whole message.
package struct Message: Sendable, Equatable {
    /// Whether it is text, which is UTF-8.
    package let isText: Bool
    /// Its bytes.
    package let bytes: [UInt8]
}

/// What a server makes of a client's frames: messages out of fragments, and what must not come (RFC 6455 §5, §7).
struct MessageState: Sendable {
    /// What a whole frame has brought.
    enum Outcome: Equatable {
        /// A part of a message.
        case nothing
        case message(Message)
        case ping([UInt8])
        case pong
        /// The peer's end; nil: without a code.
        case close(CloseStatus?)
        /// The connection is not to be trusted any more.
        case failure(CloseStatus)
    }

    /// The most bytes of a message.
    let limit: Int
    /// Whether the message that has begun is text; nil: none has.
    private var isText: Bool?
    private var message: [UInt8] = []
    private var text = UTF8Check()
    /// The control frame that has come in part.
    private var control: [UInt8] = []
    private var head = FrameHead()

    init(limit: Int) { self.limit = limit }

    /// A frame begins; why it must not.
    mutating func begin(_ head: FrameHead) -> CloseStatus? {
        self.head = head
        guard head.isMasked else { return Self.wrong("a client's frames must be masked") }
        guard head.reserved == 0 else { return Self.wrong("no extension was agreed on") }
        switch Opcode(rawValue: head.opcode) {
        case nil: return Self.wrong("a frame is of an unknown kind")
        case .continuation:
            guard isText != nil else { return Self.wrong("a continuation continues nothing") }
        case .text, .binary:
            guard isText == nil else { return Self.wrong("a message begins within another") }
            isText = head.opcode == Opcode.text.rawValue
        case .close, .ping, .pong:
            control = []
            return nil
        }
        guard head.length <= UInt64(limit - message.count) else {
            return CloseStatus(.messageTooBig, "a message has at most \(limit) bytes")
        }
        return nil
    }

    /// More of the frame's payload; why it must not come.
    mutating func add(_ bytes: Span<UInt8>) -> CloseStatus? {
        guard !head.isControl else {
            control.append(bytes)
            return nil
        }
        guard isText != true || text.read(bytes) else { return Self.noText }
        message.append(bytes)
        return nil
    }

    /// The frame is whole.
    mutating func end() -> Outcome {
        switch Opcode(rawValue: head.opcode) {
        case .ping: return .ping(Self.take(&control))
        case .pong:
            control = []
            return .pong
        case .close: return Self.closing(Self.take(&control))
        default: break
        }
        guard head.isFinal, let isText else { return .nothing }
        guard text.isComplete else { return .failure(Self.noText) }
        self.isText = nil
        return .message(Message(isText: isText, bytes: Self.take(&message)))
    }

    /// What stands in a close frame (RFC 6455 §5.5.1, §7.4).
    private static func closing(_ payload: [UInt8]) -> Outcome {
        guard !payload.isEmpty else { return .close(nil) }
        guard payload.count >= 2 else { return .failure(wrong("a close code has two bytes")) }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else { return .failure(wrong("that close code must not be sent")) }
        var check = UTF8Check()
        guard check.read(payload.span.extracting(2...)), check.isComplete else { return .failure(noText) }
        return .close(CloseStatus(code, String(decoding: payload[2...], as: UTF8.self)))
    }

    private static func take(_ bytes: inout [UInt8]) -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private static func wrong(_ reason: String) -> CloseStatus { CloseStatus(.protocolError, reason) }

    private static let noText = CloseStatus(.invalidPayload, "a text is no UTF-8")
}
