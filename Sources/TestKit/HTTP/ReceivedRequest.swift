/// The request line and the fields of a request as they came.
package struct ReceivedRequestHead: Sendable, Equatable {
    /// The method, such as `GET`.
    package let method: String
    /// The request target, raw: nothing decoded.
    package let target: String
    /// `HTTP/1.1` or `HTTP/1.0`.
    package let version: String
    /// The fields in order, with exact spelling and duplicates.
    package let fields: [TestField]
    /// Every byte up to and including the empty line.
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

    /// All values of the fields with that name, case-insensitively, in order.
    package func values(of name: String) -> [String] { fields.values(of: name) }

    /// The value of the first field with that name.
    package func value(of name: String) -> String? { fields.first(name) }

    /// The target up to its question mark.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the sender wants the connection to stay open (RFC 9112 §9.3).
    package var keepsAlive: Bool {
        let options = values(of: "Connection").joined(separator: ",").lowercased().split { $0 == "," || $0 == " " }
        return version == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
    }
}

/// A whole request with its body.
package struct ReceivedRequest: Sendable, Equatable {
    /// The request line and the fields.
    package let head: ReceivedRequestHead
    /// The content, chunk framing removed.
    package let body: [UInt8]
    /// The body as it stood on the wire, chunk framing included.
    package let rawBody: [UInt8]
    /// The trailer fields of a chunked body.
    package let trailers: [TestField]
    /// The sizes of the chunks; empty when it was not chunked.
    package let chunkSizes: [Int]

    /// The method, such as `GET`.
    package var method: String { head.method }
    /// The request target, raw.
    package var target: String { head.target }
    /// The fields in order, with exact spelling and duplicates.
    package var fields: [TestField] { head.fields }
    /// The body as UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// All values of the fields with that name, case-insensitively, in order.
    package func values(of name: String) -> [String] { head.values(of: name) }

    /// The value of the first field with that name.
    package func value(of name: String) -> String? { head.value(of: name) }
}

extension TestConnection {
    /// The next request's head; nil when the peer closed cleanly before its first byte.
    package func readRequestHead(within limit: Duration = TestConnection.defaultLimit) throws -> ReceivedRequestHead? {
        guard let raw = try readThrough("\r\n\r\n", within: limit, waitingFor: "a request's head") else { return nil }
        return try ReceivedRequestHead(MessageHead(raw))
    }

    /// The next request with its whole body; nil when the peer closed cleanly before its first byte.
    ///
    /// `Expect: 100-continue` is answered with `100 Continue` when wanted. A body cut short throws `closed` or `reset`.
    package func readRequest(
        within limit: Duration = TestConnection.defaultLimit, answeringExpect: Bool = true
    ) throws -> ReceivedRequest? {
        guard let raw = try readThrough("\r\n\r\n", within: limit, waitingFor: "a request's head") else { return nil }
        return try readRequest(startingWith: raw, within: limit, answeringExpect: answeringExpect)
    }

    /// The whole request whose head's bytes were read before.
    package func readRequest(
        startingWith raw: [UInt8], within limit: Duration = TestConnection.defaultLimit, answeringExpect: Bool = true
    ) throws -> ReceivedRequest {
        let head = try ReceivedRequestHead(MessageHead(raw))
        if answeringExpect, head.value(of: "Expect")?.lowercased() == "100-continue" {
            try write("HTTP/1.1 100 Continue\r\n\r\n")
        }
        return try readBody(of: head, within: limit)
    }

    /// The body that belongs to a head read before, and with it the whole request. The limit is for all of it.
    package func readBody(
        of head: ReceivedRequestHead, within limit: Duration = TestConnection.defaultLimit
    ) throws -> ReceivedRequest {
        let reader = BodyReader(self, try BodyFraming(head.fields) ?? .none, keepsRaw: true)
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
