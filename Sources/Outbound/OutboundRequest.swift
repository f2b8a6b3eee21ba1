/// A header field.
package struct OutboundField: Sendable, Equatable {
    /// Its name, as it was given or came.
    package let name: String
    /// Its value without white space at its ends.
    package let value: String

    /// A field.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// One request to the outside world.
package struct OutboundRequest: Sendable {
    /// The method, such as `POST`.
    package var method = "GET"
    /// What is asked.
    package var url: OutboundURL
    /// Which schemes a redirect may lead to. From https to http none is followed, whatever stands here.
    package var schemes = OutboundURL.Schemes.https
    /// Which addresses may be asked: those of the public Internet, unless the caller says otherwise.
    package var reach = OutboundReach.publicInternet
    /// Whether HTTP/1.1 is spoken, also where the server speaks HTTP/2.
    package var usesFirstVersion = false
    /// Fields besides `Host`, `Content-Length` and `User-Agent`. On a redirect to another origin only those go along
    /// that can't be secret.
    package var fields: [OutboundField] = []
    /// The body; nil sends none.
    package var body: [UInt8]?
    /// The time for all of it, from the call to the answer's last byte, with waiting for a turn and redirects.
    package var timeout = Duration.seconds(30)
    /// The time until a connection stands, of those within ``timeout``.
    package var connectTimeout = Duration.seconds(10)
    /// Redirects that are followed. GET and HEAD follow each; with other methods 307 and 308 only, which keep method
    /// and body (RFC 9110 §15.4). What is not followed for its method is an answer like any other.
    package var mostRedirects = 5
    /// Bytes of the answer's body at most; more than 1 MiB never.
    package var longestAnswer = OutboundRequest.longestAnswer

    /// The answer's body at most, in bytes: 1 MiB.
    package static let longestAnswer = 1 << 20

    /// A request.
    package init(_ method: String = "GET", _ url: OutboundURL) {
        self.method = method
        self.url = url
    }

    /// Whether it may be sent again after a connection broke (RFC 9110 §9.2.2).
    var mayBeRepeated: Bool { ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method) }

    /// What is wrong with method or fields; nil where nothing is.
    var fault: String? {
        guard Self.isToken(method) else { return "The request's method is no token (RFC 9110 §5.6.2): correct it." }
        for field in fields {
            guard Self.isToken(field.name) else {
                return "A field's name is no token (RFC 9110 §5.6.2): correct it."
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
                return "The field \(field.name) holds a control character: take it out."
            }
            if Self.own.contains(field.name.lowercased()) {
                return "The field \(field.name) is not the caller's to set: leave it out."
            }
        }
        return nil
    }

    private static let own: Set<String> = [
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

    /// The request that follows a redirect.
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

    /// Whether an answer of that status sends the request elsewhere.
    func follows(_ status: Int) -> Bool {
        switch status {
        case 307, 308: true
        case 301, 302, 303: method == "GET" || method == "HEAD"
        default: false
        }
    }
}
