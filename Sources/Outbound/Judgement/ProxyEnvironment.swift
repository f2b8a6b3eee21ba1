internal import Addresses

/// The proxies that an environment names, read as curl reads them (curl(1), ENVIRONMENT): `https_proxy`, `http_proxy`,
/// `all_proxy`, `no_proxy`, in small letters before capitals, and no `HTTP_PROXY`, which a CGI program's client could
/// set.
package struct ProxyEnvironment: Sendable, Equatable {
    /// A proxy and where it is named.
    package struct Proxy: Sendable, Equatable {
        /// As it stands in the environment: it may hold a password, and is shown to nobody.
        let text: String
        /// The variable that names it.
        package let variable: String

        /// The same one, asked by name. With `socks4://`, `socks://` and `socks5://` libcurl looks names up by itself and
        /// asks the proxy for an address that nobody has judged (CURLOPT_PROXY(3)).
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

    /// No proxy at all.
    package static let none = ProxyEnvironment([:])

    /// Reads the variables. An empty one is one that is not set.
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

    /// The proxy that a URL is asked through; nil where it is asked directly.
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

    /// curl takes no notice of bits behind a network's length, and of brackets.
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
