// SPDX-License-Identifier: Apache-2.0

/// The request line and the fields of a request as received.
package struct ReceivedRequestHead: Sendable, Equatable {
    /// The method, such as `GET`.
    package let method: String
    /// The raw request target, not decoded.
    package let target: String
    /// The version, `HTTP/1.1` or `HTTP/1.0`.
    package let version: String
    /// The fields in their order, with their exact spelling and with duplicates.
    package let fields: [TestField]
    /// All bytes of the head, including the empty line.
    package let raw: [UInt8]

    init(_ head: MessageHead) throws {
        let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0"
        else { throw TestKitError.malformed("a request line: \(head.startLine.debugDescription)") }
        method = String(parts[0])
        target = String(parts[1])
        version = String(parts[2])
        fields = head.fields
        raw = head.raw
    }

    /// Returns all values of the fields with this name in order, ignoring case.
    package func values(of name: String) -> [String] { fields.values(of: name) }

    /// Returns the value of the first field with this name.
    package func value(of name: String) -> String? { fields.first(name) }

    /// The target up to, but not including, its question mark.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the sender requests that the connection stays open (RFC 9112 §9.3).
    package var keepsAlive: Bool {
        let options = values(of: "Connection").joined(separator: ",").lowercased().split { $0 == "," || $0 == " " }
        return version == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
    }
}

/// A complete request including its body.
package struct ReceivedRequest: Sendable, Equatable {
    /// The request line and the fields.
    package let head: ReceivedRequestHead
    /// The content without chunk framing.
    package let body: [UInt8]
    /// The body as received, including chunk framing.
    package let rawBody: [UInt8]
    /// The trailer fields of a chunked body.
    package let trailers: [TestField]
    /// The sizes of the chunks; empty for a body that is not chunked.
    package let chunkSizes: [Int]

    /// The method, such as `GET`.
    package var method: String { head.method }
    /// The raw request target, not decoded.
    package var target: String { head.target }
    /// The fields in their order, with their exact spelling and with duplicates.
    package var fields: [TestField] { head.fields }
    /// The body decoded as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns all values of the fields with this name in order, ignoring case.
    package func values(of name: String) -> [String] { head.values(of: name) }

    /// Returns the value of the first field with this name.
    package func value(of name: String) -> String? { head.value(of: name) }
}

extension TestConnection {
    /// Reads the head of the next request. Returns nil if the peer closed the connection cleanly before the first byte.
    package func readRequestHead(within limit: Duration = TestConnection.defaultLimit) throws -> ReceivedRequestHead? {
        guard let raw = try readThrough("\r\n\r\n", within: limit, waitingFor: "a request's head") else { return nil }
        return try ReceivedRequestHead(MessageHead(raw))
    }

    /// Reads the next request with its whole body. Returns nil if the peer closed the connection cleanly before the
    /// first byte.
    ///
    /// Responds to `Expect: 100-continue` with `100 Continue`, unless this is disabled.
    ///
    /// - Throws: `closed` or `reset` if the body is incomplete.
    package func readRequest(
        within limit: Duration = TestConnection.defaultLimit, answeringExpect: Bool = true
    ) throws -> ReceivedRequest? {
        guard let raw = try readThrough("\r\n\r\n", within: limit, waitingFor: "a request's head") else { return nil }
        return try readRequest(startingWith: raw, within: limit, answeringExpect: answeringExpect)
    }

    /// Reads the rest of the request whose head has already been read.
    package func readRequest(
        startingWith raw: [UInt8], within limit: Duration = TestConnection.defaultLimit, answeringExpect: Bool = true
    ) throws -> ReceivedRequest {
        let head = try ReceivedRequestHead(MessageHead(raw))
        if answeringExpect, head.value(of: "Expect")?.lowercased() == "100-continue" {
            try write("HTTP/1.1 100 Continue\r\n\r\n")
        }
        return try readBody(of: head, within: limit)
    }

    /// Reads the body for a head that has already been read, and returns the complete request. The limit applies to the
    /// whole body.
    package func readBody(
        of head: ReceivedRequestHead, within limit: Duration = TestConnection.defaultLimit
    ) throws -> ReceivedRequest {
        let reader = BodyReader(self, try BodyFraming(head.fields) ?? .none, recordsRawBytes: true)
        let deadline = Deadline(after: limit)
        var body: [UInt8] = []
        while let part = try reader.next(within: deadline.remaining) { body += part }
        switch reader.ending {
        case .reset: throw TestKitError.reset(during: "reading a request's body, after \(body.count) bytes")
        case .truncated: throw TestKitError.closed(waitingFor: "the rest of a request's body after \(body.count) bytes")
        case .complete, .closed, nil: break
        }
        return ReceivedRequest(
            head: head, body: body, rawBody: reader.raw, trailers: reader.trailers, chunkSizes: reader.chunkSizes)
    }
}
