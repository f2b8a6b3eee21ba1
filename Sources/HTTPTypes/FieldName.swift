/// The field names that the gateway itself looks at (RFC 9110 §5.1: names are case-insensitive).
///
/// A name is recognised once, when its field is added to a ``FieldList``; from then on looking for it compares one
/// byte.
package enum FieldName: UInt8, Sendable, CaseIterable {
    /// Any name that is not in this list.
    case other
    /// `Accept`.
    case accept
    /// `Access-Control-Allow-Credentials`.
    case accessControlAllowCredentials
    /// `Access-Control-Allow-Headers`.
    case accessControlAllowHeaders
    /// `Access-Control-Allow-Methods`.
    case accessControlAllowMethods
    /// `Access-Control-Allow-Origin`.
    case accessControlAllowOrigin
    /// `Access-Control-Allow-Private-Network`.
    case accessControlAllowPrivateNetwork
    /// `Access-Control-Expose-Headers`.
    case accessControlExposeHeaders
    /// `Access-Control-Max-Age`.
    case accessControlMaxAge
    /// `Access-Control-Request-Headers`.
    case accessControlRequestHeaders
    /// `Access-Control-Request-Method`.
    case accessControlRequestMethod
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
    /// `Forwarded`.
    case forwarded
    /// `Host`.
    case host
    /// `If-None-Match`.
    case ifNoneMatch
    /// `Keep-Alive`.
    case keepAlive
    /// `Link`.
    case link
    /// `Location`.
    case location
    /// `x-opencode-directory`: which folder OpenCode is to work in.
    case openCodeDirectory
    /// `Origin`.
    case origin
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
    /// `Vary`.
    case vary
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
    /// Any other name that begins with `X-Forwarded-`.
    case forwardedOther
    /// `X-Real-IP`.
    case realAddress

    /// Whether the field is about one connection only and never passed on (RFC 9110 §7.6.1).
    package var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te, .trailer,
            .transferEncoding, .upgrade:
            true
        default: false
        }
    }

    /// Whether the field tells a browser what a page may do with an answer (Fetch standard, "HTTP responses").
    package var grantsCrossOrigin: Bool {
        switch self {
        case .accessControlAllowCredentials, .accessControlAllowHeaders, .accessControlAllowMethods,
            .accessControlAllowOrigin, .accessControlAllowPrivateNetwork, .accessControlExposeHeaders,
            .accessControlMaxAge:
            true
        default: false
        }
    }

    /// Whether all of the name is known by this, which makes it a token.
    var isWhole: Bool { self != .other && self != .forwardedOther }

    /// The name in lower case; empty where there is not one spelling.
    private var lowercased: String {
        switch self {
        case .other, .forwardedOther: ""
        case .accept: "accept"
        case .accessControlAllowCredentials: "access-control-allow-credentials"
        case .accessControlAllowHeaders: "access-control-allow-headers"
        case .accessControlAllowMethods: "access-control-allow-methods"
        case .accessControlAllowOrigin: "access-control-allow-origin"
        case .accessControlAllowPrivateNetwork: "access-control-allow-private-network"
        case .accessControlExposeHeaders: "access-control-expose-headers"
        case .accessControlMaxAge: "access-control-max-age"
        case .accessControlRequestHeaders: "access-control-request-headers"
        case .accessControlRequestMethod: "access-control-request-method"
        case .authorization: "authorization"
        case .cacheControl: "cache-control"
        case .connection: "connection"
        case .contentLength: "content-length"
        case .contentType: "content-type"
        case .date: "date"
        case .expect: "expect"
        case .forwarded: "forwarded"
        case .host: "host"
        case .ifNoneMatch: "if-none-match"
        case .keepAlive: "keep-alive"
        case .link: "link"
        case .location: "location"
        case .openCodeDirectory: "x-opencode-directory"
        case .origin: "origin"
        case .proxyAuthenticate: "proxy-authenticate"
        case .proxyAuthorization: "proxy-authorization"
        case .proxyConnection: "proxy-connection"
        case .te: "te"
        case .trailer: "trailer"
        case .transferEncoding: "transfer-encoding"
        case .upgrade: "upgrade"
        case .vary: "vary"
        case .via: "via"
        case .accelBuffering: "x-accel-buffering"
        case .forwardedFor: "x-forwarded-for"
        case .forwardedHost: "x-forwarded-host"
        case .forwardedProto: "x-forwarded-proto"
        case .realAddress: "x-real-ip"
        }
    }

    /// The known names' bytes one after the other, and where those of a length begin: of most names, one at most has
    /// to be compared.
    fileprivate struct Table {
        var bytes: [UInt8] = []
        var names: [FieldName] = []
        /// For each length, the first of its names in ``names``, and where its bytes begin; one more entry at the end.
        var firstName: [Int] = []
        var firstByte: [Int] = []

        init() {
            let known = FieldName.allCases.filter { !$0.lowercased.isEmpty }
            for length in 0...(known.map(\.lowercased.utf8.count).max() ?? 0) {
                firstName.append(names.count)
                firstByte.append(bytes.count)
                for name in known where name.lowercased.utf8.count == length {
                    names.append(name)
                    bytes.append(contentsOf: name.lowercased.utf8)
                }
            }
            firstName.append(names.count)
        }
    }

    private static let table = Table()

    /// The name that `spelling` spells, in whichever case.
    static func of(_ spelling: Span<UInt8>) -> FieldName { table.name(of: spelling) }
}

/// A set of names: one bit for each.
package struct FieldNames: Sendable {
    @usableFromInline var bits: UInt64 = 0

    /// None.
    @inlinable package init() {}

    /// Whether the name is among them.
    @inlinable package func contains(_ name: FieldName) -> Bool { bits >> UInt64(name.rawValue) & 1 == 1 }

    /// Adds a name.
    @inlinable package mutating func insert(_ name: FieldName) { bits |= 1 << UInt64(name.rawValue) }
}

extension FieldName.Table {
    private static let forwardedPrefix = Array("x-forwarded-".utf8)

    fileprivate func name(of spelling: Span<UInt8>) -> FieldName {
        let length = spelling.count
        guard length > 0 else { return .other }
        let initial = spelling[0].lowercasedLetter
        if length + 1 < firstName.count {
            let known = bytes.span
            var start = firstByte[length]
            for index in firstName[length]..<firstName[length + 1] {
                // The table holds `length` bytes for each name of that length.
                if known[unchecked: start] == initial,
                    spelling.equalsIgnoringCase(known.extracting(unchecked: start..<(start + length)))
                {
                    return names[index]
                }
                start += length
            }
        }
        guard initial == UInt8(ascii: "x"), length > Self.forwardedPrefix.count else { return .other }
        let prefix = Self.forwardedPrefix.span
        return spelling.extracting(first: prefix.count).equalsIgnoringCase(prefix) ? .forwardedOther : .other
    }
}
