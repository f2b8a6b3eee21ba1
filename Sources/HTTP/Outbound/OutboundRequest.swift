// SPDX-License-Identifier: Apache-2.0

/// A header field of a request or response.
package struct OutboundField: Sendable, Equatable {
    /// The field's name, in its original spelling.
    package let name: String
    /// The field's value without leading and trailing white space.
    package let value: String

    /// Creates a field from its name and value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to an external server.
package struct OutboundRequest: Sendable {
    /// The request's method, such as `POST`.
    package var method = "GET"
    /// The URL to which the request is sent.
    package var url: OutboundURL
    /// The schemes to which a redirect may lead. A redirect from https to http is never followed.
    package var schemes = OutboundURL.Schemes.https
    /// The addresses to which the request may connect. The default is the public Internet.
    package var reach = OutboundReach.publicInternet
    /// Whether to use HTTP/1.1 even if the server supports HTTP/2.
    package var usesFirstVersion = false
    /// The fields in addition to `Host`, `Content-Length` and `User-Agent`. On a redirect to another origin, only
    /// fields that cannot be secret are kept.
    package var fields: [OutboundField] = []
    /// The body; nil to send none.
    package var body: [UInt8]?
    /// The time limit from the call to the last byte of the response, including the time in the queue and all
    /// redirects.
    package var timeout = Duration.seconds(30)
    /// The time limit for establishing a connection, as a part of ``timeout``.
    package var connectTimeout = Duration.seconds(10)
    /// The maximum number of redirects to follow.
    ///
    /// GET and HEAD follow every redirect. Other methods follow only 307 and 308, which preserve method and body (RFC
    /// 9110 §15.4). A redirect that the method does not follow is returned like any other response.
    package var mostRedirects = 5
    /// The maximum size of the response's body in bytes, never more than 1 MiB.
    package var longestAnswer = OutboundRequest.longestAnswer

    /// The upper limit for the size of a response's body in bytes: 1 MiB.
    package static let longestAnswer = 1 << 20

    /// Creates a request with the given method and URL.
    package init(_ method: String = "GET", _ url: OutboundURL) {
        self.method = method
        self.url = url
    }

    /// Whether the request may be repeated after a lost connection (RFC 9110 §9.2.2).
    var mayBeRepeated: Bool { ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method) }

    /// The problem with the method or the fields; nil if there is none.
    var fault: String? {
        guard Self.isToken(method) else {
            return "The request's method is not a token (RFC 9110 §5.6.2). Correct the method."
        }
        for field in fields {
            guard Self.isToken(field.name) else {
                return "A field's name is not a token (RFC 9110 §5.6.2). Correct the name."
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
                return "The field \(field.name) contains a control character. Remove the character."
            }
            if Self.reservedFields.contains(field.name.lowercased()) {
                return "The caller cannot set the field \(field.name). Omit the field."
            }
        }
        return nil
    }

    private static let reservedFields: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "proxy-authorization",
        "user-agent",
    ]

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// Returns the request that follows a redirect.
    func redirected(to url: OutboundURL) -> OutboundRequest {
        var next = self
        next.url = url
        next.mostRedirects -= 1
        if url.origin != self.url.origin {
            let harmless: Set = ["accept", "accept-language", "content-type"]
            next.fields.removeAll { !harmless.contains($0.name.lowercased()) }
        }
        return next
    }

    /// Returns whether a response with this status redirects the request.
    func follows(_ status: Int) -> Bool {
        switch status {
        case 307, 308: true
        case 301, 302, 303: method == "GET" || method == "HEAD"
        default: false
        }
    }
}
