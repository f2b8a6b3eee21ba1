internal import Addresses
internal import Clocks
package import OpenCode
package import Projects

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

    /// ``since`` as RFC 3339 has it, in UTC, to the second.
    package var sinceText: String { Timestamp.utc(since) }
}

/// A project with all that is known of its instance.
package struct ProjectStatus: Sendable, Equatable {
    /// What the list shows as well.
    package let project: Project
    /// The rest.
    package var report: InstanceReport

    /// A project with this report on its instance.
    package init(project: Project, report: InstanceReport) {
        self.project = project
        self.report = report
    }
}

/// A project as clients see it.
package struct Project: Sendable, Equatable {
    /// The folder.
    package let folder: ProjectFolder
    /// The state of its instance.
    package let state: InstanceState
    /// Whether the folder has gone while its instance goes on.
    package let isMissing: Bool

    /// A project in this state.
    package init(folder: ProjectFolder, state: InstanceState, isMissing: Bool = false) {
        self.folder = folder
        self.state = state
        self.isMissing = isMissing
    }
}
