// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A place in a request where it names a directory, a session, an OpenCode project or a workspace. The gateway checks
/// these places for keys that are limited to projects.
///
/// `DirectoryPin` checks the parameters `directory` and `location[directory]`, and the field `x-opencode-directory`, of
/// every request. `SessionListQuery` checks the query of `GET /api/session`. Neither is repeated here.
package struct RequestReference: Sendable, Equatable {
    /// The kind of object that the request names.
    package enum Kind: Sendable, Equatable {
        /// A directory: an absolute path, or a path that is relative to the instance's directory.
        case directory
        /// The path of a file or directory, with the same forms.
        case path
        /// The id of a session.
        case session
        /// The id of an OpenCode project.
        case project
        /// The id of a workspace, which belongs to a directory.
        case workspace
    }

    /// The kind of thing that the value names.
    package let kind: Kind
    /// The names that lead to the value in the JSON body, separated by dots, where `[]` enters a list and `*` means any
    /// name. For a parameter, its decoded name.
    package let place: String
    /// Whether the place is a parameter of the query.
    package let isParameter: Bool
}

/// The places in the requests of one route.
package struct RequestReferences: Sendable {
    /// The places in the body and in the query.
    package let all: [RequestReference]

    /// Creates the places for a route. Most routes only have the parameters that name a workspace.
    package init(_ route: ScopeRoute) {
        all = Self.workspaceParameters + (Self.places["\(route.method.rawValue) \(route.template)"] ?? [])
    }

    /// Whether the body names something that must be checked. A request without such a place needs no body check.
    package var haveBody: Bool { all.contains { !$0.isParameter } }

    // MARK: Bodies

    /// The largest body that is examined, in bytes.
    package static let longestBody = 1 << 20

    /// The reason why a body cannot be examined.
    package enum Failure: Error, Equatable {
        /// The body is larger than ``longestBody``. The client gets 413.
        case isTooLong
        /// The body is not one JSON value in UTF-8.
        case isNotJSON
        /// An object contains a name twice. Parsers disagree about the value.
        case repeatsName
        /// A place contains another value than a text, or a value on the way to a place has another type.
        case hasUnknownShape
    }

    /// A value that a request names.
    package struct Finding: Sendable, Equatable {
        /// The kind of thing that the value names.
        package let kind: RequestReference.Kind
        /// The value.
        package let text: String

        /// Creates a finding.
        package init(_ kind: RequestReference.Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// Returns the values that a body names, in the order of the places. Returns no values for an empty body.
    ///
    /// - Throws: ``Failure`` if the body cannot be examined. The request is then refused.
    package func findings(inBody body: [UInt8]) throws(Failure) -> [Finding] {
        let places = all.filter { !$0.isParameter }
        guard !places.isEmpty, !body.isEmpty else { return [] }
        guard body.count <= Self.longestBody else { throw .isTooLong }
        guard String(validating: body, as: UTF8.self) != nil, let json = JSONParser.parse(body) else {
            throw .isNotJSON
        }
        guard !json.repeatsName else { throw .repeatsName }
        var findings: [Finding] = []
        for place in places {
            for value in try Self.values(json, place.place.split(separator: ".")[...]) {
                guard let text = value.text else { throw .hasUnknownShape }
                findings.append(Finding(place.kind, text))
            }
        }
        return findings
    }

    /// Returns the values at a place. A missing value and `null` count as absent.
    private static func values(_ json: JSON, _ steps: ArraySlice<Substring>) throws(Failure) -> [JSON] {
        guard json != .null else { return [] }
        guard let step = steps.first else { return [json] }
        guard let object = json.object else { throw .hasUnknownShape }
        let isList = step.hasSuffix("[]")
        let name = String(isList ? step.dropLast(2) : step)
        var found: [JSON] = []
        for member in object.members where name == "*" || member.name == name {
            guard isList, member.value != .null else {
                found.append(member.value)
                continue
            }
            guard let elements = member.value.array else { throw .hasUnknownShape }
            found += elements
        }
        var values: [JSON] = []
        for value in found { values += try Self.values(value, steps.dropFirst()) }
        return values
    }

    // MARK: The table

    private static let workspaceParameters = [
        RequestReference(kind: .workspace, place: "workspace", isParameter: true),
        RequestReference(kind: .workspace, place: "location[workspace]", isParameter: true),
    ]

    /// The places of the routes that have any, from the documents.
    private static let places: [String: [RequestReference]] = [
        // OpenCode 1.
        "POST /session": [body(.session, "parentID"), body(.workspace, "workspaceID")],
        "PATCH /session/{sessionID}/message/{messageID}/part/{partID}": [body(.session, "sessionID")],
        "POST /pty": [body(.directory, "cwd")],
        "POST /mcp": [body(.directory, "config.cwd")],
        "PATCH /config": configuration,
        "PATCH /global/config": configuration,
        "DELETE /experimental/worktree": [body(.directory, "directory")],
        "POST /experimental/worktree/reset": [body(.directory, "directory")],
        "POST /experimental/workspace": [body(.workspace, "id")],
        "POST /experimental/workspace/warp": [body(.workspace, "id"), body(.session, "sessionID")],
        "POST /experimental/control-plane/move-session": [
            body(.session, "sessionID"), body(.directory, "destination.directory"),
        ],
        "POST /experimental/project/{projectID}/copy": [body(.directory, "directory")],
        "DELETE /experimental/project/{projectID}/copy": [body(.directory, "directory")],
        "POST /sync/replay": [body(.directory, "directory"), body(.session, "events[].aggregateID")],
        "POST /sync/steal": [body(.session, "sessionID")],
        "POST /tui/select-session": [body(.session, "sessionID")],
        "POST /tui/publish": [body(.session, "properties.sessionID")],
        "GET /file": [parameter(.path, "path")],
        "GET /file/content": [parameter(.path, "path")],
        // Both families.
        "POST /api/session": [body(.directory, "location.directory"), body(.workspace, "location.workspaceID")],
        "POST /api/pty": [body(.directory, "cwd")],
        "GET /api/fs/list": [parameter(.path, "path")],
        "GET /api/permission/saved": [parameter(.project, "projectID")],
        // OpenCode 2.
        "POST /api/session/{sessionID}/move": [body(.directory, "directory")],
        "POST /api/shell": [body(.directory, "cwd")],
        "POST /api/experimental/session/{sessionID}/terminal": [body(.directory, "cwd")],
        "PUT /api/experimental/mcp/{server}": [body(.directory, "config.cwd")],
        "POST /api/experimental/fs/write": [parameter(.path, "path")],
        "POST /api/experimental/session/import": [
            body(.directory, "location.directory"), body(.directory, "info.location.directory"),
            body(.directory, "messages[].location.directory"),
            body(.directory, "messages[].previous.location.directory"), body(.session, "info.id"),
            body(.session, "info.parentID"), body(.session, "info.fork.sessionID"), body(.project, "info.projectID"),
            body(.project, "messages[].projectID"), body(.project, "messages[].previous.projectID"),
        ],
        "GET /api/experimental/session/stats": [parameter(.project, "project")],
        "GET /api/worktree": [parameter(.project, "projectID")],
        "POST /api/worktree": [body(.project, "projectID"), body(.directory, "directory")],
        "DELETE /api/worktree": [body(.project, "projectID"), body(.directory, "directory")],
        "POST /api/worktree/refresh": [body(.project, "projectID")],
    ]

    /// The directories in OpenCode 1's configuration. Its references may name any folder, but they start nothing there.
    private static let configuration = [body(.directory, "mcp.*.cwd")]

    private static func body(_ kind: RequestReference.Kind, _ place: String) -> RequestReference {
        RequestReference(kind: kind, place: place, isParameter: false)
    }

    private static func parameter(_ kind: RequestReference.Kind, _ place: String) -> RequestReference {
        RequestReference(kind: kind, place: place, isParameter: true)
    }
}
