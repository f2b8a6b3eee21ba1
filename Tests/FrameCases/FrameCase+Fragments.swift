// SPDX-License-Identifier: Apache-2.0

extension FrameCase {
    private static func part(_ number: Int, of kind: UInt8 = Kind.more, final: Bool = false) -> ClientFrame {
        ClientFrame(kind, "fragment\(number)", final: final)
    }

    private static func echo(_ count: Int) -> ServerFrame {
        ServerFrame(Kind.text, Array((1...count).map { "fragment\($0)" }.joined().utf8))
    }

    private static let ping = ClientFrame(Kind.ping, "ping payload")
    private static let pong = ServerFrame(Kind.pong, Array("ping payload".utf8))

    /// The cases of group 5: messages in several frames, with control frames among them.
    static let fragments: [FrameCase] = {
        let two = [part(1, of: Kind.text), part(2, final: true)]
        let twoWithPing = [two[0], ping, two[1]]
        func alone(final isFinal: Bool) -> [ClientFrame] {
            [
                ClientFrame(Kind.more, "non-continuation payload", final: isFinal),
                ClientFrame(Kind.text, "Hello, world!"),
            ]
        }
        func twice(_ frames: [ClientFrame]) -> [ClientFrame] { frames + frames }
        let pings = (1...2).map { ClientFrame(Kind.ping, "pongme \($0)!") }
        let pongs = (1...2).map { ServerFrame(Kind.pong, Array("pongme \($0)!".utf8)) }
        let five = [
            part(1, of: Kind.text), part(2), pings[0], part(3), part(4), pings[1], part(5, final: true),
        ]
        return [
            FrameCase(
                "5.1", [ClientFrame(Kind.ping, "fragment1", final: false), part(2, final: true)], [], .failed(1002)),
            FrameCase(
                "5.2", [ClientFrame(Kind.pong, "fragment1", final: false), part(2, final: true)], [], .failed(1002)),
            FrameCase("5.3", two, [echo(2)]),
            FrameCase("5.4", two, chop: 2, [echo(2)]),
            FrameCase("5.5", two, chop: 1, [echo(2)]),
            FrameCase("5.6", twoWithPing, [pong, echo(2)]),
            FrameCase("5.7", twoWithPing, chop: 2, [pong, echo(2)]),
            FrameCase("5.8", twoWithPing, chop: 1, [pong, echo(2)]),
            FrameCase("5.9", alone(final: true), [], .failed(1002)),
            FrameCase("5.10", alone(final: true), [], .failed(1002)),
            FrameCase("5.11", alone(final: true), chop: 1, [], .failed(1002)),
            FrameCase("5.12", alone(final: false), [], .failed(1002)),
            FrameCase("5.13", alone(final: false), [], .failed(1002)),
            FrameCase("5.14", alone(final: false), chop: 1, [], .failed(1002)),
            FrameCase(
                "5.15", two + [part(3), ClientFrame(Kind.text, "fragment4")], [echo(2)], .failed(1002)),
            FrameCase(
                "5.16", twice([part(1), part(2, of: Kind.text), part(3, final: true)]), [], .failed(1002)),
            FrameCase(
                "5.17", twice([part(1, final: true), part(2, of: Kind.text), part(3, final: true)]), [], .failed(1002)),
            FrameCase("5.18", [part(1, of: Kind.text), ClientFrame(Kind.text, "fragment2")], [], .failed(1002)),
            FrameCase("5.19", five, pongs + [echo(5)]),
            FrameCase("5.20", five, chop: 1, pongs + [echo(5)]),
        ]
    }()

    private static let greek: [UInt8] = Array("\u{3BA}\u{1F79}\u{3C3}\u{3BC}\u{3B5}".utf8)
    private static let edited = Array("edited".utf8)

    /// The cases 6.1 to 6.4: valid and invalid texts in several frames, and how early invalid bytes are detected.
    static let texts: [FrameCase] = {
        let long = Array("Hello-\u{B5}@\u{DF}\u{F6}\u{E4}\u{FC}\u{E0}\u{E1}-UTF-8!!".utf8)
        let wrong = greek + [0xED, 0xA0, 0x80] + edited
        let beyond = greek + [0xF4, 0x90, 0x80, 0x80] + edited
        func each(_ text: [UInt8]) -> [ClientFrame] {
            text.enumerated().map { index, byte in
                ClientFrame(index == 0 ? Kind.text : Kind.more, [byte], final: index == text.count - 1)
            }
        }
        // The first two of three frames of a message, or of three parts of a frame. The second frame or part contains
        // the invalid bytes.
        func frames(_ first: Int, _ second: Int) -> [[UInt8]] {
            [
                ClientFrame(Kind.text, Array(beyond[..<first]), final: false).bytes,
                ClientFrame(Kind.more, Array(beyond[first..<second]), final: false).bytes,
            ]
        }
        func chops(_ first: Int, _ second: Int) -> [[UInt8]] {
            let bytes = ClientFrame(Kind.text, beyond).bytes
            return [Array(bytes[..<(6 + first)]), Array(bytes[(6 + first)..<(6 + second)])]
        }
        return [
            FrameCase("6.1.1", [ClientFrame(Kind.text)], [ServerFrame(Kind.text, [])]),
            FrameCase(
                "6.1.2",
                [
                    ClientFrame(Kind.text, [], final: false), ClientFrame(Kind.more, [], final: false),
                    ClientFrame(Kind.more),
                ], [ServerFrame(Kind.text, [])]),
            FrameCase(
                "6.1.3",
                [
                    ClientFrame(Kind.text, [], final: false),
                    ClientFrame(Kind.more, "middle frame payload", final: false),
                    ClientFrame(Kind.more),
                ], [ServerFrame(Kind.text, Array("middle frame payload".utf8))]),
            FrameCase("6.2.1", [ClientFrame(Kind.text, long)], [ServerFrame(Kind.text, long)]),
            FrameCase(
                "6.2.2",
                [
                    ClientFrame(Kind.text, Array(long[..<12]), final: false),
                    ClientFrame(Kind.more, Array(long[12...])),
                ], [ServerFrame(Kind.text, long)]),
            FrameCase("6.2.3", each(long), [ServerFrame(Kind.text, long)]),
            FrameCase("6.2.4", each(greek), [ServerFrame(Kind.text, greek)]),
            FrameCase("6.3.1", [ClientFrame(Kind.text, wrong)], [], .failed(1007)),
            FrameCase("6.3.2", each(wrong), [], .failed(1007)),
            FrameCase("6.4.1", writes: frames(11, 15), [], .failed(1007)),
            FrameCase("6.4.2", writes: frames(12, 13), [], .failed(1007)),
            FrameCase("6.4.3", writes: chops(11, 15), [], .failed(1007)),
            FrameCase("6.4.4", writes: chops(12, 13), [], .failed(1007)),
        ] + tried
    }()

    /// The cases 6.5 to 6.23: valid and invalid UTF-8 texts.
    private static let tried: [FrameCase] = TextCase.all.map { text in
        text.isRight
            ? FrameCase(text.id, [ClientFrame(Kind.text, text.bytes)], [ServerFrame(Kind.text, text.bytes)])
            : FrameCase(text.id, [ClientFrame(Kind.text, text.bytes)], [], .failed(1007))
    }
}
