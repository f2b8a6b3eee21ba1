// SPDX-License-Identifier: Apache-2.0

/// A valid or invalid frame as a client sends it. It shares no code with the gateway.
package struct ClientFrame: Sendable {
    /// Whether the frame is the last of its message.
    package var isFinal = true
    /// The three reserved bits of the first byte.
    package var reserved: UInt8 = 0
    /// The four bits of the opcode.
    package var opcode: UInt8
    /// The payload of the frame before masking.
    package var payload: [UInt8]
    /// Whether the payload is masked, as a client's must be.
    package var isMasked = true
    /// The number of bytes in the extended length field: 0, 2 or 8; nil for the smallest number.
    package var lengthBytes: Int?
    /// The announced length, if it differs from the payload's.
    package var announced: Int?

    /// Creates a frame from these parts.
    package init(_ opcode: UInt8, _ payload: [UInt8] = [], final isFinal: Bool = true, reserved: UInt8 = 0) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
        self.reserved = reserved
    }

    /// Creates a frame with a text as its payload.
    package init(_ opcode: UInt8, _ payload: String, final isFinal: Bool = true, reserved: UInt8 = 0) {
        self.init(opcode, Array(payload.utf8), final: isFinal, reserved: reserved)
    }

    /// Creates a close frame with a code and a reason.
    package static func close(_ code: UInt16?, _ reason: [UInt8] = []) -> ClientFrame {
        ClientFrame(8, (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason)
    }

    private static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// The bytes of the frame on the wire (RFC 6455 §5.2).
    package var bytes: [UInt8] {
        let count = announced ?? payload.count
        let size = lengthBytes ?? (count < 126 ? 0 : count < 65_536 ? 2 : 8)
        let mask: UInt8 = isMasked ? 0x80 : 0
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
        bytes.append(mask | (size == 0 ? UInt8(count) : size == 2 ? 126 : 127))
        bytes += (0..<size).map { UInt8(truncatingIfNeeded: UInt64(count) >> (8 * UInt64(size - 1 - $0))) }
        guard isMasked else { return bytes + payload }
        bytes += Self.key
        bytes.reserveCapacity(bytes.count + payload.count)
        for index in payload.indices { bytes.append(payload[index] ^ Self.key[index & 3]) }
        return bytes
    }
}

/// A frame that a server sends.
package struct ServerFrame: Sendable, Equatable, CustomStringConvertible {
    /// The four bits of the opcode.
    package let opcode: UInt8
    package let payload: [UInt8]

    /// Creates a frame from these parts.
    package init(_ opcode: UInt8, _ payload: [UInt8]) {
        self.opcode = opcode
        self.payload = payload
    }

    /// Creates a close frame. If the code is nil, it is omitted.
    package static func close(_ code: UInt16?) -> ServerFrame {
        ServerFrame(8, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? [])
    }

    /// The status code of a close frame.
    package var closeCode: UInt16? {
        opcode == 8 && payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
    }

    /// The opcode, the size and the first bytes.
    package var description: String { "\(opcode):\(payload.count)\(payload.prefix(12))" }

    /// Removes the frame at the beginning of `bytes` and returns it; nil if it is incomplete. Frames of a server are
    /// final, have no reserved bit and are not masked. Any other frame gets the opcode 255.
    package static func parse(_ bytes: inout ArraySlice<UInt8>) -> ServerFrame? {
        guard bytes.count >= 2 else { return nil }
        let first = bytes[bytes.startIndex]
        let second = bytes[bytes.startIndex + 1]
        var start = bytes.startIndex + 2
        var count = Int(second & 0x7F)
        if count >= 126 {
            let size = count == 126 ? 2 : 8
            guard bytes.endIndex - start >= size else { return nil }
            count = bytes[start..<(start + size)].reduce(0) { $0 << 8 | Int($1) }
            start += size
        }
        guard bytes.endIndex - start >= count else { return nil }
        defer { bytes = bytes[(start + count)...] }
        let isRight = first & 0xF0 == 0x80 && second & 0x80 == 0
        return ServerFrame(isRight ? first & 0x0F : 255, Array(bytes[start..<(start + count)]))
    }
}
