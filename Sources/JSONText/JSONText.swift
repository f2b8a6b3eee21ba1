/// Strings of JSON (RFC 8259 §7), for the small texts that the gateway writes itself. The log has rules of its own: its
/// lines are looked at on terminals.
package enum JSONText {
    /// `text` in quotes, escaped as far as JSON wants it.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(jsonString: text)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Adds a JSON string, quotes included.
    package mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(contentsOf: [UInt8(ascii: "\\"), byte])
            case UInt8(ascii: "\n"): append(contentsOf: #"\n"#.utf8)
            case UInt8(ascii: "\r"): append(contentsOf: #"\r"#.utf8)
            case UInt8(ascii: "\t"): append(contentsOf: #"\t"#.utf8)
            case 0..<0x20, 0x7F:
                append(contentsOf: #"\u00"#.utf8)
                append(contentsOf: [Self.digit(byte >> 4), Self.digit(byte & 0xF)])
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
