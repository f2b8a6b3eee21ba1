// SPDX-License-Identifier: Apache-2.0

package import Addresses
internal import CCurl

/// The URL of an external server. libcurl's own parser parses the URL (curl_url(3)), so that the checked URL is the
/// requested URL.
package struct OutboundURL: Sendable, Equatable {
    /// The schemes that a caller accepts.
    package enum Schemes: Sendable, Equatable {
        /// The scheme `https` and no other.
        case https
        /// The schemes `https` and `http`.
        case httpToo
    }

    /// The reason why a text is not a usable URL, as a message with the fix. The message never repeats the text,
    /// which may contain a secret.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        /// A message with the problem and the fix.
        package let description: String
    }

    /// The URL in normalised form, without a fragment.
    package let text: String
    /// The scheme, `https` or `http`.
    package let scheme: String
    /// The host: a name in lower case or a numeric address. An IPv6 address has no brackets.
    package let host: String
    /// The port, including the scheme's default port.
    package let port: UInt16

    private static let longest = 8 * 1024

    /// Parses a URL with one of the allowed schemes.
    package init(_ text: String, allowing schemes: Schemes = .https) throws(Invalid) {
        guard text.utf8.count <= Self.longest else {
            throw Invalid(description: "The URL is longer than \(Self.longest) bytes. Use a shorter one.")
        }
        // Reject characters that must be percent-encoded (RFC 3986 §2). Also reject backslashes, which parsers
        // interpret differently.
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }) else {
            throw Invalid(
                description:
                    "The URL contains a space, a control character, a backslash or a non-ASCII character. "
                    + "Percent-encode it, and write host names in Punycode (xn--…).")
        }
        let prefixes = schemes == .httpToo ? ["https://", "http://"] : ["https://"]
        guard prefixes.contains(where: { text.lowercased().hasPrefix($0) && !text.dropFirst($0.count).hasPrefix("/") })
        else {
            throw Invalid(
                description:
                    "The URL does not begin with \(prefixes.joined(separator: " or ")). Write the URL with its scheme.")
        }
        guard let parts = Parts(text) else {
            throw Invalid(
                description:
                    "The URL cannot be parsed, or contains a user name. Write it as https://host/path, without user@ "
                    + "before the host.")
        }
        var host = parts.host.lowercased()
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        if isLiteral { host = String(host.dropFirst().dropLast()) }
        guard isLiteral ? host.utf8.allSatisfy(Self.isOfIPv6) && IPAddress(host) != nil : Self.isName(host),
            let port = UInt16(parts.port), port != 0
        else {
            throw Invalid(
                description:
                    "The URL has no valid host or port. Use a name, a numeric address, or an IPv6 address in "
                    + "brackets, optionally with a port from 1 to 65535.")
        }
        self.text = parts.url
        scheme = parts.scheme
        self.host = host
        self.port = port
    }

    private static func isName(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.count <= 254
            && host.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
            } && !host.hasPrefix(".") && !host.contains("..")
    }

    private static func isOfIPv6(_ byte: UInt8) -> Bool {
        "0123456789abcdef:.".utf8.contains(byte)
    }

    /// The scheme and authority for use in messages. The path is omitted because it may be secret.
    package var origin: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(shown)" : "\(scheme)://\(shown):\(port)"
    }

    /// The numeric address of the host; nil if the host is a name.
    package var address: IPAddress? { IPAddress(host.hasSuffix(".") ? String(host.dropLast()) : host) }
}

extension OutboundURL: CustomStringConvertible {
    /// The origin only, because the path may be secret.
    package var description: String { origin }
}

/// The components of a URL according to libcurl's parser.
private struct Parts {
    let url: String
    let scheme: String
    let host: String
    let port: String

    init?(_ text: String) {
        guard let handle = ccurl_url() else { return nil }
        defer { ccurl_url_cleanup(handle) }
        guard ccurl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            ccurl_url_set(handle, CURLUPART_FRAGMENT, nil, 0) == CURLUE_OK
        else { return nil }
        func part(_ name: CURLUPart, _ flags: UInt32 = 0) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard ccurl_url_get(handle, name, &value, flags) == CURLUE_OK, let value else { return nil }
            defer { ccurl_free(value) }
            return String(cString: value)
        }
        guard let url = part(CURLUPART_URL), let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
            let port = part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)), part(CURLUPART_ZONEID) == nil
        else { return nil }
        self.url = url
        self.scheme = scheme.lowercased()
        self.host = host
        self.port = port
    }
}
