/// The field names that the gateway itself looks at (RFC 9110 §5.1: names are case-insensitive).
///
/// A name is recognised once, when its field is added to a ``FieldList``; from then on looking for it compares one
/// byte.
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

    /// The known names' bytes one after the other, and where those of a length begin: of most names, one at most has
    /// to be compared.
    fileprivate struct Table {
        var bytes: [UInt8] = []
        var names: [FieldName] = []
        /// For each length, the first of its names in ``names``, and where its bytes begin; one more entry at the end.
        var firstName: [Int] = []
        var firstByte: [Int] = []

        init() {
            let known = FieldName.allCases.filter { $0 != .other }
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

    /// The name that `bytes[start..<end]` spells, in whichever case.
    static func of(_ bytes: [UInt8], _ start: Int, _ end: Int) -> FieldName {
        table.name(of: bytes.span.extracting(start..<end))
    }
}

extension FieldName.Table {
    fileprivate func name(of spelling: Span<UInt8>) -> FieldName {
        let length = spelling.count
        guard length > 0, length + 1 < firstName.count else { return .other }
        let known = bytes.span
        let initial = spelling[0].lowercasedLetter
        var candidateStart = firstByte[length]
        for index in firstName[length]..<firstName[length + 1] {
            let candidate = known.extracting(candidateStart..<(candidateStart + length))
            candidateStart += length
            guard candidate[0] == initial else { continue }
            var offset = 1
            while offset < length, spelling[offset].lowercasedLetter == candidate[offset] { offset += 1 }
            if offset == length { return names[index] }
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
    /// `websocket` of `Upgrade` (RFC 6455 §4.1).
    package static let webSocket = Token("websocket")
    /// `100-continue` of `Expect` (RFC 9110 §10.1.1).
    package static let continueExpectation = Token("100-continue")
}
