/// An answer's head.
package struct OutboundHead: Sendable, Equatable {
    /// The version of HTTP that was spoken.
    package enum Version: Sendable, Equatable {
        /// HTTP/1.0 or 1.1.
        case one
        /// HTTP/2.
        case two
    }

    /// The status code, 200 to 599.
    package let status: Int
    /// The fields in their order.
    package let fields: [OutboundField]
    /// The version.
    package let version: Version
    /// Who has answered: where a redirect was followed, its target.
    package let url: OutboundURL
    /// When the server's certificate ends, in seconds since 1970; nil without TLS, and on a connection that was open
    /// before.
    package let certificateEnd: Int?

    /// The first field of that name, whatever its case.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A whole answer.
package struct OutboundAnswer: Sendable, Equatable {
    /// Its head.
    package let head: OutboundHead
    /// Its body.
    package let body: [UInt8]
}

/// What is told of a request while it runs: a head, bytes, and always an end as the last.
package enum OutboundEvent: Sendable, Equatable {
    /// The head of the answer, once.
    case head(OutboundHead)
    /// A part of the body, as it came.
    case bytes([UInt8])
    /// The end: of the whole answer, or with what went wrong.
    case ended(OutboundFailure?)
}
