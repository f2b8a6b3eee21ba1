/// The field names that the gateway itself looks at (RFC 9110 §5.1: names are case-insensitive).
///
/// A name is recognised once, when its field is added to a ``FieldList``; from then on looking for it compares one byte.
package enum FieldName: UInt8, Sendable, CaseIterable {
    /// Any name that is not in this list.
    case other
    /// `Accept`.
    case accept
    /// `Authorization`.
    case authorization
    /// `Cache-Control`.
    case cacheControl
    /// `Connection`.
    case connection
    /// `Content-Length`.
    case contentLength
    /// `Content-Type`.
    case contentType
    /// `Date`.
    case date
    /// `Expect`.
    case expect
    /// `Host`.
    case host
    /// `Keep-Alive`.
    case keepAlive
    /// `Proxy-Authenticate`.
    case proxyAuthenticate
    /// `Proxy-Authorization`.
    case proxyAuthorization
    /// `Proxy-Connection`.
    case proxyConnection
    /// `TE`.
    case te
    /// `Trailer`.
    case trailer
    /// `Transfer-Encoding`.
    case transferEncoding
    /// `Upgrade`.
    case upgrade
    /// `Via`.
    case via
    /// `X-Accel-Buffering`.
    case accelBuffering
    /// `X-Forwarded-For`.
    case forwardedFor
    /// `X-Forwarded-Host`.
    case forwardedHost
    /// `X-Forwarded-Proto`.
    case forwardedProto

    /// Whether the field is about one connection only and never passed on (RFC 9110 §7.6.1).
    package var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te, .trailer,
            .transferEncoding, .upgrade:
            true
        default: false
        }
    }

    /// The name in lower case; empty for ``other``.
    private var lowercased: String {
        switch self {
        case .other: ""
        case .accept: "accept"
        case .authorization: "authorization"
        case .cacheControl: "cache-control"
        case .connection: "connection"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .date: "date"
        case .expect: "expect"
        case .host: "host"
        case .keepAlive: "keep-alive"
        case .proxyAuthenticate: "proxy-authenticate"
        case .proxyAuthorization: "proxy-authorization"
        case .proxyConnection: "proxy-connection"
        case .te: "te"
        case .trailer: "trailer"
        case .transferEncoding: "transfer-encoding"
        case .upgrade: "upgrade"
        case .via: "via"
        case .accelBuffering: "x-accel-buffering"
        case .forwardedFor: "x-forwarded-for"
        case .forwardedHost: "x-forwarded-host"
        case .forwardedProto: "x-forwarded-proto"
        }
    }

    /// The known names by their length: of most names, no more than one has to be compared.
    private static let byLength: [[(name: FieldName, bytes: [UInt8])]] = {
        var table: [[(name: FieldName, bytes: [UInt8])]] = []
        for name in allCases where name != .other {
            let bytes = Array(name.lowercased.utf8)
            while table.count <= bytes.count { table.append([]) }
            table[bytes.count].append((name, bytes))
        }
        return table
    }()

    /// The name that `bytes[start..<end]` spells, in whichever case.
    static func of(_ bytes: [UInt8], _ start: Int, _ end: Int) -> FieldName {
        let table = byLength
        guard end - start < table.count else { return .other }
        search: for candidate in table[end - start] {
            for offset in 0..<(end - start) where bytes[start + offset].lowercasedLetter != candidate.bytes[offset] {
                continue search
            }
            return candidate.name
        }
        return .other
    }
}

/// An element to look for in a field's list, in lower case: the options of `Connection`, protocols, expectations.
package struct Token: Sendable {
    /// The element's bytes in lower case.
    package let lowercased: [UInt8]

    /// Takes a token in lower case.
    package init(_ lowercased: StaticString) { self.lowercased = Array(lowercased.description.utf8) }

    /// `close` of `Connection` (RFC 9112 §9.6).
    package static let close = Token("close")
    /// `keep-alive` of `Connection`, HTTP/1.0's way to keep one open.
    package static let keepAlive = Token("keep-alive")
    /// `upgrade` of `Connection` (RFC 9110 §7.8).
    package static let upgrade = Token("upgrade")
    /// `100-continue` of `Expect` (RFC 9110 §10.1.1).
    package static let continueExpectation = Token("100-continue")
}
