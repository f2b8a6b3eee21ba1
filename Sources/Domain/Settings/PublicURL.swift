// SPDX-License-Identifier: Apache-2.0

/// The address at which clients reach the gateway. With a reverse proxy, the address is that of the proxy.
package struct PublicURL: Sendable, Equatable, CustomStringConvertible {
    /// The URL as text, such as `https://gateway.example.com`. If a proxy serves the gateway below a path, the text
    /// contains this path. The text has no trailing slash.
    package let description: String

    /// Whether the clients' data is encrypted in transit.
    package var isEncrypted: Bool { description.hasPrefix("https:") }

    private static let wanted = "write the address that clients use, for example https://gateway.example.com"

    /// Parses a URL that consists of a scheme, a host, an optional port and an optional path.
    static func parse(_ text: String) throws(InvalidValue) -> PublicURL {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard ["https", "http"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else {
            throw InvalidValue("does not begin with https:// or http://", fix: wanted)
        }
        let remainder = text.dropFirst(scheme.count + 3)
        let authority = remainder.prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw InvalidValue(
                "contains a user name",
                fix: "remove the part before the @; clients send the key in the Authorization field")
        }
        var path = remainder.dropFirst(authority.count)
        guard path.utf8.allSatisfy(isPathCharacter), !authority.contains(where: { "?#".contains($0) }) else {
            throw InvalidValue("contains a query, a fragment or an invalid character after its host", fix: wanted)
        }
        while path.hasSuffix("/") { path.removeLast() }
        do throws(InvalidValue) {
            let origin = try WebOrigin.parse("\(scheme)://\(authority)")
            return PublicURL(description: origin.description + path)
        } catch {
            throw InvalidValue(error.problem, fix: wanted)
        }
    }

    /// Returns whether the byte may occur in a path (RFC 3986 §3.3), including the slash.
    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._~!$&'()*+,;=:@%/".utf8.contains(byte)
    }
}

extension ValueSyntax where Value == PublicURL? {
    /// The syntax of a URL, or `none` for nil.
    static let publicURL = ValueSyntax(
        placeholder: "URL|none",
        parse: { (text) throws(InvalidValue) in text == "none" ? nil : try PublicURL.parse(text) },
        text: { $0?.description ?? "none" })
}
