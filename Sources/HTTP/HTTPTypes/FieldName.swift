// SPDX-License-Identifier: Apache-2.0

/// The field names that the gateway itself handles (RFC 9110 §5.1: names are case-insensitive). Unless noted otherwise,
/// a case is the camel-case form of its name.
///
/// A name is looked up once, when its field is added to a ``FieldList``. Later searches compare one byte.
package enum FieldName: UInt8, Sendable, CaseIterable {
    /// Any name that is not in this list.
    case other
    case accept
    case accessControlAllowCredentials
    case accessControlAllowHeaders
    case accessControlAllowMethods
    case accessControlAllowOrigin
    case accessControlAllowPrivateNetwork
    case accessControlExposeHeaders
    case accessControlMaxAge
    case accessControlRequestHeaders
    case accessControlRequestMethod
    case authorization
    case cacheControl
    case connection
    case contentLength
    case contentType
    case cookie
    case date
    case expect
    case forwarded
    case host
    case ifNoneMatch
    case keepAlive
    case link
    case location
    /// `x-opencode-directory`, the directory in which OpenCode handles the request.
    case openCodeDirectory
    case origin
    case proxyAuthenticate
    case proxyAuthorization
    case proxyConnection
    case setCookie
    case te
    case trailer
    case transferEncoding
    case upgrade
    case vary
    case via
    /// The field `Sec-WebSocket-Protocol` (RFC 6455 §11.3.4).
    case webSocketProtocol
    /// The field `X-Accel-Buffering`, with which a server disables buffering in nginx.
    case accelBuffering
    /// `X-Forwarded-For`, the list of client addresses.
    case forwardedFor
    /// `X-Forwarded-Host`, the host that the client requested.
    case forwardedHost
    /// `X-Forwarded-Proto`, the scheme that the client used.
    case forwardedProto
    /// Any other name that begins with `X-Forwarded-`.
    case forwardedOther
    /// `X-Real-IP`, the client address according to nginx.
    case realAddress

    /// Whether the field applies to a single connection and is never forwarded (RFC 9110 §7.6.1).
    package var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te, .trailer,
            .transferEncoding, .upgrade:
            true
        default: false
        }
    }

    /// Whether the field determines what a web page may do with the response (Fetch standard, "HTTP responses").
    package var grantsCrossOrigin: Bool {
        switch self {
        case .accessControlAllowCredentials, .accessControlAllowHeaders, .accessControlAllowMethods,
            .accessControlAllowOrigin, .accessControlAllowPrivateNetwork, .accessControlExposeHeaders,
            .accessControlMaxAge:
            true
        default: false
        }
    }

    /// Whether the case determines the whole name, which is then known to be a token.
    var isWhole: Bool { self != .other && self != .forwardedOther }

    /// The name in lower case; empty for a case that represents several names.
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
        case .cookie: "cookie"
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
        case .setCookie: "set-cookie"
        case .te: "te"
        case .trailer: "trailer"
        case .transferEncoding: "transfer-encoding"
        case .upgrade: "upgrade"
        case .vary: "vary"
        case .via: "via"
        case .webSocketProtocol: "sec-websocket-protocol"
        case .accelBuffering: "x-accel-buffering"
        case .forwardedFor: "x-forwarded-for"
        case .forwardedHost: "x-forwarded-host"
        case .forwardedProto: "x-forwarded-proto"
        case .realAddress: "x-real-ip"
        }
    }

    /// An index of the known names by length. Most names need to be compared with at most one known name.
    fileprivate struct Table {
        var bytes: [UInt8] = []
        var names: [FieldName] = []
        /// The index in ``names`` of the first name of each length, with one additional entry at the end. `firstByte`
        /// contains the offset of that name's bytes.
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

    /// Returns the known name with this spelling, ignoring case.
    static func of(_ spelling: Span<UInt8>) -> FieldName { table.name(of: spelling) }
}

/// A set of known names, stored as one bit for each name.
package struct FieldNames: Sendable {
    @usableFromInline var bits: UInt64 = 0

    /// Creates a set that contains no names.
    @inlinable package init() {}

    /// Returns whether the set contains the name.
    @inlinable package func contains(_ name: FieldName) -> Bool { bits >> UInt64(name.rawValue) & 1 == 1 }

    /// Adds a name to the set.
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
                // The table contains `length` bytes for each name of that length.
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
