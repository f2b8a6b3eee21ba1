// SPDX-License-Identifier: Apache-2.0

import Access
import HTTPServer
import HTTPTypes
import WebSockets

/// The admission of requests whose user a trusted reverse proxy has signed in (`--identity-header`).
enum IdentityHeader {
    /// Returns the admission by the identity header; nil if the request contains none that the gateway believes.
    ///
    /// - Parameter isTrusted: Whether the peer may name its clients. The field of any other peer has no meaning.
    static func judge(
        _ head: RequestHead, isTrusted: Bool, _ policy: Policy, _ keys: AcceptedKeys
    ) -> Admission? {
        guard isTrusted, let name = policy.identityHeader else { return nil }
        let values = head.fields.values(named: name)
        guard let value = values.first else { return nil }
        guard values.count == 1 else { return .refused(.repeatedIdentity) }
        switch keys.look(upIdentity: Array(value)) {
        case .opens(let principal): return isForeign(head) ? .refused(.foreignPage) : .admitted(principal)
        case .expired: return .refused(.expiredKey)
        case .unavailable: return .refused(.unavailableKeys)
        case .unknown: return .refused(.unknownIdentity)
        }
    }

    /// Returns whether a page of another origin has sent a request that changes something. The browser sends the proxy's
    /// cookie with such a request, so the identity alone does not show that the user wanted the request.
    ///
    /// A request without a field about its page does not come from a browser.
    private static func isForeign(_ head: RequestHead) -> Bool {
        PageOrigin.mayChange(head) && PageOrigin.isOfOtherOrigin(head) == true
    }
}

extension FieldList {
    private static let signInNames: Set<String> = [
        "cookie", "x-forwarded-access-token", "x-forwarded-email", "x-forwarded-groups",
        "x-forwarded-preferred-username", "x-forwarded-user",
    ]
    private static let signInPrefixes = ["x-auth-request-", "x-authentik-", "cf-access-", "tailscale-user-"]

    /// Removes the fields by which a reverse proxy signs users in, if there is such a proxy (`--identity-header`). Its
    /// cookies and tokens are credentials, which an instance must not receive.
    package mutating func removeSignIn(_ policy: Policy) {
        guard let identity = policy.identityHeader else { return }
        keep { _, spelling in
            let name = String(decoding: spelling.indices.map { spelling[$0].lowercasedLetter }, as: UTF8.self)
            return !name.utf8.elementsEqual(identity) && !Self.signInNames.contains(name)
                && !Self.signInPrefixes.contains { name.hasPrefix($0) }
        }
    }

    /// Removes the cookies that an instance sets, if a reverse proxy signs users in with a cookie of the same origin.
    package mutating func removeCookies(_ policy: Policy) {
        guard policy.identityHeader != nil else { return }
        keep { name, _ in name != .setCookie }
    }
}
