// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The web page that has sent a request (Fetch Standard, "Origin header"; Fetch Metadata).
package enum PageOrigin {
    /// Returns whether a page of another origin has sent a request; nil if no field says so, as in requests that do not
    /// come from a browser.
    package static func isOfOtherOrigin(_ head: RequestHead) -> Bool? {
        if let site = head.fields.values(named: fetchSite).first { return !site.elementsEqual("same-origin".utf8) }
        return head.fields.first(.origin).map { !isOwn($0, head.fields) }
    }

    /// Returns whether a request changes something, or opens a connection that can.
    static func mayChange(_ head: RequestHead) -> Bool {
        let isSafe = head.method == .get || head.method == .head || head.method == .options
        return !isSafe || head.mayHave(.upgrade)
    }

    /// Returns whether a page of another origin has sent a request that only reads, and that its user has not caused by
    /// opening an address.
    static func isForeignRead(_ head: RequestHead) -> Bool {
        if head.fields.values(named: fetchMode).first?.elementsEqual("navigate".utf8) == true { return false }
        if head.fields.values(named: fetchSite).first?.elementsEqual("none".utf8) == true { return false }
        return isOfOtherOrigin(head) == true
    }

    /// Returns whether the browser reaches the gateway over TLS, according to its reverse proxy or to the browser itself.
    ///
    /// Any peer may say so. The answer decides only the name and the attributes of the peer's own cookie.
    package static func isSecure(_ head: RequestHead) -> Bool {
        if let scheme = head.fields.first(.forwardedProto) { return scheme.startsIgnoringCase(Array("https".utf8)) }
        if let origin = head.fields.first(.origin), isOwn(origin, head.fields) {
            return origin.startsIgnoringCase(Array("https:".utf8))
        }
        return false
    }

    /// Returns whether a browser's user has opened an address: the browser prefers a page, and no script has sent the
    /// request.
    package static func isNavigation(_ head: RequestHead) -> Bool {
        guard head.method == .get, !head.mayHave(.upgrade), AcceptedTypes.preferPage(head.fields) else { return false }
        return head.fields.values(named: fetchMode).first?.elementsEqual("navigate".utf8) ?? true
    }

    /// Returns whether an origin is that of the request itself. The proxy is trusted to report the host.
    private static func isOwn(_ origin: ArraySlice<UInt8>, _ fields: FieldList) -> Bool {
        // Without the field, the gateway does not know whether a proxy in front of it uses TLS.
        let schemes = fields.first(.forwardedProto).map { [Array($0)] } ?? [Array("http".utf8), Array("https".utf8)]
        return [fields.first(.host), fields.first(.forwardedHost)].compactMap(\.self).contains { host in
            schemes.contains { origin.elementsEqual($0 + Array("://".utf8) + host) }
        }
    }

    private static let fetchSite = Array("sec-fetch-site".utf8)
    private static let fetchMode = Array("sec-fetch-mode".utf8)
}
