// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A place in a request that names a directory, a session, an OpenCode project or a workspace. If a key is limited to
/// projects, the gateway checks these places in the requests of the key.
///
/// Two other types check further places. `DirectoryPin` checks the parameters `directory` and `location[directory]`,
/// and the field `x-opencode-directory`, of every request. `SessionListQuery` checks the query of `GET /api/session`.
package struct RequestReference: Sendable, Equatable {
    /// The kind of object that the request names.
    package enum Kind: Sendable, Equatable {
        /// A directory: an absolute path, or a path relative to the instance's directory.
        case directory
        /// A file or directory: an absolute path, or a path relative to the instance's directory.
        case path
        /// The id of a session.
        case session
        /// The id of an OpenCode project.
        case project
        /// The id of a workspace, which belongs to a directory.
        case workspace
    }

    /// The kind of object that the value names.
    package let kind: Kind
    /// The decoded name of a query parameter, or the path to the value in the JSON body. A path consists of member
    /// names that are separated by dots. In a path, `[]` represents all elements of a list, and `*` represents any
    /// member name.
    package let location: String
    /// Whether the place is a query parameter.
    package let isParameter: Bool
}

/// The places in the requests of one route that the gateway checks.
package struct RequestReferences: Sendable, Equatable {
    /// The places in the body and in the query.
    package let all: [RequestReference]

    /// Creates the places for a route. Most routes have only the parameters that name a workspace.
    package init(_ route: ScopeRoute) {
        all = Self.workspaceParameters + (Self.places["\(route.method.rawValue) \(route.template)"] ?? [])
    }

    /// Whether the body may name an object that must be checked. If not, the gateway does not need to examine the body.
    package var haveBody: Bool { all.contains { !$0.isParameter } }

    // MARK: Bodies

    /// The maximum size of an examined body, in bytes.
    package static let longestBody = 1 << 20

    /// The reason why a body cannot be examined.
    package enum Failure: Error, Equatable {
        /// The body is larger than ``longestBody``. The client receives status 413.
        case isTooLong
        /// The body is not a single JSON value in UTF-8.
        case isNotJSON
        /// An object contains a name twice. Parsers disagree about the value of such a name.
        case repeatsName
        /// The value at a place is not a string, or an outer value on the path to a place has an unexpected type.
        case hasUnknownShape
    }

    /// A value that a request names.
    package struct Finding: Sendable, Equatable {
        /// The kind of object that the value names.
        package let kind: RequestReference.Kind
        /// The value, such as a path or an id.
        package let text: String

        /// Creates a finding from a kind and a value.
        package init(_ kind: RequestReference.Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// Returns the values that a body contains at the places, in the order of the places. Returns no values for an
    /// empty body.
    ///
    /// - Throws: ``Failure`` if the body cannot be examined. The gateway then rejects the request.
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
            for value in try Self.values(json, place.location.split(separator: ".")[...]) {
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
        RequestReference(kind: .workspace, location: "workspace", isParameter: true),
        RequestReference(kind: .workspace, location: "location[workspace]", isParameter: true),
    ]

    /// The places in requests, according to OpenCode's API documents. Routes without such places are omitted.
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

    /// The directories in OpenCode 1's configuration. The configuration's references may name any directory, but
    /// OpenCode starts no program there.
    private static let configuration = [body(.directory, "mcp.*.cwd")]

    private static func body(_ kind: RequestReference.Kind, _ location: String) -> RequestReference {
        RequestReference(kind: kind, location: location, isParameter: false)
    }

    private static func parameter(_ kind: RequestReference.Kind, _ location: String) -> RequestReference {
        RequestReference(kind: kind, location: location, isParameter: true)
    }
}
