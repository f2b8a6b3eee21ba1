// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
import HTTPTypes

/// The treatment of the body of a request to which the gateway itself responds.
package enum BodyRule: Sendable, Equatable {
    /// The gateway reads and discards the body.
    case ignored
    /// The body must be JSON of at most `limit` bytes. The gateway rejects a larger body with 413, another content type
    /// with 415, and a body that is not UTF-8 with 400.
    case json(limit: Int)
    /// Like ``json(limit:)``, but the request may have no body.
    case optionalJSON(limit: Int)

    /// The maximum size of the body in bytes; nil if the gateway ignores the body.
    var limit: Int? {
        switch self {
        case .ignored: nil
        case .json(let limit), .optionalJSON(let limit): limit
        }
    }

    /// Returns the refusal of a request whose head shows that the body violates the rule; nil otherwise.
    func refusal(of head: RequestHead, _ framing: RequestFraming) -> GatewayError? {
        guard let limit else { return nil }
        if case .optionalJSON = self, framing == .none { return nil }
        if case .length(let length) = framing, length > limit { return Self.tooLarge(limit) }
        guard head.fields.withFirst(.contentType, Self.isJSON) == true else {
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

    private static let json = Array("application/json".utf8)

    /// Returns whether a Content-Type value is `application/json`, with or without parameters (RFC 9110 §8.3.1).
    private static func isJSON(_ value: Span<UInt8>) -> Bool {
        guard value.count >= json.count else { return false }
        for index in json.indices where value[index].lowercasedLetter != json[index] { return false }
        var next = json.count
        while next < value.count, value[next].isOptionalWhiteSpace { next += 1 }
        return next == value.count || value[next] == UInt8(ascii: ";")
    }
}
