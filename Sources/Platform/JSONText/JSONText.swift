// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Writes JSON strings (RFC 8259 §7) in small texts that the gateway creates itself. Log lines use stricter rules,
/// because users view log lines on terminals.
package enum JSONText {
    /// Returns `text` in quotes, with escapes for quotes, backslashes and control characters.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(jsonString: text)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a JSON string including its quotes.
    package mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        let bytes = Array(text.utf8)
        // Most strings need no escape and are copied in one step. Search for escapes in a loop without an early exit,
        // because the compiler can vectorise such a loop.
        var escapes: UInt8 = 0
        for byte in bytes { escapes |= Self.isEscaped(byte) ? 1 : 0 }
        var start = 0
        while escapes != 0, let index = bytes[start...].firstIndex(where: Self.isEscaped) {
            append(contentsOf: bytes[start..<index])
            append(escaped: bytes[index])
            start = index + 1
        }
        append(contentsOf: bytes[start...])
        append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private mutating func append(escaped byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
        default:
            append(contentsOf: "u00".utf8)
            append(UInt8(hexadecimalDigit: byte >> 4))
            append(UInt8(hexadecimalDigit: byte & 0xF))
        }
    }
}
