// SPDX-License-Identifier: Apache-2.0

extension FrameCase {
    /// The cases of group 7, the closing handshake.
    static let closing: [FrameCase] = {
        let hello = Array("Hello ConversationHarness!".utf8)
        let greek: [UInt8] = [
            0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0, 0x80, 0x65, 0x64, 0x69, 0x74,
            0x65, 0x64,
        ]
        let quarter = Array((0..<26_215).flatMap { _ in Array("BAsd7&jh23".utf8) }.prefix(256 * 1024))
        let text = ClientFrame(Kind.text, hello)
        let close = ClientFrame.close(1000)
        let ping = ClientFrame(Kind.ping)
        let echo = ServerFrame(Kind.text, hello)
        return [
            FrameCase("7.1.1", [text], [echo]),
            FrameCase("7.1.2", [close, close], [], .answered(1000)),
            FrameCase("7.1.3", [close, ping], [], .answered(1000)),
            FrameCase("7.1.4", [close, text], [], .answered(1000)),
            FrameCase(
                "7.1.5",
                [ClientFrame(Kind.text, "fragment1", final: false), close, ClientFrame(Kind.more, "fragment2")], [],
                .answered(1000)),
            FrameCase(
                "7.1.6", [ClientFrame(Kind.text, quarter), text, close, ping],
                [ServerFrame(Kind.text, quarter), echo], .answered(1000)),
            FrameCase("7.3.1", [.close(nil)], [], .answered(nil)),
            FrameCase("7.3.2", [ClientFrame(Kind.close, "a")], [], .failed(1002)),
            FrameCase("7.3.3", [.close(1000)], [], .answered(1000)),
            FrameCase("7.3.4", [.close(1000, hello)], [], .answered(1000)),
            FrameCase("7.3.5", [.close(1000, [UInt8](repeating: 0x2A, count: 123))], [], .answered(1000)),
            FrameCase("7.3.6", [.close(1000, [UInt8](repeating: 0x2A, count: 124))], [], .failed(1002)),
            FrameCase("7.5.1", [.close(1000, greek)], [], .failed(1007)),
        ] + codes
    }()

    private static let codes: [FrameCase] =
        [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].enumerated().map {
            FrameCase("7.7.\($0 + 1)", [.close($1)], [], .answered($1))
        }
        + [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999].enumerated().map {
            FrameCase("7.9.\($0 + 1)", [.close($1)], [], .failed(1002))
        }
        // The suite does not define the result of these cases.
        + [5000, 65_535].enumerated().map { FrameCase("7.13.\($0 + 1)", [.close($1)], [], .failed(1002)) }

    /// The cases of group 9: large messages, in one frame, in many frames and in parts. The gateway accepts 1 MiB. It
    /// rejects the suite's larger messages, up to 16 MiB, at their first byte. Cases 9.7 and 9.8 send a thousand
    /// messages in sequence.
    static let limits: [FrameCase] = {
        let mebi = 1 << 20
        var cases: [FrameCase] = []
        for (group, kind, byte) in [(1, Kind.text, UInt8(ascii: "*")), (2, Kind.binary, UInt8(0xFE))] {
            for (index, size) in [mebi / 16, mebi / 4, mebi, 4 * mebi, 8 * mebi, 16 * mebi].enumerated() {
                let id = "9.\(group).\(index + 1)"
                let payload = [UInt8](repeating: byte, count: min(size, mebi))
                var frame = ClientFrame(kind, payload)
                frame.announced = size
                cases.append(
                    size <= mebi
                        ? FrameCase(id, [frame], [ServerFrame(kind, payload)])
                        : FrameCase(id, writes: [Array(frame.bytes.prefix(64))], [], .failed(1009)))
            }
        }
        for (group, kind, byte) in [(3, Kind.text, UInt8(ascii: "*")), (4, Kind.binary, UInt8(0xFE))] {
            for (index, size) in [64, 256, 1024, 4096, 16_384, 65_536, 262_144, mebi, 4 * mebi].enumerated() {
                // The suite sends 4 MiB in frames of this size, and the first frame beyond 1 MiB ends the connection.
                // The smallest sizes would need tens of thousands of frames, so a whole MiB is sent instead.
                let id = "9.\(group).\(index + 1)"
                let isWhole = size < 4096
                let count = isWhole ? mebi / size : 4 * mebi / size
                let frames = (0..<count).map { index in
                    ClientFrame(
                        index == 0 ? kind : Kind.more, [UInt8](repeating: byte, count: size), final: index == count - 1)
                }
                let sent = frames.prefix(mebi / size + 1).map(\.bytes)
                cases.append(
                    isWhole
                        ? FrameCase(id, frames, [ServerFrame(kind, [UInt8](repeating: byte, count: mebi))])
                        : FrameCase(id, writes: sent, [], .failed(1009)))
            }
        }
        for (group, kind, byte) in [(5, Kind.text, UInt8(ascii: "*")), (6, Kind.binary, UInt8(0xFE))] {
            let payload = [UInt8](repeating: byte, count: mebi)
            for (index, chop) in [64, 128, 256, 512, 1024, 2048].enumerated() {
                cases.append(
                    FrameCase(
                        "9.\(group).\(index + 1)", [ClientFrame(kind, payload)], chop: chop,
                        [ServerFrame(kind, payload)]))
            }
        }
        for (group, kind, byte) in [(7, Kind.text, UInt8(ascii: "*")), (8, Kind.binary, UInt8(0xFE))] {
            for (index, size) in [0, 16, 64, 256, 1024, 4096].enumerated() {
                let payload = [UInt8](repeating: byte, count: size)
                cases.append(
                    FrameCase(
                        "9.\(group).\(index + 1)", Array(repeating: ClientFrame(kind, payload), count: 1000),
                        Array(repeating: ServerFrame(kind, payload), count: 1000)))
            }
        }
        return cases
    }()
}
