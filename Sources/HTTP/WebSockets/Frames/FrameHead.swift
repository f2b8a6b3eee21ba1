// SPDX-License-Identifier: Apache-2.0

/// The header of a frame (RFC 6455 §5.2).
package struct FrameHead: Sendable, Equatable {
    /// Whether the frame is the last one of its message.
    package var isFinal = true
    /// The three bits that are reserved for extensions.
    package var reserved: UInt8 = 0
    /// The kind of the frame; see ``Opcode`` for the known kinds.
    package var opcode: UInt8 = 0
    /// The length of the payload in bytes.
    package var length: UInt64 = 0
    /// Whether the payload is masked.
    package var isMasked = true

    /// Whether this is a control frame (RFC 6455 §5.5), known or not.
    var isControl: Bool { opcode & 0x8 != 0 }

    /// The size of the header in bytes. The size follows from the length, because libwslay rejects a length that is not
    /// in its shortest encoding.
    var size: Int { 2 + (length < 126 ? 0 : length < 65_536 ? 2 : 8) + (isMasked ? 4 : 0) }
}

/// The kinds of frames (RFC 6455 §11.8).
package enum Opcode: UInt8, Sendable {
    /// A further fragment of a message.
    case continuation = 0x0
    /// The first or only fragment of a text message.
    case text = 0x1
    /// The first or only fragment of a binary message.
    case binary = 0x2
    /// A close frame of the closing handshake.
    case close = 0x8
    /// A request for a pong.
    case ping = 0x9
    /// The reply to a ping frame.
    case pong = 0xA
}
