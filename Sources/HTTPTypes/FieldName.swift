/// A field name to look for, in lower case (RFC 9110 §5.1: names are case-insensitive).
package struct FieldName: Sendable {
    /// The name's bytes in lower case.
    package let lowercased: [UInt8]

    /// Takes a name in lower case.
    package init(_ lowercased: StaticString) {
        self.lowercased = Array(lowercased.description.utf8)
    }

    /// `Accept-Encoding`.
    package static let acceptEncoding = FieldName("accept-encoding")
    /// `Authorization`.
    package static let authorization = FieldName("authorization")
    /// `Cache-Control`.
    package static let cacheControl = FieldName("cache-control")
    /// `Connection`.
    package static let connection = FieldName("connection")
    /// `Content-Length`.
    package static let contentLength = FieldName("content-length")
    /// `Content-Type`.
    package static let contentType = FieldName("content-type")
    /// `Date`.
    package static let date = FieldName("date")
    /// `Expect`.
    package static let expect = FieldName("expect")
    /// `Host`.
    package static let host = FieldName("host")
    /// `Trailer`.
    package static let trailer = FieldName("trailer")
    /// `Transfer-Encoding`.
    package static let transferEncoding = FieldName("transfer-encoding")
    /// `Upgrade`.
    package static let upgrade = FieldName("upgrade")
    /// `Via`.
    package static let via = FieldName("via")
    /// `X-Accel-Buffering`.
    package static let accelBuffering = FieldName("x-accel-buffering")
    /// `X-Forwarded-For`.
    package static let forwardedFor = FieldName("x-forwarded-for")
    /// `X-Forwarded-Host`.
    package static let forwardedHost = FieldName("x-forwarded-host")
    /// `X-Forwarded-Proto`.
    package static let forwardedProto = FieldName("x-forwarded-proto")
}
