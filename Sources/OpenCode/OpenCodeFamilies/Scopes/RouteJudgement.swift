// SPDX-License-Identifier: Apache-2.0

/// The scope that a request to an instance needs, and the content that the gateway examines.
package struct RouteJudgement: Sendable, Equatable {
    /// The scope that the request needs.
    package let scope: Scope
    /// The route of the request; nil if it is unknown, or if routers may disagree about it.
    package let route: ScopeRoute?
    /// Whether a router may take the request for OpenCode's own pairing, whose response contains the instance's
    /// password.
    package let isPairing: Bool

    private static let tree = RouteTree(ScopeRoute.all)

    /// Judges a request.
    ///
    /// The path is judged by every reading that one of OpenCode's routers may have of it, and the strictest scope
    /// applies. An unknown route or method needs the scope ``Scope/run``. If the readings are different routes, and the
    /// gateway examines the content of one of them, the request needs ``Scope/run`` as well, because the gateway cannot
    /// know which content to expect. A path without special characters is judged without allocations.
    ///
    /// - Parameters:
    ///   - method: The method of the request. HEAD counts as GET, and the handshake of a WebSocket is a GET.
    ///   - target: The target as the instance receives it.
    ///   - family: The family of the instance. Pass nil if it is unknown, or if the gateway also serves OpenCode 1's
    ///     API for an OpenCode 2 instance.
    package init(_ method: String, _ target: ArraySlice<UInt8>, for family: APIFamily?) {
        guard let method = ScopeRoute.Method(name: method) else {
            self.init(scope: .run, isPairing: Self.isPairing(target))
            return
        }
        self.init(Self.findings(method, target, for: family))
    }

    private init(_ findings: RouteTree.Findings) {
        isPairing = findings.isPairing
        let scope = findings.scope ?? .run
        guard findings.route >= 0 else {
            self.scope = findings.needsOneRoute ? max(scope, .run) : scope
            route = nil
            return
        }
        self.scope = scope
        route = Self.tree[findings.route]
    }

    private init(scope: Scope, isPairing: Bool) {
        self.scope = isPairing ? .admin : scope
        self.isPairing = isPairing
        route = nil
    }

    private static func findings(
        _ method: ScopeRoute.Method, _ target: ArraySlice<UInt8>, for family: APIFamily?
    ) -> RouteTree.Findings {
        var findings = RouteTree.Findings()
        let bytes = target.span
        let shape = RouteReadings.path(of: bytes)
        if shape.isPlain {
            tree.search(bytes.extracting(0..<shape.count), method: method, family: family, into: &findings)
            return findings
        }
        let path = target.prefix(shape.count)
        let readings = RouteReadings(path).all
        // A target without a slash at its beginning is not a path (RFC 9112 §3.2).
        if readings == nil || path.first != UInt8(ascii: "/") { findings.addUnknown() }
        guard let readings else { return findings }
        for reading in readings {
            tree.search(reading.span, method: method, family: family, into: &findings)
        }
        return findings
    }

    /// Returns whether a path is one of OpenCode's pairing for any method.
    private static func isPairing(_ target: ArraySlice<UInt8>) -> Bool {
        [ScopeRoute.Method.get, .post].contains { findings($0, target, for: nil).isPairing }
    }
}

extension ScopeRoute.Method {
    /// Creates the method with this name, which is case-sensitive (RFC 9110 §9.1). HEAD becomes GET.
    init?(name: String) {
        switch name {
        case "GET", "HEAD": self = .get
        case "POST": self = .post
        case "PUT": self = .put
        case "PATCH": self = .patch
        case "DELETE": self = .delete
        default: return nil
        }
    }
}
