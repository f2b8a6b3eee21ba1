/// The status line and the fields of a response, final or interim.
package struct TestResponseHead: Sendable, Equatable {
    /// `HTTP/1.1` or `HTTP/1.0`.
    package let version: String
    /// The three digits.
    package let status: Int
    /// The text behind the status; may be empty.
    package let reason: String
    /// The fields in order, with exact spelling and duplicates.
    package let fields: [TestField]
    /// Every byte up to and including the empty line.
    package let raw: [UInt8]

    init(_ head: MessageHead) throws {
        let parts = head.startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let status = Int(parts[1]), (100...599).contains(status)
        else { throw TestKitError.malformed("a status line: \(head.startLine.debugDescription)") }
        version = String(parts[0])
        self.status = status
        reason = parts.count == 3 ? String(parts[2]) : ""
        fields = head.fields
        raw = head.raw
    }

    /// All values of the fields with that name, case-insensitively, in order.
    package func values(of name: String) -> [String] { fields.values(of: name) }

    /// The value of the first field with that name.
    package func value(of name: String) -> String? { fields.first(name) }

    /// Whether it says that the connection ends with this answer (RFC 9112 §9.6).
    package var endsConnection: Bool {
        let options = values(of: "Connection").joined(separator: ",").lowercased()
        return options.split { $0 == "," || $0 == " " }.contains("close")
    }

    /// Whether the body is an event stream.
    var isEventStream: Bool { value(of: "Content-Type")?.lowercased().hasPrefix("text/event-stream") == true }
}

/// A whole response: the final head, the interim ones before it, and the body as far as it came.
package struct TestResponse: Sendable, Equatable {
    /// How a response's body ended.
    package enum Ending: Sendable, Equatable {
        /// All that was promised came: by Content-Length, by the last chunk, or because there is no body.
        case complete
        /// The length was not told and the peer closed cleanly, which is such a body's proper end.
        case closed
        /// The peer closed cleanly before all that was promised had come.
        case truncated
        /// The peer reset the connection before all that was promised had come.
        case reset
    }

    /// The final head.
    package let head: TestResponseHead
    /// The 1xx heads before it.
    package let interim: [TestResponseHead]
    /// The content, chunk framing removed.
    package let body: [UInt8]
    /// How the body ended.
    package let ending: Ending
    /// The trailer fields.
    package let trailers: [TestField]
    /// The sizes of the chunks; empty when it was not chunked.
    package let chunkSizes: [Int]

    /// The status code.
    package var status: Int { head.status }
    /// The reason phrase.
    package var reason: String { head.reason }
    /// `HTTP/1.1` or `HTTP/1.0`.
    package var version: String { head.version }
    /// The fields in order, with exact spelling and duplicates.
    package var fields: [TestField] { head.fields }
    /// The body as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// All values of the fields with that name, case-insensitively, in order.
    package func values(of name: String) -> [String] { head.values(of: name) }

    /// The value of the first field with that name.
    package func value(of name: String) -> String? { head.value(of: name) }
}
