internal import FoundationEssentials
internal import JSONText
package import OpenCode

/// What `status` tells of a project besides the wire contract's fields.
package struct InstanceReport: Sendable, Equatable {
    /// The name of its state (``InstanceState/name``).
    package var state: String
    /// Since when it is in that state: nanoseconds since 1970.
    package var since: Int64
    /// The number of its server's first process.
    package var processIdentifier: Int32?
    /// How often it was started again after it had ended by itself, since somebody last asked for it.
    package var restarts: Int
    /// OpenCode's version, as the server said it.
    package var version: String?
    /// Which of OpenCode's APIs it speaks; nil while that is not known.
    package var family: APIFamily?
    /// What is wrong now, or what went wrong last.
    package var lastError: String?
    /// Sentences about what works and should be known all the same.
    package var warnings: [String]

    /// A report.
    package init(
        state: String, since: Int64, processIdentifier: Int32? = nil, restarts: Int, version: String? = nil,
        family: APIFamily? = nil, lastError: String? = nil, warnings: [String]
    ) {
        self.state = state
        self.since = since
        self.processIdentifier = processIdentifier
        self.restarts = restarts
        self.version = version
        self.family = family
        self.lastError = lastError
        self.warnings = warnings
    }

    /// The fields, for a JSON object.
    var members: String {
        """
        "state":\(JSONText.quoted(state)),"since":\(JSONText.quoted(Self.timestamp(since))),\
        "pid":\(processIdentifier.map { String($0) } ?? "null"),"restarts":\(restarts),\
        "version":\(version.map(JSONText.quoted) ?? "null"),\
        "api":\(family.map { JSONText.quoted($0.rawValue) } ?? "null"),\
        "last_error":\(lastError.map(JSONText.quoted) ?? "null"),\
        "warnings":[\(warnings.map(JSONText.quoted).joined(separator: ","))]
        """
    }

    /// Date and time as RFC 3339 has them, in UTC, to the second.
    private static func timestamp(_ nanoseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000_000)).formatted(.iso8601)
    }
}

/// A project with all that is known of its instance.
package struct ProjectStatus: Sendable, Equatable {
    /// What the list shows as well.
    package let project: Project
    /// The rest.
    package let report: InstanceReport

    /// A project with this report on its instance.
    package init(project: Project, report: InstanceReport) {
        self.project = project
        self.report = report
    }

    /// The JSON object: the wire contract's fields first.
    package var json: String { "{\(project.members),\(report.members)}" }
}
