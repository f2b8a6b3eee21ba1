/// The beginning of a frame (RFC 6455 §5.2).
package struct FrameHead: Sendable, Equatable {
    /// Whether it is the last one of its message.
    package var isFinal = true
    /// The three bits that extensions give a meaning.
    package var reserved: UInt8 = 0
    /// What the frame is; ``Opcode`` where that is known.
    package var opcode: UInt8 = 0
    /// The bytes of its payload.
    package var length: UInt64 = 0
    /// Whether its payload is masked.
    package var isMasked = true

    /// Whether it is a control frame (RFC 6455 §5.5), known or not.
    var isControl: Bool { opcode & 0x8 != 0 }

    /// The bytes that it takes on the wire in front of the payload. libwslay refuses a length in a longer form than needed.
    var size: Int { 2 + (length < 126 ? 0 : length < 65_536 ? 2 : 8) + (isMasked ? 4 : 0) }
}

/// The kinds of frames that there are (RFC 6455 §11.8).
package enum Opcode: UInt8, Sendable {
    /// More of a message.
    case continuation = 0x0
    /// The beginning of a text.
    case text = 0x1
    /// The beginning of other bytes.
    case binary = 0x2
    /// The end.
    case close = 0x8
    /// Are you there?
    case ping = 0x9
    /// I am.
    case pong = 0xA
}
