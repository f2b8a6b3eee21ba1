// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import HTTPTypes

/// The treatment of the body of a request to which the gateway itself responds.
package enum BodyRule: Sendable, Equatable {
    /// The gateway reads and discards the body.
    case ignored
    /// The body must be JSON of at most `limit` bytes. The gateway rejects a larger body with 413, another content type
    /// with 415, and a body that is not UTF-8 with 400.
    case json(limit: Int)
    /// Like ``json(limit:)``, but the body may also be a form of a web page.
    case jsonOrForm(limit: Int)
    /// Like ``json(limit:)``, but the request may have no body.
    case optionalJSON(limit: Int)

    /// The maximum size of the body in bytes; nil if the gateway ignores the body.
    var limit: Int? {
        switch self {
        case .ignored: nil
        case .json(let limit), .jsonOrForm(let limit), .optionalJSON(let limit): limit
        }
    }

    /// Returns the refusal of a request whose head shows that the body violates the rule; nil otherwise.
    func refusal(of head: RequestHead, _ framing: RequestFraming) -> GatewayError? {
        guard let limit else { return nil }
        if case .optionalJSON = self, framing == .none { return nil }
        if case .length(let length) = framing, length > limit { return Self.tooLarge(limit) }
        if case .jsonOrForm = self, Self.isForm(head) { return nil }
        guard head.fields.withFirst(.contentType, { Self.isType($0, Self.json) }) == true else {
            return GatewayError(415, "The body must be JSON. Send it with Content-Type: application/json.")
        }
        return nil
    }

    /// Returns the refusal of a body that turned out to be longer than the limit.
    static func tooLarge(_ limit: Int) -> GatewayError {
        GatewayError(413, "The body is larger than \(limit) bytes, the limit of this endpoint. Send a smaller body.")
    }

    /// Returns the refusal of a complete body that is not UTF-8; nil for UTF-8. JSON between systems must be
    /// UTF-8 (RFC 8259 §8.1).
    package static func refusal(ofText body: [UInt8]) -> GatewayError? {
        guard String(validating: body, as: UTF8.self) == nil else { return nil }
        return GatewayError(400, "The body is not encoded as UTF-8. Send JSON in UTF-8.")
    }

    /// Returns whether the body of a request is a form of a web page (URL Standard,
    /// "application/x-www-form-urlencoded").
    package static func isForm(_ head: RequestHead) -> Bool {
        head.fields.withFirst(.contentType) { isType($0, form) } == true
    }

    private static let json = Array("application/json".utf8)
    private static let form = Array("application/x-www-form-urlencoded".utf8)

    /// Returns whether a Content-Type value is this type, with or without parameters (RFC 9110 §8.3.1).
    private static func isType(_ value: Span<UInt8>, _ type: [UInt8]) -> Bool {
        guard value.count >= type.count else { return false }
        for index in type.indices where value[index].lowercasedLetter != type[index] { return false }
        var next = type.count
        while next < value.count, value[next].isOptionalWhiteSpace { next += 1 }
        return next == value.count || value[next] == UInt8(ascii: ";")
    }
}
