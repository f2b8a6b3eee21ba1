// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import JSONText

/// A project in the running gateway's response, with the fields of the wire contract and the
/// additional fields of `status`.
struct ProjectView: JSONReadable, CustomStringConvertible {
    let name: String
    let path: String
    let isRunning: Bool
    let port: UInt16?
    /// Whether the folder no longer exists although its instance runs.
    let missing: Bool?
    let state: String?
    /// The start time of the current state (RFC 3339).
    let since: String?
    let processIdentifier: Int32?
    let restarts: Int?
    let version: String?
    /// The family of OpenCode's API that the instance implements: `1` or `2`.
    let api: String?
    let lastError: String?
    let warnings: [String]?

    init(json: JSON) throws(JSONMismatch) {
        name = try json.required(ProjectMember.name.rawValue)
        path = try json.required(ProjectMember.path.rawValue)
        isRunning = try json.required(ProjectMember.isRunning.rawValue)
        port = try json.optional(ProjectMember.port.rawValue)
        missing = try json.optional(ProjectMember.missing.rawValue)
        state = try json.optional(ProjectMember.state.rawValue)
        since = try json.optional(ProjectMember.since.rawValue)
        processIdentifier = try json.optional(ProjectMember.processIdentifier.rawValue)
        restarts = try json.optional(ProjectMember.restarts.rawValue)
        version = try json.optional(ProjectMember.version.rawValue)
        api = try json.optional(ProjectMember.api.rawValue)
        lastError = try json.optional(ProjectMember.lastError.rawValue)
        warnings = try json.optional(ProjectMember.warnings.rawValue)
    }

    /// Returns one line for each project, below a heading.
    static func table(_ projects: [ProjectView]) -> String {
        guard !projects.isEmpty else {
            return "There are no projects, because the directory of --home has no subdirectories."
        }
        let rows = projects.map { project in
            [
                project.name, project.isRunning ? "running" : "-", project.port.map { "\($0)" } ?? "-",
                project.path + (project.missing == true ? " (folder is missing)" : ""),
            ].map(PlainText.line)
        }
        return PlainText.table([["NAME", "STATE", "PORT", "PATH"]] + rows)
    }

    /// One line for each known value.
    var description: String {
        let stateText = state ?? (isRunning ? "running" : "stopped")
        let rows: [(String, String?)] = [
            ("name", name), ("path", path + (missing == true ? " (folder is missing)" : "")),
            ("state", since.map { "\(stateText) since \($0)" } ?? stateText), ("port", port.map { "\($0)" }),
            ("pid", processIdentifier.map { "\($0)" }), ("version", version), ("api", api),
            ("restarts", restarts.map { "\($0)" }),
        ]
        let lines = PlainText.table(rows.compactMap { row in row.1.map { [row.0, PlainText.line($0)] } })
        let error = lastError.map { ["last error: \(PlainText.lines($0))"] } ?? []
        return ([lines] + error + (warnings ?? []).map { "warning: \(PlainText.lines($0))" }).joined(separator: "\n")
    }
}
