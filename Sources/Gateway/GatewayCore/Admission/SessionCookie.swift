// SPDX-License-Identifier: Apache-2.0

import Access
package import HTTPTypes

/// The cookie of a browser's session (RFC 6265). The cookie is a credential, so no instance may receive or set it.
package enum SessionCookie {
    /// The cookie's name over TLS. A browser accepts a cookie with this prefix only over TLS, for the whole host, and from
    /// the host itself (RFC 6265bis §4.1.3).
    private static let secureName = Array("__Host-vibe".utf8)
    /// The cookie's name over plain HTTP, where browsers do not accept the prefix.
    private static let plainName = Array("vibe".utf8)

    /// Returns the value of the session's cookie in a request; nil if there is none.
    ///
    /// Over TLS, only the name with the prefix counts. Otherwise, another computer in the network could set a
    /// cookie over plain HTTP and sign the user in to another session.
    static func value(in head: RequestHead) -> ArraySlice<UInt8>? {
        guard head.mayHave(.cookie) else { return nil }
        let isSecure = PageOrigin.isSecure(head)
        return value(of: secureName, in: head) ?? (isSecure ? nil : value(of: plainName, in: head))
    }

    /// Returns the value of the cookie with exactly this name. If another server of the same host has set cookies with this
    /// name too, prefers the one that has the form of a token.
    private static func value(of name: [UInt8], in head: RequestHead) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        for index in 0..<head.fields.count where head.fields.knownName(at: index) == .cookie {
            for pair in pairs(head.fields.value(at: index))
            where pair.starts(with: name) && pair.dropFirst(name.count).first == UInt8(ascii: "=") {
                let value = pair.dropFirst(name.count + 1)
                if value.count == KeyToken.length { return value }
                found = found ?? value
            }
        }
        return found
    }

    /// Returns the value of a `Set-Cookie` field that begins a session.
    ///
    /// - Parameters:
    ///   - token: The token of the session.
    ///   - lifetime: The time after which the session ends.
    ///   - isSecure: Whether the browser uses TLS.
    package static func setting(_ token: [UInt8], lifetime: Duration, isSecure: Bool) -> String {
        let value = String(decoding: token, as: UTF8.self)
        return "\(pair(value, isSecure)); Max-Age=\(lifetime.components.seconds)\(attributes(isSecure))"
    }

    /// The values of the `Set-Cookie` fields that end a session. A browser may have both cookies.
    package static var removals: [String] {
        [true, false].map { "\(pair("", $0)); Max-Age=0\(attributes($0))" }
    }

    private static func pair(_ value: String, _ isSecure: Bool) -> String {
        "\(String(decoding: isSecure ? secureName : plainName, as: UTF8.self))=\(value)"
    }

    // Without the Domain attribute, the browser sends the cookie to this host only.
    private static func attributes(_ isSecure: Bool) -> String {
        "; Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    /// Returns whether the fields of a request contain the session's cookie.
    package static func isPresent(in fields: FieldList) -> Bool {
        (0..<fields.count).contains { index in
            fields.knownName(at: index) == .cookie
                && pairs(fields.value(at: index)).contains { isOwn(name(of: $0)) }
        }
    }

    /// Returns the value of a `Cookie` field without the session's cookie; nil if nothing remains.
    package static func removed(from value: ArraySlice<UInt8>) -> [UInt8]? {
        let all = pairs(value)
        let kept = all.filter { !isOwn(name(of: $0)) }
        guard kept.count < all.count else { return Array(value) }
        return kept.isEmpty ? nil : Array(kept.joined(separator: Array("; ".utf8)))
    }

    /// Returns whether a `Set-Cookie` field sets a cookie with the name of the session's cookie.
    ///
    /// A browser stores `=vibe=x` as a cookie without a name, and sends it as `vibe=x` (RFC 6265bis §5.6).
    package static func isSet(by value: Span<UInt8>) -> Bool {
        var start = 0
        while start < value.count, value[start].isOptionalWhiteSpace || value[start] == UInt8(ascii: "=") { start += 1 }
        var end = start
        while end < value.count, value[end] != UInt8(ascii: "="), value[end] != UInt8(ascii: ";") { end += 1 }
        while end > start, value[end - 1].isOptionalWhiteSpace { end -= 1 }
        let name = value.extracting(start..<end)
        return name.equalsIgnoringCase(secureName.span) || name.equalsIgnoringCase(plainName.span)
    }

    /// Returns whether this is one of the two names. Programs may compare names without regard to case.
    private static func isOwn(_ name: ArraySlice<UInt8>) -> Bool {
        name.span.equalsIgnoringCase(secureName.span) || name.span.equalsIgnoringCase(plainName.span)
    }

    private static func pairs(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        value.split(separator: UInt8(ascii: ";")).map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func name(of pair: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // A program may read the pair `=vibe=x` as a cookie with the name `vibe`.
        trimmed(pair.drop { $0 == UInt8(ascii: "=") || $0.isOptionalWhiteSpace }.prefix { $0 != UInt8(ascii: "=") })
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop { $0.isOptionalWhiteSpace }
        while text.last?.isOptionalWhiteSpace == true { text.removeLast() }
        return text
    }
}

extension Admission {
    /// Returns the admission by the cookie of a session; nil if the request contains none.
    static func judge(sessionOf head: RequestHead, _ keys: AcceptedKeys) -> Admission? {
        guard let token = SessionCookie.value(in: head) else { return nil }
        return switch keys.look(upSession: token.span) {
        case .opens(let principal): isForeign(head) ? .refused(.foreignPage) : .admitted(principal)
        case .expired, .unknown: .refused(.endedSession)
        case .unavailable: .refused(.unavailableKeys)
        }
    }

    /// Returns whether the cookie alone does not show that the user wanted the request. A browser also sends the cookie
    /// with requests that a page on another port or in another subdomain causes (SameSite).
    ///
    /// A request that changes something must come from the gateway's own page. A program that uses the cookie can send an
    /// `Origin` of its own.
    private static func isForeign(_ head: RequestHead) -> Bool {
        PageOrigin.mayChange(head) ? PageOrigin.isOfOtherOrigin(head) != false : PageOrigin.isForeignRead(head)
    }
}
