// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A WebSocket connection to a client of a terminal. The connection carries the recorded kinds of frames: prompt,
/// cursor, echo, pong and close.
struct TerminalConnection {
    let connection: TestConnection
    /// Whether the server sends the position at which to continue after a reconnect, and a close frame when the shell
    /// has exited.
    let hasCursor: Bool
    /// Called when the shell has exited, before the client receives the close frame.
    let shellDidExit: () -> Void

    /// Serves the client until one side closes the connection. The handshake must be complete.
    func run() throws {
        try send(.text, Shell.prompt)
        if hasCursor { try sendCursor() }
        var shell = Shell()
        var fragments: [UInt8] = []
        while let frame = try next() {
            switch frame.opcode {
            case .ping: try write(WebSocketFrame(opcode: .pong, payload: frame.payload))
            case .pong: break
            case .close:
                try write(WebSocketFrame(opcode: .close, payload: Array(frame.payload.prefix(2))))
                return
            case .text, .binary, .continuation:
                fragments += frame.payload
                guard frame.isFinal else { continue }
                let wasRunning = !shell.hasExited
                let output = shell.type(String(decoding: fragments, as: UTF8.self))
                fragments = []
                if !output.isEmpty { try send(.text, output) }
                guard wasRunning, shell.hasExited else { continue }
                shellDidExit()
                if hasCursor { return try close(1000) }
            }
        }
    }

    private func sendCursor() throws {
        // A frame that begins with NUL is intended for the client program instead of the terminal. This frame contains
        // the position at which the client continues after a reconnect.
        try send(.binary, "\0{\"cursor\":\(Shell.prompt.utf8.count)}")
    }

    private func next() throws -> WebSocketFrame? {
        do {
            return try WebSocketFrame.receive(from: connection, within: .seconds(86_400))
        } catch let failure as WebSocketFrame.Failure {
            // Status 1009 means that a message is too big. Status 1002 means any other protocol error (RFC 6455
            // §7.4.1).
            try close(failure == .tooLong ? 1009 : 1002)
            return nil
        }
    }

    private func close(_ code: UInt16) throws {
        try write(WebSocketFrame(opcode: .close, payload: [UInt8(code >> 8), UInt8(code & 0xff)]))
    }

    private func send(_ opcode: WebSocketFrame.Opcode, _ text: String) throws {
        try write(WebSocketFrame(opcode: opcode, payload: Array(text.utf8)))
    }

    private func write(_ frame: WebSocketFrame) throws {
        try connection.write(frame.encoded, within: .seconds(86_400))
    }
}
