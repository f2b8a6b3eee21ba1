// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// A complete response that the gateway generates itself.
package struct GatewayAnswer: Sendable {
    /// The status and the fields. Content-Length and Date are added when the response is sent.
    package var head: ResponseHead
    /// The complete body of the response.
    package var body: [UInt8]

    /// Creates a response from a head and a body.
    package init(head: ResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// The errors that a server reports before the handler receives a request.
enum StandardError {
    /// The request began but did not end in time (RFC 9110 §15.5.9).
    static let requestTimeout = GatewayError(
        408, "The request did not arrive in time. Send it again on a new connection.")

    /// A line of the chunked coding does not fit into libmicrohttpd's memory (RFC 9112 §7.1.1).
    static let chunkLineTooLong = GatewayError(
        413, "A chunk's size or extension is too long. Send chunks without extensions.")

    /// Returns the error for a request line and fields that are larger than allowed (RFC 6585 §5).
    static func headTooLarge(limit: Int) -> GatewayError {
        GatewayError(
            431,
            "The request line and header fields are larger than \(limit) bytes (--max-head). Send fewer or shorter fields."
        )
    }
}

/// The framing of a forwarded response's body.
package enum BodyLength: Sendable, Equatable {
    /// No body. If the length of the body that a GET would return is known, the head announces this length (RFC 9110
    /// §8.6).
    case none(announced: UInt64?)
    /// The body has exactly this number of bytes.
    case known(UInt64)
    /// The length is known only when the body ends.
    case unknown
}
