// SPDX-License-Identifier: Apache-2.0

/// A text of the Autobahn test suite's groups 6.5 to 6.23, and whether it is valid UTF-8 (RFC 3629). The suite takes
/// the texts from Markus Kuhn's UTF-8 decoder test.
package struct TextCase: Sendable, CustomStringConvertible {
    /// The number of the case in the suite.
    package let id: String
    /// The bytes of the text.
    package let bytes: [UInt8]
    /// Whether the text is valid UTF-8.
    package let isRight: Bool

    package var description: String { id }

    /// The cases of all groups.
    package static let all: [TextCase] = groups.enumerated().flatMap { group, texts in
        texts.enumerated().map { index, text in
            TextCase(id: "6.\(group + 5).\(index + 1)", bytes: text.bytes, isRight: text.isRight)
        }
    }

    private typealias Text = (isRight: Bool, bytes: [UInt8])

    private static func right(_ texts: [[UInt8]]) -> [Text] { texts.map { (true, $0) } }
    private static func wrong(_ texts: [[UInt8]]) -> [Text] { texts.map { (false, $0) } }

    private static let greek = Array("\u{3BA}\u{1F79}\u{3C3}\u{3BC}\u{3B5}".utf8)

    private static let groups: [[Text]] = [
        right(
            ["hello\u{24}world", "hello\u{A2}world", "hello\u{20AC}world", "hello\u{24B62}world"].map { Array($0.utf8) }
                + [greek]),
        // All prefixes of that text. Those that end with a character are valid.
        (1...greek.count).map { ([2, 5, 7, 9, 11].contains($0), Array(greek[..<$0])) },
        right([[0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80]]),
        wrong([[0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]]),
        right([[0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF]]),
        wrong([[0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]]),
        right([[0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD], [0xF4, 0x8F, 0xBF, 0xBF]])
            + wrong([[0xF4, 0x90, 0x80, 0x80]]),
        wrong(
            [[0x80], [0xBF]] + (2...6).map { count in (0..<count).map { $0 % 2 == 0 ? 0x80 : 0xBF } }
                + [Array(0x80..<0xBF)]),
        wrong(
            [0xC0..<0xDF, 0xE0..<0xEF, 0xF0..<0xF7, 0xF8..<0xFB, 0xFC..<0xFD].map { (range: Range<UInt8>) in
                range.flatMap { [$0, 0x20] }
            }),
        wrong(unfinished),
        wrong([unfinished.flatMap(\.self)]),
        wrong([[0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF]]),
        wrong(lead.map { $0 + [0xAF] }),
        wrong([
            [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF8, 0x87, 0xBF, 0xBF, 0xBF],
            [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF],
        ]),
        wrong(lead.map { $0 + [0x80] }),
        wrong(single),
        wrong(
            [[0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xAE, 0x80], [0xED, 0xAF, 0xBF]].flatMap { high in
                [high + [0xED, 0xB0, 0x80], high + [0xED, 0xBF, 0xBF]]
            }),
        right([[0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF]] + nonCharacters),
        right((0xB9...0xBF).map { [0xEF, 0xBF, $0] }),
    ]

    /// Characters of one byte, encoded in two to six bytes, without the last byte.
    private static let lead: [[UInt8]] = [
        [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80],
    ]

    /// Encoded characters without their last byte.
    private static let unfinished =
        lead + [[0xDF], [0xEF, 0xBF], [0xF7, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF]]

    /// The halves of surrogate pairs.
    private static let single: [[UInt8]] = [
        [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xAE, 0x80], [0xED, 0xAF, 0xBF], [0xED, 0xB0, 0x80],
        [0xED, 0xBE, 0x80], [0xED, 0xBF, 0xBF],
    ]

    /// U+1FFFE to U+10FFFF: the last two code points of each plane.
    private static let nonCharacters: [[UInt8]] = (1...16).flatMap { plane in
        [0xFFFE, 0xFFFF].map { (low: Int) -> [UInt8] in
            let point = plane << 16 | low
            return [
                0xF0 | UInt8(point >> 18), 0x80 | UInt8(point >> 12 & 63), 0x80 | UInt8(point >> 6 & 63),
                0x80 | UInt8(point & 63),
            ]
        }
    }
}
