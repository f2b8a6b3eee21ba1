// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Encodings
package import OpenCodeFamilies
package import Projects

/// The information about an instance that `status` contains in addition to the fields of the wire contract.
package struct InstanceReport: Sendable, Equatable {
    /// The name of the instance's state (``InstanceState/name``).
    package var state: String
    /// The time at which that state began, in nanoseconds since 1970.
    package var since: Int64
    /// The process ID of the server's first process.
    package var processIdentifier: Int32?
    /// The number of restarts after unrequested ends, since the last requested start.
    package var restarts: Int
    /// OpenCode's version as reported by the server.
    package var version: String?
    /// The OpenCode API that the server implements; nil while unknown.
    package var family: APIFamily?
    /// The current problem or the last failure.
    package var lastError: String?
    /// Messages about problems that do not prevent operation.
    package var warnings: [String]

    /// Creates a report with the given values.
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

    /// ``since`` in UTC, to the second (RFC 3339).
    package var sinceText: String { Timestamp.utc(since) }
}

/// A project and the report about its instance.
package struct ProjectStatus: Sendable, Equatable {
    /// The information that the list of projects also contains.
    package let project: Project
    /// The report about the project's instance.
    package var report: InstanceReport

    /// Creates a status from a project and its instance's report.
    package init(project: Project, report: InstanceReport) {
        self.project = project
        self.report = report
    }
}

/// A project with the state of its instance, as in the list of projects.
package struct Project: Sendable, Equatable {
    /// The folder of the project.
    package let folder: ProjectFolder
    /// The state of the project's instance.
    package let state: InstanceState
    /// Whether the project's folder was removed while the instance continues to run.
    package let isMissing: Bool

    /// Creates a project with the given state.
    package init(folder: ProjectFolder, state: InstanceState, isMissing: Bool = false) {
        self.folder = folder
        self.state = state
        self.isMissing = isMissing
    }
}
