/// The version of a message: HTTP/1.0 or HTTP/1.1 (RFC 9112 §2.3).
package enum Version: Sendable, Equatable {
    case http10, http11
}

/// A request's head as the client sent it.
package struct RequestHead: Sendable {
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

    /// Prepares the head for another request; memory is kept.
    package mutating func removeAll() {
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
        guard status == 200, let type = fields.first(.contentType) else { return false }
        let mediaType = type.prefix { $0 != UInt8(ascii: ";") }.trimmingOptionalWhiteSpace()
        return mediaType.equalsIgnoringCase(Self.eventStream)
    }

    private static let eventStream = Array("text/event-stream".utf8)
}
