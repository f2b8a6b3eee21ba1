// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Instances
import JSONText
internal import OpenCodeFamilies
internal import Projects

/// The members of a project's JSON object in their order, each with its name, its schema and the source of its value.
/// `GET /projects`, `status`, their schemas and the command `project` are derived from this type.
package enum ProjectMember: String, CaseIterable, Sendable {
    case name
    case path
    case hasGit = "has_git"
    case hasPackageJSON = "has_package_json"
    case isRunning = "is_running"
    case port
    case missing
    case state
    case since
    case processIdentifier = "pid"
    case restarts
    case version
    case api
    case lastError = "last_error"
    case warnings

    /// The members of the wire contract, which every project has.
    static let contract: [ProjectMember] = [.name, .path, .hasGit, .hasPackageJSON, .isRunning, .port]
    /// The members of a project in the response of `GET /projects`.
    static let listed = contract + [.missing]
    /// The additional members of `status`.
    static let reported: [ProjectMember] = [
        .state, .since, .processIdentifier, .restarts, .version, .api, .lastError, .warnings,
    ]

    /// Returns the object of a project for the response of `GET /projects`.
    static func object(_ project: Project) -> String { object(for: project, report: nil, members: listed) }

    /// Returns the object of the `status` response.
    static func object(_ status: ProjectStatus) -> String {
        object(for: status.project, report: status.report, members: allCases)
    }

    private static func object(for project: Project, report: InstanceReport?, members: [ProjectMember]) -> String {
        var text = ""
        for member in members {
            guard let value = member.value(project, report) else { continue }
            text += text.isEmpty ? "{" : ","
            text += "\"\(member.rawValue)\":\(value)"
        }
        return text + "}"
    }

    /// Returns the member's value as JSON; nil if the member is omitted.
    private func value(_ project: Project, _ report: InstanceReport?) -> String? {
        switch self {
        case .name: return project.folder.quotedName
        case .path: return project.folder.quotedPath
        case .hasGit: return "\(project.folder.hasGit)"
        case .hasPackageJSON: return "\(project.folder.hasPackageJSON)"
        case .isRunning: return "\(project.state.address != nil)"
        case .port: return project.state.address.map { "\($0.port)" } ?? "null"
        case .missing: return project.isMissing ? "true" : nil
        case .state, .since, .processIdentifier, .restarts, .version, .api, .lastError, .warnings:
            return report.map(value)
        }
    }

    private func value(_ report: InstanceReport) -> String {
        switch self {
        case .state: JSONText.quoted(report.state)
        case .since: JSONText.quoted(report.sinceText)
        case .processIdentifier: report.processIdentifier.map { "\($0)" } ?? "null"
        case .restarts: "\(report.restarts)"
        case .version: report.version.map(JSONText.quoted) ?? "null"
        case .api: report.family.map { JSONText.quoted($0.rawValue) } ?? "null"
        case .lastError: report.lastError.map(JSONText.quoted) ?? "null"
        case .warnings: "[\(report.warnings.map(JSONText.quoted).joined(separator: ","))]"
        default: "null"
        }
    }

    /// The JSON Schema of the member.
    var schema: JSON {
        switch self {
        case .name: ["type": "string", "description": "The folder's name."]
        case .path: ["type": "string", "description": "The folder's absolute path."]
        case .hasGit: ["type": "boolean", "description": "Whether the folder contains `.git`."]
        case .hasPackageJSON: ["type": "boolean", "description": "Whether the folder contains `package.json`."]
        case .isRunning: ["type": "boolean", "description": "Whether the project's OpenCode server accepts requests."]
        case .port: Self.portSchema.orNull
        case .missing:
            ["const": true, "description": "Present only if the folder is missing while its server still runs."]
        case .state:
            [
                "type": "string", "enum": .array(InstanceState.names.map { .string($0) }),
                "description":
                    "The state of the server. A server that is ready, busy or unhealthy receives requests.",
            ]
        case .since:
            ["type": "string", "format": "date-time", "description": "The time at which the state began (RFC 3339)."]
        case .processIdentifier:
            (["type": "integer", "minimum": 1, "description": "The id of the server's first process."] as JSON).orNull
        case .restarts:
            [
                "type": "integer", "minimum": 0,
                "description": "The number of the gateway's restarts since a client last requested a start.",
            ]
        case .version: (["type": "string", "description": "OpenCode's version."] as JSON).orNull
        case .api:
            ([
                "type": "string", "enum": ["1", "2", .null],
                "description": "The major version of OpenCode's API that the server provides.",
            ] as JSON).orNull
        case .lastError:
            ([
                "type": "string",
                "description": "The current or most recent error since a client last requested a start.",
            ] as JSON)
            .orNull
        case .warnings:
            [
                "type": "array", "items": ["type": "string"],
                "description": "Warnings about conditions that need attention although the server works.",
            ]
        }
    }

    /// The schema of a port, which does not allow null.
    static let portSchema: JSON = [
        "type": "integer", "minimum": 1, "maximum": 65535, "description": "The OpenCode server's port on 127.0.0.1.",
    ]
}
