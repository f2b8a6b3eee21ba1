/// Where an instance tells whether it is ready.
package enum HealthPath: String, Sendable, CaseIterable {
    /// OpenCode 1.x.
    case globalHealth = "/global/health"
    /// OpenCode 2.0.11 and later.
    case info = "/api/info"
    /// OpenCode 2.0.3 to 2.0.10.
    case health = "/api/health"

    /// Whether a request's target is one of them, with a query or without.
    package static func isOne(_ target: ArraySlice<UInt8>) -> Bool {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        return allCases.contains { path.elementsEqual($0.rawValue.utf8) }
    }

    /// Whose it is.
    package var family: APIFamily { self == .globalHealth ? .one : .two }
}

/// Finds the path where an instance tells whether it is ready, by asking: within two round trips. What was found holds for
/// the instance's whole run.
///
/// An `/api/…` path is never asked of an instance that may be OpenCode 1: 1.1 and 1.2 send on what they don't know to the
/// vendor's site, fields and all. Who answers `/global/health` with a page is OpenCode 2, which does so for every path
/// outside `/api`.
package struct HealthSearch: Sendable {
    /// The path to ask now.
    package private(set) var path: HealthPath
    private let family: APIFamily?
    private let isFound: Bool

    /// A search: `family` as the instance has announced it, `found` as an earlier search of the same run has ended.
    package init(family: APIFamily?, found: HealthPath? = nil) {
        self.family = family
        isFound = found != nil
        path = found ?? (family == .two ? .info : .globalHealth)
    }

    /// Takes the answer; true when another path is to be asked now, false when this answer counts.
    package mutating func goesOn(after answer: HealthAnswer) -> Bool {
        guard !isFound, case .otherwise(let kind) = answer else { return false }
        switch (path, kind) {
        case (.globalHealth, .page) where family == nil: path = .info
        case (.info, .notFound): path = .health
        default: return false
        }
        return true
    }
}
