// SPDX-License-Identifier: Apache-2.0

/// The state of an output parser within a control sequence of a terminal (ECMA-48 §5.4).
package struct ControlSequences: Sendable {
    private enum State { case text, started, sequence, string }

    private var state = State.text

    /// Creates a parser at the beginning of text.
    package init() {}

    /// Consumes the next byte. Returns whether it belongs to a control sequence and not to the text.
    package mutating func consume(_ byte: UInt8) -> Bool {
        switch state {
        case .text:
            guard byte == 0x1B else { return false }
            state = .started
        case .started:
            // CSI is `ESC [`. OSC, DCS and similar sequences contain a string. Every other sequence is two bytes long.
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

    /// Returns a line of output as plain text, without control sequences and other characters that control a terminal
    /// (control characters, changes of the writing direction). Tabs and carriage returns become spaces.
    package static func plain(_ line: String) -> String {
        var sequences = ControlSequences()
        var text = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            // Pass the same byte for every non-ASCII character. Within a sequence, such characters can only occur in a
            // string, where they have no meaning.
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
