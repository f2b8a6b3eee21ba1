import HTTPTypes

/// A head as it stands on the wire, for the answers that libmicrohttpd does not send.
enum WireHead {
    /// Status line and fields, without the empty line that ends the head.
    static func begin(_ head: ResponseHead) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        bytes.append(decimal: UInt64(head.status))
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: Response.reason(head.status).utf8)
        endLine(&bytes)
        head.fields.appendLines(to: &bytes)
        return bytes
    }

    /// Adds a field.
    static func add(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.description.utf8)
        bytes.append(contentsOf: ": ".utf8)
        bytes.append(contentsOf: value.utf8)
        endLine(&bytes)
    }

    /// Ends a line or, the second time, the head.
    static func endLine(_ bytes: inout [UInt8]) { bytes.append(contentsOf: [0x0d, 0x0a]) }

    /// A whole answer after which the connection is closed.
    static func complete(_ answer: Answer) -> [UInt8] {
        var bytes = begin(answer.head)
        add("Content-Length", String(answer.body.count), to: &bytes)
        add("Connection", "close", to: &bytes)
        endLine(&bytes)
        bytes.append(contentsOf: answer.body)
        return bytes
    }
}
