// SPDX-License-Identifier: Apache-2.0

/// A web origin in the form that browsers send in `Origin` (RFC 6454 §6.2). An origin consists of the scheme, the host,
/// and a port other than the scheme's default port.
package struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The origin as text, such as `https://app.example.com`, in lower case.
    package let description: String

    private static let wanted = "write a scheme and a host without a path, for example https://app.example.com"

    /// Parses an origin. `*` and `null` are invalid, because they match arbitrary pages.
    static func parse(_ text: String) throws(InvalidValue) -> WebOrigin {
        if text == "*" {
            throw InvalidValue(
                "would let every web page use the gateway",
                fix: "write the origins of the pages, for example https://app.example.com")
        }
        if text == "null" {
            throw InvalidValue(
                "is the origin of every sandboxed page", fix: "serve the page from a web server and write its origin")
        }
        guard let separator = text.firstRange(of: "://") else {
            throw InvalidValue("has no scheme", fix: wanted)
        }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme.utf8.first.map(isLetter) ?? false, scheme.utf8.allSatisfy(isSchemeCharacter) else {
            throw InvalidValue("has no valid scheme before ://", fix: wanted)
        }
        let remainder = text[separator.upperBound...]
        guard !remainder.contains(where: { "/?#@".contains($0) }) else {
            throw InvalidValue("contains more than a scheme, a host and a port", fix: wanted)
        }
        let (host, port) = try divided(String(remainder.lowercased()))
        let isDefault = port.isEmpty || defaultPorts[scheme].map { port == "\($0)" } ?? false
        return WebOrigin(description: "\(scheme)://\(host)" + (isDefault ? "" : ":\(port)"))
    }

    /// Returns the host, with brackets if it is an IPv6 address, and the digits of the port.
    private static func divided(_ authority: String) throws(InvalidValue) -> (host: String, port: String) {
        let hostEnd =
            authority.hasPrefix("[")
            ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
        let host = String(authority[..<(hostEnd ?? authority.endIndex)])
        let port = authority[(hostEnd ?? authority.endIndex)...]
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isLiteral ? host.dropFirst().dropLast() : host[...]
        guard !name.isEmpty,
            name.utf8.allSatisfy({ isHostCharacter($0) || isLiteral && $0 == UInt8(ascii: ":") })
        else { throw InvalidValue("has no valid ASCII host name", fix: wanted) }
        guard port.isEmpty || port.hasPrefix(":") && UInt16(port.dropFirst()) != nil else {
            throw InvalidValue("has a port that is not a number from 0 to 65535", fix: wanted)
        }
        return (host, port.isEmpty ? "" : String(UInt16(port.dropFirst()) ?? 0))
    }

    private static let defaultPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443]

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte)
    }
    /// Returns whether the byte may occur in a host. Names with other letters are in Punycode (`xn--…`).
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte)
    }
}
