// SPDX-License-Identifier: Apache-2.0

/// The scope that a request to an instance needs, and the content that the gateway examines.
package struct RouteJudgement: Sendable, Equatable {
    /// The scope that the request needs.
    package let scope: Scope
    /// The route of the request; nil if it is unknown, or if routers may disagree about it.
    package let route: ScopeRoute?
    /// Whether a router may interpret the request as a request for OpenCode's own pairing. The response to such a
    /// request contains the instance's password.
    package let isPairing: Bool

    private static let tree = RouteTree(ScopeRoute.all)

    /// Judges a request.
    ///
    /// The method examines every reading of the path that one of OpenCode's routers may have, and applies the strictest
    /// scope. An unknown route or method needs the scope ``Scope/run``. A path without special characters is examined
    /// without allocations.
    ///
    /// The readings may match different routes. If the gateway examines the content of one of these routes, the request
    /// needs at least ``Scope/run``, because the gateway cannot know which content to expect.
    ///
    /// - Parameters:
    ///   - method: The method of the request. HEAD counts as GET. The handshake of a WebSocket is a GET request.
    ///   - target: The target as the instance receives it.
    ///   - family: The family of the instance. Pass nil if the family is unknown, or if the gateway also serves
    ///     OpenCode 1's API for an OpenCode 2 instance.
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
        // A target that does not begin with a slash is not a path (RFC 9112 §3.2).
        if readings == nil || path.first != UInt8(ascii: "/") { findings.addUnknown() }
        guard let readings else { return findings }
        for reading in readings {
            tree.search(reading.span, method: method, family: family, into: &findings)
        }
        return findings
    }

    /// Returns whether a target belongs to OpenCode's pairing, regardless of the request's method.
    private static func isPairing(_ target: ArraySlice<UInt8>) -> Bool {
        [ScopeRoute.Method.get, .post].contains { findings($0, target, for: nil).isPairing }
    }
}

extension ScopeRoute.Method {
    /// Creates the method with this name. HEAD becomes GET. Names are case-sensitive (RFC 9110 §9.1).
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
