// SPDX-License-Identifier: Apache-2.0

internal import Addresses

/// The proxies from the environment, interpreted as curl does (curl(1), ENVIRONMENT): `https_proxy`, `http_proxy`,
/// `all_proxy` and `no_proxy`.
///
/// Lower-case names take precedence over upper-case names. `HTTP_PROXY` is ignored, because the client of a CGI program
/// could set it.
package struct ProxyEnvironment: Sendable, Equatable {
    /// A proxy and the variable that configures it.
    package struct Proxy: Sendable, Equatable {
        /// The proxy's URL from the environment, which may contain a password and is never displayed.
        let text: String
        /// The name of the variable that configures the proxy.
        package let variable: String

        /// The same proxy, changed so that the proxy resolves names. With `socks4://`, `socks://` and `socks5://`,
        /// libcurl resolves names itself and sends the proxy an address that was not checked (CURLOPT_PROXY(3)).
        var lookingNamesUp: Proxy {
            guard let end = text.firstIndex(of: ":"), text[end...].hasPrefix(":/"),
                let scheme = ["socks": "socks4a", "socks4": "socks4a", "socks5": "socks5h"][text[..<end].lowercased()]
            else { return self }
            return Proxy(text: scheme + text[end...], variable: variable)
        }
    }

    private let https: Proxy?
    private let http: Proxy?
    private let exceptions: [Substring]

    /// An environment that configures no proxy.
    package static let none = ProxyEnvironment([:])

    /// Reads the variables. An empty variable counts as unset.
    package init(_ variables: [String: String]) {
        func first(_ names: String...) -> Proxy? {
            for name in names {
                if let text = variables[name], !text.isEmpty { return Proxy(text: text, variable: name) }
            }
            return nil
        }
        https = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        http = first("http_proxy", "all_proxy", "ALL_PROXY")
        exceptions = first("no_proxy", "NO_PROXY")?.text.split { $0 == "," || $0.isWhitespace } ?? []
    }

    /// Returns the proxy for requests to a URL; nil for a direct connection.
    package func proxy(for url: OutboundURL) -> Proxy? {
        guard let proxy = url.scheme == "https" ? https : http, !isException(url) else { return nil }
        return proxy
    }

    private func isException(_ url: OutboundURL) -> Bool {
        if exceptions == ["*"] { return true }
        if let address = url.address {
            return exceptions.contains { Self.range($0)?.contains(address) ?? false }
        }
        let host = Self.withoutDots(url.host[...])
        return exceptions.contains { text in
            let name = Self.withoutDots(text.lowercased()[...])
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }

    private static func withoutDots(_ name: Substring) -> Substring {
        var name = name
        if name.hasPrefix(".") { name.removeFirst() }
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }

    /// Parses an element of `no_proxy` as curl does: ignores brackets, and address bits beyond a network's prefix
    /// length.
    private static func range(_ text: Substring) -> AddressRange? {
        let text = text.filter { $0 != "[" && $0 != "]" }
        do throws(AddressRange.Fault) {
            return try AddressRange(text)
        } catch {
            if case .bitsBeyondLength(let range) = error { return range }
            return nil
        }
    }
}
