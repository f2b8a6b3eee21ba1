/// The version of a message: HTTP/1.0 or HTTP/1.1 (RFC 9112 §2.3).
package enum Version: UInt8, Sendable, Equatable {
    case http10, http11

    /// Spelt out, as for the other types below: what the compiler makes by itself is called by way of the protocol's
    /// table from other modules.
    @inlinable package static func == (left: Version, right: Version) -> Bool { left.rawValue == right.rawValue }
}

/// A request's head as the client sent it.
///
/// An object, because it is filled once for each request and read in many places: to pass it on costs next to nothing.
/// It stays on its connection's loop.
package final class RequestHead {
    /// The method.
    package var method: Method = .get
    /// The method's own spelling.
    package var methodName = "GET"
    /// The request target exactly as it stood in the request line: nothing decoded, nothing cut off.
    package var target: [UInt8] = []
    /// The version that the client speaks.
    package var version: Version = .http11
    /// The fields in order, with duplicates.
    package var fields = FieldList()

    /// A head to be filled.
    package init() {}

    /// Whether there may be a field of this name: where the answer is no there is none. To ask costs no reference to the fields.
    @inlinable package func mayHave(_ name: FieldName) -> Bool { fields.names.contains(name) }

    /// Prepares the head for another request; memory is kept.
    package func removeAll() {
        target.removeAll(keepingCapacity: true)
        fields.removeAll()
    }
}

/// An answer's head.
package struct ResponseHead: Sendable {
    /// The status code, 100 to 999 (RFC 9110 §15).
    package var status: Int
    /// The fields in order, with duplicates.
    package var fields: FieldList

    /// A head with this status and these fields.
    package init(status: Int, fields: FieldList = FieldList()) {
        self.status = status
        self.fields = fields
    }

    /// Whether a final answer with this status to this method has no body (RFC 9112 §6.3, items 1 and 2).
    package func hasNoBody(to method: Method) -> Bool {
        method == .head || (100..<200).contains(status) || status == 204 || status == 304
    }

    /// Whether the body is an event stream: told by its media type alone (WHATWG HTML §9.2.5), whatever the client
    /// asked for.
    package var isEventStream: Bool {
        status == 200 && fields.withFirst(.contentType, Self.isEventStreamType) == true
    }

    private static let eventStream = Array("text/event-stream".utf8)

    /// Whether a Content-Type's value is that type, with parameters or without. It carries no white space around it.
    private static func isEventStreamType(_ value: Span<UInt8>) -> Bool {
        // Most answers differ in their first byte already.
        guard value.count >= 17, value[0].lowercasedLetter == UInt8(ascii: "t") else { return false }
        let expected = eventStream.span
        for index in expected.indices where value[index].lowercasedLetter != expected[index] { return false }
        var next = expected.count
        while next < value.count, value[next].isOptionalWhiteSpace { next += 1 }
        return next == value.count || value[next] == UInt8(ascii: ";")
    }
}
