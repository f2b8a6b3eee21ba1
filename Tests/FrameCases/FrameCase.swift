// SPDX-License-Identifier: Apache-2.0

/// A case of the Autobahn test suite, with its number there. It consists of a client's action and the required reaction
/// of a server that echoes every message. The suite's own waits are omitted.
package struct FrameCase: Sendable, CustomStringConvertible {
    /// The server's part in the end of the connection.
    package enum End: Sendable, Equatable {
        /// The client closes with 1000, and so does the server.
        case normal
        /// The client has closed the connection. The server replies with this code, or without a code.
        case answered(UInt16?)
        /// The server ends the connection with this code.
        case failed(UInt16)
    }

    /// The number of the case in the suite.
    package let id: String
    /// The bytes that the client sends, write by write.
    package let sent: [[UInt8]]
    /// The frames that the server sends before the end.
    package let answers: [ServerFrame]
    package let end: End

    init(_ id: String, _ frames: [ClientFrame], chop: Int? = nil, _ answers: [ServerFrame], _ end: End = .normal) {
        let all = (frames + (end == .normal ? [.close(1000)] : [])).map(\.bytes)
        self.init(id, writes: chop.map { Self.chopped(all.flatMap(\.self), $0) } ?? all, answers, end)
    }

    init(_ id: String, writes: [[UInt8]], _ answers: [ServerFrame], _ end: End) {
        self.id = id
        sent = writes
        self.answers = answers
        self.end = end
    }

    /// The required frames, including the last one.
    package var expected: [ServerFrame] {
        switch end {
        case .normal: answers + [.close(1000)]
        case .answered(let code): answers + [.close(code)]
        case .failed(let code): answers + [.close(code)]
        }
    }

    /// Returns whether these are the required frames. The reason of a failure may differ.
    package func isMet(by frames: [ServerFrame]) -> Bool {
        guard case .failed(let code) = end else { return frames == expected }
        return frames.dropLast().elementsEqual(answers) && frames.last?.closeCode == code
    }

    package var description: String { id }

    /// Returns the bytes in parts of this size.
    static func chopped(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    /// All cases of all groups.
    package static let all =
        framing + pings + reserved + opcodes + fragments + texts + closing + limits

    /// The cases that need few bytes.
    package static let small = all.filter { $0.sent.reduce(0) { $0 + $1.count } < 4096 }
}

/// The opcodes with the names used in the cases.
enum Kind {
    static let more: UInt8 = 0
    static let text: UInt8 = 1
    static let binary: UInt8 = 2
    static let close: UInt8 = 8
    static let ping: UInt8 = 9
    static let pong: UInt8 = 10
}

extension FrameCase {
    private static let sizes = [0, 125, 126, 127, 128, 65_535, 65_536]

    /// The cases of group 1: frames with every format of length. 1.1.8 and 1.2.8 are sent in parts of 997 bytes.
    static let framing: [FrameCase] = [(1, Kind.text, UInt8(ascii: "*")), (2, Kind.binary, 0xFE)].flatMap {
        group, kind, byte in
        sizes.enumerated().map { index, size in
            let payload = [UInt8](repeating: byte, count: size)
            return FrameCase("1.\(group).\(index + 1)", [ClientFrame(kind, payload)], [ServerFrame(kind, payload)])
        } + [
            FrameCase(
                "1.\(group).8", [ClientFrame(kind, [UInt8](repeating: byte, count: 65_536))], chop: 997,
                [ServerFrame(kind, [UInt8](repeating: byte, count: 65_536))])
        ]
    }

    /// The cases of group 2: pings and pongs.
    static let pings: [FrameCase] = {
        let bytes: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]
        let long = [UInt8](repeating: 0xFE, count: 125)
        let ten = (0..<10).map { Array("payload-\($0)".utf8) }
        func ping(_ payload: [UInt8]) -> ClientFrame { ClientFrame(Kind.ping, payload) }
        func pong(_ payload: [UInt8]) -> ServerFrame { ServerFrame(Kind.pong, payload) }
        return [
            FrameCase("2.1", [ping([])], [pong([])]),
            FrameCase("2.2", [ping(Array("Hello, world!".utf8))], [pong(Array("Hello, world!".utf8))]),
            FrameCase("2.3", [ping(bytes)], [pong(bytes)]),
            FrameCase("2.4", [ping(long)], [pong(long)]),
            FrameCase("2.5", [ping([UInt8](repeating: 0xFE, count: 126))], [], .failed(1002)),
            FrameCase("2.6", [ping(long)], chop: 1, [pong(long)]),
            FrameCase("2.7", [ClientFrame(Kind.pong)], []),
            FrameCase("2.8", [ClientFrame(Kind.pong, "unsolicited pong payload")], []),
            FrameCase(
                "2.9", [ClientFrame(Kind.pong, "unsolicited pong payload"), ping(Array("ping payload".utf8))],
                [pong(Array("ping payload".utf8))]),
            FrameCase("2.10", ten.map(ping), ten.map(pong)),
            FrameCase("2.11", ten.map(ping), chop: 1, ten.map(pong)),
        ]
    }()

    private static let hello = Array("Hello, world!".utf8)

    /// The cases of group 3: reserved bits.
    static let reserved: [FrameCase] = {
        let bytes: [UInt8] = [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF]
        let first = ClientFrame(Kind.text, hello)
        let ping = ClientFrame(Kind.ping)
        let echo = [ServerFrame(Kind.text, hello)]
        func again(_ reserved: UInt8) -> [ClientFrame] {
            [first, ClientFrame(Kind.text, hello, reserved: reserved), ping]
        }
        return [
            FrameCase("3.1", [ClientFrame(Kind.text, hello, reserved: 1)], [], .failed(1002)),
            FrameCase("3.2", again(2), echo, .failed(1002)),
            FrameCase("3.3", again(3), echo, .failed(1002)),
            FrameCase("3.4", again(4), chop: 1, echo, .failed(1002)),
            FrameCase("3.5", [ClientFrame(Kind.binary, bytes, reserved: 5)], [], .failed(1002)),
            FrameCase("3.6", [ClientFrame(Kind.ping, hello, reserved: 6)], [], .failed(1002)),
            FrameCase("3.7", [ClientFrame(Kind.close, [], reserved: 7)], [], .failed(1002)),
        ]
    }()

    /// The cases of group 4: reserved opcodes.
    static let opcodes: [FrameCase] = [(1, UInt8(3)), (2, 11)].flatMap { group, lowest in
        let first = ClientFrame(Kind.text, hello)
        let echo = [ServerFrame(Kind.text, hello)]
        let ping = ClientFrame(Kind.ping)
        return [
            FrameCase("4.\(group).1", [ClientFrame(lowest)], [], .failed(1002)),
            FrameCase("4.\(group).2", [ClientFrame(lowest + 1, "reserved opcode payload")], [], .failed(1002)),
            FrameCase("4.\(group).3", [first, ClientFrame(lowest + 2), ping], echo, .failed(1002)),
            FrameCase("4.\(group).4", [first, ClientFrame(lowest + 3, hello), ping], echo, .failed(1002)),
            FrameCase("4.\(group).5", [first, ClientFrame(lowest + 4, hello), ping], chop: 1, echo, .failed(1002)),
        ]
    }
}
