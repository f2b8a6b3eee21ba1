// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The OpenCode project to which an instance's folder belongs, as reported by the instance.
///
/// OpenCode's projects are repositories. The subdirectories, worktrees and clones of a repository share an id. All
/// directories outside a recognised repository have the id `global`.
package struct ProjectIdentity: Sendable, Equatable {
    /// The project's id, or ``global``.
    package let id: String
    /// The instance's directory, as spelled by the instance; nil if the instance does not report it.
    package let directory: String?
    /// The main directory of the repository; nil if the instance does not report it. The directory may belong to
    /// another project of the gateway.
    package let root: String?
    /// The other directories of the OpenCode project that the same response names.
    package let folders: [String]

    /// Creates an identity from its parts.
    package init(id: String, directory: String? = nil, root: String? = nil, folders: [String] = []) {
        self.id = id
        self.directory = directory
        self.root = root
        self.folders = folders
    }

    /// The id of all directories that OpenCode does not treat as projects. In 1.x and 2.0, these include repositories
    /// without a commit.
    package static let global = "global"

    /// Returns the path of the query for the identity. If an instance may be OpenCode 1, the path is one that every 1.x
    /// supports, because OpenCode 1 could forward an unknown path to another server.
    package static func path(for family: APIFamily?) -> String {
        switch family {
        case .two: "/api/location"
        case .one, nil: "/project/current"
        }
    }

    /// Creates the identity from a response; nil if the response does not contain the identity.
    package init?(status: Int, body: [UInt8], family: APIFamily?) {
        guard status == 200 else { return nil }
        switch family {
        case .two:
            guard let answer = Location(jsonText: body) else { return nil }
            self.init(
                id: answer.project.id, directory: answer.directory,
                root: answer.project.canonical ?? answer.project.directory)
        case .one, nil:
            guard let answer = Current(jsonText: body) else { return nil }
            self.init(id: answer.id, root: answer.worktree, folders: answer.sandboxes ?? [])
        }
        guard !id.isEmpty else { return nil }
    }

    /// The response to `GET /api/location` of OpenCode 2.
    private struct Location: JSONReadable {
        struct Project: JSONReadable {
            let id: String
            let directory: String?
            let canonical: String?

            init(json: JSON) throws(JSONMismatch) {
                id = try json.required("id")
                directory = try json.optional("directory")
                canonical = try json.optional("canonical")
            }
        }

        let directory: String
        let project: Project

        init(json: JSON) throws(JSONMismatch) {
            directory = try json.required("directory")
            project = try json.required("project")
        }
    }

    /// The response to `GET /project/current` of OpenCode 1.
    private struct Current: JSONReadable {
        let id: String
        let worktree: String?
        let sandboxes: [String]?

        init(json: JSON) throws(JSONMismatch) {
            id = try json.required("id")
            worktree = try json.optional("worktree")
            sandboxes = try json.optional("sandboxes")
        }
    }
}

/// The directories that OpenCode has ever opened as one project: the clones and worktrees of a repository.
package enum ProjectFolders {
    /// Returns the path of the query for the directories; nil if the family does not support such a query in all
    /// versions.
    package static func path(ofProject id: String, for family: APIFamily?) -> String? {
        guard family == .two, SessionIdentifier.isValid(id.utf8) else { return nil }
        return "/api/worktree?projectID=\(id)"
    }

    /// Returns the directories in a response. Returns an empty array if the instance does not support the query, and
    /// nil if the response contains no information.
    package static func parse(status: Int, body: [UInt8]) -> [String]? {
        if status == 404 { return [] }
        guard status == 200 else { return nil }
        return [Folder](jsonText: body)?.map(\.directory)
    }

    private struct Folder: JSONReadable {
        let directory: String

        init(json: JSON) throws(JSONMismatch) { directory = try json.required("directory") }
    }
}

/// The OpenCode project of an instance's folder, with the values that requests for the project's sessions must use.
package struct OpenCodeProject: Sendable, Equatable {
    /// The project's id, as bytes.
    package let id: [UInt8]
    /// The absolute path of the folder, as spelled by the instance.
    package let directory: [UInt8]
    /// Whether sessions outside the gateway's project may have the same project id.
    package let isShared: Bool
    /// The number of the response that contained this information. A later response has a greater number.
    package let number: UInt64

    /// Creates a project from its parts.
    package init(id: [UInt8], directory: [UInt8], isShared: Bool, number: UInt64 = 0) {
        self.id = id
        self.directory = directory
        self.isShared = isShared || id.elementsEqual(ProjectIdentity.global.utf8)
        self.number = number
    }

    /// Creates a project from the instance's report. `scope` contains the instance's folder.
    package init(_ identity: ProjectIdentity, in scope: DirectoryScope, isShared: Bool, number: UInt64) {
        // OpenCode 1 reports the root of the repository, which may contain the folder. Use a reported path only if it
        // is the folder itself.
        let spelled = [identity.directory, identity.root].lazy.compactMap { $0.map { Array($0.utf8) } }
            .first { scope.isFolder($0[...]) }
        self.init(
            id: Array(identity.id.utf8), directory: spelled ?? scope.workingDirectory, isShared: isShared,
            number: number)
    }
}
