// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The entries of the audit log that a request selects.
package struct AuditQuery: Sendable, Equatable {
    /// The reason why the value of a parameter is refused.
    package struct InvalidValue: Error, Sendable, Equatable {
        /// The parameter.
        package let name: Name
        /// The values that are valid.
        package let advice: String
    }

    /// A parameter of the query.
    package enum Name: String, Sendable, CaseIterable {
        case key, project, since, limit, before
    }

    /// The valid numbers of entries.
    package static let limits = 1...1_000
    /// The number of entries of a query that names none.
    package static let defaultLimit = 100

    /// The name or the id of a key. The query selects the entries about this key, and those of its actions.
    package var key: String?
    /// The name of a project.
    package var project: String?
    /// The time of the oldest entry, in milliseconds since 1970.
    package var since: Int64?
    /// The maximum number of entries.
    package var limit = defaultLimit
    /// The id before which the query ends: the id of the last entry of the previous page.
    package var before: Int64?
    /// The projects to which the caller's key is limited; nil for all projects.
    package var visibleProjects: Set<String>?

    /// Creates a query that selects the newest entries.
    package init() {}

    /// Creates a query from the values of its parameters.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - value: Returns the value of a parameter; nil if the request does not contain the parameter.
    package init(at now: Int64, _ value: (Name) -> String?) throws(InvalidValue) {
        key = value(.key)
        project = value(.project)
        since = try value(.since).map { text throws(InvalidValue) in try Self.time(text, at: now) }
        limit =
            try value(.limit).map { text throws(InvalidValue) in
                guard let limit = Int(text), Self.limits.contains(limit) else {
                    throw InvalidValue(
                        name: .limit,
                        advice: "use a number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
                }
                return limit
            } ?? Self.defaultLimit
        before = try value(.before).map { text throws(InvalidValue) in
            guard let id = Int64(text) else {
                throw InvalidValue(name: .before, advice: "use the value of next in the previous response")
            }
            return id
        }
    }

    /// Returns the time in milliseconds since 1970 that a text names: a time before now, such as `1d`, or a time in the
    /// form of RFC 3339.
    private static func time(_ text: String, at now: Int64) throws(InvalidValue) -> Int64 {
        // A number without a unit would mean seconds, which an administrator who means days would not notice.
        if text.last?.isNumber == false, let duration = QuantityUnit.duration(text) {
            return now - duration.milliseconds
        }
        guard let time = RFC3339.milliseconds(text) else {
            throw InvalidValue(
                name: .since, advice: "use a time before now such as 12h or 1d, or a time such as 2026-11-21T18:00:00Z")
        }
        return time
    }
}
