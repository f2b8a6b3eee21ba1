// SPDX-License-Identifier: Apache-2.0

/// The HTTP version of a message: HTTP/1.0 or HTTP/1.1 (RFC 9112 §2.3).
package enum Version: UInt8, Sendable, Equatable {
    case http10, http11

    /// Returns whether two versions are equal. The implementation is explicit, because other modules call a synthesized
    /// `==` through the protocol's witness table.
    @inlinable package static func == (left: Version, right: Version) -> Bool { left.rawValue == right.rawValue }
}

/// The head of a request as the client sent it.
///
/// The type is a class, because a head is filled once for each request and read in many places, so passing it on must
/// be cheap. A head is confined to its connection's event loop.
package final class RequestHead {
    /// The method; `other` if the gateway does not know the method.
    package var method: Method = .get
    /// The method's name as the client spelled it.
    package var methodName = "GET"
    /// The request target exactly as in the request line, neither decoded nor shortened.
    package var target: [UInt8] = []
    /// The HTTP version of the request.
    package var version: Version = .http11
    /// The fields in their original order, including duplicates.
    package var fields = FieldList()

    /// Creates an empty head that a parser fills.
    package init() {}

    /// Returns false only if there is certainly no field with this name. The check takes no reference to the fields.
    @inlinable package func mayHave(_ name: FieldName) -> Bool { fields.names.contains(name) }

    /// Resets the head for another request and keeps its memory.
    package func removeAll() {
        target.removeAll(keepingCapacity: true)
        fields.removeAll()
    }
}

/// The head of a response.
package struct ResponseHead: Sendable {
    /// The status code, 100 to 999 (RFC 9110 §15).
    package var status: Int
    /// The fields in their original order, including duplicates.
    package var fields: FieldList

    /// Creates a head with this status and these fields.
    package init(status: Int, fields: FieldList = FieldList()) {
        self.status = status
        self.fields = fields
    }

    /// Returns whether a response with this status to a request with this method has no body (RFC 9112 §6.3, items 1
    /// and 2).
    package func hasNoBody(to method: Method) -> Bool {
        method == .head || (100..<200).contains(status) || status == 204 || status == 304
    }

    /// Whether the body is an event stream. The value depends only on the response's status and media type (WHATWG HTML
    /// §9.2.5), not on the client's request.
    package var isEventStream: Bool {
        status == 200 && fields.withFirst(.contentType, Self.isEventStreamType) == true
    }

    /// Whether the body is an HTML page.
    package var isWebPage: Bool {
        guard let index = fields.firstIndex(of: .contentType) else { return false }
        return fields.value(at: index).startsIgnoringCase(Self.html)
    }

    private static let html = Array("text/html".utf8)
    private static let eventStream = Array("text/event-stream".utf8)

    /// Returns whether a Content-Type value denotes an event stream, with or without parameters. The value must not
    /// have surrounding white space.
    private static func isEventStreamType(_ value: Span<UInt8>) -> Bool {
        // Compare the first byte before the others, because most other media types differ in it.
        guard value.count >= 17, value[0].lowercasedLetter == UInt8(ascii: "t") else { return false }
        let expected = eventStream.span
        for index in expected.indices where value[index].lowercasedLetter != expected[index] { return false }
        var next = expected.count
        while next < value.count, value[next].isOptionalWhiteSpace { next += 1 }
        return next == value.count || value[next] == UInt8(ascii: ";")
    }
}
