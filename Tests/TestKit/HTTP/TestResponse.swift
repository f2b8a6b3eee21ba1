// SPDX-License-Identifier: Apache-2.0

/// The status line and the fields of a response, final or interim.
package struct TestResponseHead: Sendable, Equatable {
    /// The version, `HTTP/1.1` or `HTTP/1.0`.
    package let version: String
    /// The status code, which has three digits.
    package let status: Int
    /// The text after the status code, which may be empty.
    package let reason: String
    /// The fields in their order, with their exact spelling and with duplicates.
    package let fields: [TestField]
    /// All bytes of the head, including the empty line.
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

    /// Returns all values of the fields with this name in order, ignoring case.
    package func values(of name: String) -> [String] { fields.values(of: name) }

    /// Returns the value of the first field with this name.
    package func value(of name: String) -> String? { fields.first(name) }

    /// Whether the head announces the end of the connection (RFC 9112 §9.6).
    package var endsConnection: Bool {
        let options = values(of: "Connection").joined(separator: ",").lowercased()
        return options.split { $0 == "," || $0 == " " }.contains("close")
    }

    /// Whether the body is an event stream.
    var isEventStream: Bool { value(of: "Content-Type")?.lowercased().hasPrefix("text/event-stream") == true }
}

/// A response: the final head, the interim heads before it, and the received part of the body.
package struct TestResponse: Sendable, Equatable {
    /// How a response's body ended.
    package enum Ending: Sendable, Equatable {
        /// The body is complete according to Content-Length or its last chunk, or there is no body.
        case complete
        /// The peer closed the connection cleanly. This is the proper end of a body without a length.
        case closed
        /// The peer closed the connection cleanly before the body was complete.
        case truncated
        /// The peer reset the connection before the body was complete.
        case reset
    }

    /// The final head of the response.
    package let head: TestResponseHead
    /// The 1xx heads before the final head.
    package let interim: [TestResponseHead]
    /// The content without chunk framing.
    package let body: [UInt8]
    /// How the body ended, regardless of whether it is complete.
    package let ending: Ending
    /// The trailer fields of a chunked body.
    package let trailers: [TestField]
    /// The sizes of the chunks; empty for a body that is not chunked.
    package let chunkSizes: [Int]

    /// The status code of the final head.
    package var status: Int { head.status }
    /// The reason phrase of the final head.
    package var reason: String { head.reason }
    /// The version, `HTTP/1.1` or `HTTP/1.0`.
    package var version: String { head.version }
    /// The fields in their order, with their exact spelling and with duplicates.
    package var fields: [TestField] { head.fields }
    /// The body decoded as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns all values of the fields with this name in order, ignoring case.
    package func values(of name: String) -> [String] { head.values(of: name) }

    /// Returns the value of the first field with this name.
    package func value(of name: String) -> String? { head.value(of: name) }
}
