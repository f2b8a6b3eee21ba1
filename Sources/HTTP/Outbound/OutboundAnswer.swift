// SPDX-License-Identifier: Apache-2.0

/// The head of a response.
package struct OutboundHead: Sendable, Equatable {
    /// The HTTP version of a response.
    package enum Version: Sendable, Equatable {
        /// The versions HTTP/1.0 and HTTP/1.1.
        case one
        /// The version HTTP/2 (RFC 9113).
        case two
    }

    /// The status code, 200 to 599.
    package let status: Int
    /// The fields in their original order.
    package let fields: [OutboundField]
    /// The HTTP version of the response.
    package let version: Version
    /// The URL of the server that responded. After redirects, this URL is the target of the last redirect.
    package let url: OutboundURL
    /// The expiry of the server's certificate in seconds since 1970; nil without TLS and on a reused connection.
    package let certificateEnd: Int?

    /// Returns the value of the first field with this name, ignoring case.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A complete response with head and body.
package struct OutboundAnswer: Sendable, Equatable {
    /// The head of the response.
    package let head: OutboundHead
    /// The body of the response.
    package let body: [UInt8]
}

/// An event of a running request: a head, then bytes. The last event is always `ended`.
package enum OutboundEvent: Sendable, Equatable {
    /// The head of the response. This event occurs at most once.
    case head(OutboundHead)
    /// A part of the body, as received.
    case bytes([UInt8])
    /// The end of the request. The value is nil after a complete response, otherwise the failure.
    case ended(OutboundFailure?)
}
