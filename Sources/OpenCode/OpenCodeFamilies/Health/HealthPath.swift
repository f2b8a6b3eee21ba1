// SPDX-License-Identifier: Apache-2.0

/// The path at which an instance reports whether it is ready.
package enum HealthPath: String, Sendable, CaseIterable {
    /// The path of OpenCode 1.x.
    case globalHealth = "/global/health"
    /// The path of OpenCode 2.0.11 and later.
    case info = "/api/info"
    /// The path of OpenCode 2.0.3 to 2.0.10.
    case health = "/api/health"

    /// Returns whether a request's target is one of these paths, with or without a query.
    package static func isOne(_ target: ArraySlice<UInt8>) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return allCases.contains { path.elementsEqual($0.rawValue.utf8) }
    }

    /// The family that has this path.
    package var family: APIFamily { self == .globalHealth ? .one : .two }
}

/// Finds the path at which an instance reports whether it is ready. The result is valid as long as the instance runs.
///
/// The search never requests an `/api/…` path from an instance that may be OpenCode 1. OpenCode 1.1 and 1.2 forward
/// unknown requests, including the requests' fields, to the vendor's site. A server that responds to `/global/health`
/// with a page is OpenCode 2, because OpenCode 2 returns a page for every path outside `/api`.
package struct HealthSearch: Sendable {
    /// The path to request now.
    package private(set) var path: HealthPath
    private let family: APIFamily?
    private let isFound: Bool

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - family: The family that the instance has announced; nil if it is unknown.
    ///   - found: The result of an earlier search in the same run.
    package init(family: APIFamily?, found: HealthPath? = nil) {
        self.family = family
        isFound = found != nil
        path = found ?? (family == .two ? .info : .globalHealth)
    }

    /// Processes a response. Returns true if another path must be requested. Returns false if the response is the
    /// result of the search.
    package mutating func advance(after answer: HealthAnswer) -> Bool {
        guard !isFound, case .otherwise(let kind) = answer else { return false }
        switch (path, kind) {
        case (.globalHealth, .page) where family == nil: path = .info
        case (.info, .notFound): path = .health
        default: return false
        }
        return true
    }
}
