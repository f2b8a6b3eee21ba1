package import HTTPTypes

/// A complete answer that the gateway gives itself.
package struct Answer: Sendable {
    /// Status and fields; Content-Length and Date are added when it is sent.
    package var head: ResponseHead
    /// The whole body.
    package var body: [UInt8]

    /// An answer with these parts.
    package init(head: ResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

extension Answer {
    /// An error as every client of the gateway knows it: `{"detail": "…"}`, one plain sentence.
    package static func detail(_ status: Int, _ sentence: String) -> Answer {
        var head = ResponseHead(status: status)
        head.fields.append("Content-Type", "application/json")
        var body = Array(#"{"detail":"#.utf8)
        body.append(jsonString: sentence)
        body.append(UInt8(ascii: "}"))
        return Answer(head: head, body: body)
    }
}

extension [UInt8] {
    /// Adds a JSON string (RFC 8259 §7), quotes included.
    package mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case 0..<0x20, 0x7f:
                append(contentsOf: "\\u00".utf8)
                if byte < 16 { append(UInt8(ascii: "0")) }
                append(hexadecimal: UInt64(byte))
            default:
                append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
