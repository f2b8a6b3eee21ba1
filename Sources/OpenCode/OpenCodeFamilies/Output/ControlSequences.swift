// SPDX-License-Identifier: Apache-2.0

/// A parser that separates a terminal's control sequences (ECMA-48 §5.4) from text.
package struct ControlSequences: Sendable {
    private enum State { case text, started, sequence, string }

    private var state = State.text

    /// Creates a parser whose first byte belongs to text.
    package init() {}

    /// Consumes the next byte. Returns whether the byte belongs to a control sequence instead of the text.
    package mutating func consume(_ byte: UInt8) -> Bool {
        switch state {
        case .text:
            guard byte == 0x1B else { return false }
            state = .started
        case .started:
            // CSI is `ESC [`. OSC, DCS and similar sequences contain a string. All other sequences are two bytes long.
            state =
                switch byte {
                case UInt8(ascii: "["): .sequence
                case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
                    .string
                default: .text
                }
        case .sequence:
            if (0x40...0x7E).contains(byte) { state = .text }
        case .string:
            if byte == 0x07 { state = .text } else if byte == 0x1B { state = .started }
        }
        return true
    }

    /// Returns a line of output without control sequences, control characters and changes of the writing direction.
    /// Replaces tabs and carriage returns with spaces.
    package static func plain(_ line: String) -> String {
        var sequences = ControlSequences()
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            // Pass the same byte for every non-ASCII character. Within a sequence, such a character can only occur in a
            // string, and does not affect the state.
            guard !sequences.consume(scalar.isASCII ? UInt8(scalar.value) : 0xFF) else { continue }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                if scalar == "\t" || scalar == "\r" { text.append(" ") }
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
