// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A WebSocket frame (RFC 6455 §5.2).
struct WebSocketFrame: Equatable {
    /// The opcodes that the simulator supports.
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// A protocol error of a client.
    enum Failure: Error {
        case unknownOpcode, notMasked, tooLong
    }

    let opcode: Opcode
    var isFinal = true
    var payload: [UInt8]

    /// The frame's bytes as a server sends them, without a mask.
    var encoded: [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | opcode.rawValue]
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count))
        case ..<65_536: bytes += [126] + WebSocketFrame.bigEndian(payload.count, bytes: 2)
        default: bytes += [127] + WebSocketFrame.bigEndian(payload.count, bytes: 8)
        }
        return bytes + payload
    }

    /// Receives the next frame from a client. Returns nil if the connection ends before the frame begins.
    static func receive(from connection: TestConnection, within limit: Duration) throws -> WebSocketFrame? {
        let first = try connection.read(upTo: 1, within: limit, waitingFor: "a WebSocket frame")
        guard let head = first.first else { return nil }
        guard let opcode = Opcode(rawValue: head & 0x0f), head & 0x70 == 0 else { throw Failure.unknownOpcode }
        let second = try connection.readExactly(1)[0]
        guard second & 0x80 != 0 else { throw Failure.notMasked }
        var length = Int(second & 0x7f)
        if length >= 126 {
            length = try connection.readExactly(length == 126 ? 2 : 8).reduce(0) {
                ($0 & 0xff_ffff_ffff) << 8 | Int($1)
            }
        }
        guard length <= 16 << 20 else { throw Failure.tooLong }
        let mask = try connection.readExactly(4)
        let masked = try connection.readExactly(length)
        return WebSocketFrame(
            opcode: opcode, isFinal: head & 0x80 != 0,
            payload: masked.enumerated().map { $1 ^ mask[$0 % 4] })
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a client's key (RFC 6455 §4.2.2).
    static func accept(key: String) -> String {
        Base64.encode(SHA1.digest(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    private static func bigEndian(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - $0))) }
    }
}
