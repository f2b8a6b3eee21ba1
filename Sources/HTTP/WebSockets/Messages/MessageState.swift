// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import HTTPTypes

/// A complete message from the peer.
package struct Message: Sendable, Equatable {
    /// Whether the message is text, in valid UTF-8.
    package let isText: Bool
    /// The content of the message.
    package let bytes: [UInt8]
}

/// Assembles messages from a client's frames and enforces the rules for them (RFC 6455 §5, §7).
struct MessageState: Sendable {
    /// The result of a complete frame.
    enum FrameResult: Equatable {
        /// A fragment of an incomplete message.
        case nothing
        case message(Message)
        case ping([UInt8])
        case pong
        /// A close frame from the peer; nil if it contains no code.
        case close(CloseStatus?)
        /// A protocol violation, after which the connection must be closed.
        case failure(CloseStatus)
    }

    /// The maximum size of a message in bytes.
    let limit: Int
    /// Whether the incomplete message is text; nil if there is none.
    private var isText: Bool?
    private var message: [UInt8] = []
    private var text = UTF8Check()
    /// The received part of a control frame's payload.
    private var control: [UInt8] = []
    private var head = FrameHead()

    init(limit: Int) { self.limit = limit }

    /// Starts a frame. Returns a close status if the frame is not allowed.
    mutating func startFrame(_ head: FrameHead) -> CloseStatus? {
        self.head = head
        guard head.isMasked else { return Self.wrong("a client's frames must be masked") }
        guard head.reserved == 0 else { return Self.wrong("no extension was negotiated") }
        switch Opcode(rawValue: head.opcode) {
        case nil: return Self.wrong("a frame has an unknown opcode")
        case .continuation:
            guard isText != nil else { return Self.wrong("a continuation frame has no message to continue") }
        case .text, .binary:
            guard isText == nil else { return Self.wrong("a message begins inside another message") }
            isText = head.opcode == Opcode.text.rawValue
        case .close, .ping, .pong:
            control = []
            return nil
        }
        guard head.length <= UInt64(limit - message.count) else {
            return CloseStatus(.messageTooBig, "a message may have at most \(limit) bytes")
        }
        return nil
    }

    /// Adds a part of the frame's payload. Returns a close status if the part is not allowed.
    mutating func add(_ bytes: Span<UInt8>) -> CloseStatus? {
        guard !head.isControl else {
            control.append(copying: bytes)
            return nil
        }
        guard isText != true || text.validate(bytes) else { return Self.noText }
        message.append(copying: bytes)
        return nil
    }

    /// Ends the frame and returns its result.
    mutating func finishFrame() -> FrameResult {
        switch Opcode(rawValue: head.opcode) {
        case .ping: return .ping(Self.removeAll(&control))
        case .pong:
            control = []
            return .pong
        case .close: return Self.closing(Self.removeAll(&control))
        default: break
        }
        guard head.isFinal, let isText else { return .nothing }
        guard text.isComplete else { return .failure(Self.noText) }
        self.isText = nil
        return .message(Message(isText: isText, bytes: Self.removeAll(&message)))
    }

    /// Parses the content of a close frame (RFC 6455 §5.5.1, §7.4).
    private static func closing(_ payload: [UInt8]) -> FrameResult {
        guard !payload.isEmpty else { return .close(nil) }
        guard payload.count >= 2 else { return .failure(wrong("a close code must have two bytes")) }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else { return .failure(wrong("a close frame must not contain this code")) }
        var check = UTF8Check()
        guard check.validate(payload.span.extracting(2...)), check.isComplete else { return .failure(noText) }
        return .close(CloseStatus(code, String(decoding: payload[2...], as: UTF8.self)))
    }

    private static func removeAll(_ bytes: inout [UInt8]) -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private static func wrong(_ reason: String) -> CloseStatus { CloseStatus(.protocolError, reason) }

    private static let noText = CloseStatus(.invalidPayload, "a text message is not valid UTF-8")
}
