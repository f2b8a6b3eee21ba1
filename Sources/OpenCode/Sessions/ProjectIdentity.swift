internal import JSONText

/// Which project the folder of an instance is to OpenCode, as the instance says it.
///
/// OpenCode's own projects are repositories: sub-folders, worktrees and clones of one share an id, and folders of which it
/// can't tell one are all `global`.
package struct ProjectIdentity: Sendable, Equatable {
    /// The project's id.
    package let id: String
    /// The instance's directory as it spells it itself; nil where it does not say.
    package let directory: String?
    /// The main folder of the repository, which may be another one's; nil where it does not say.
    package let root: String?
    /// Other folders of it, as far as the same answer names them.
    package let folders: [String]

    /// An identity of these parts.
    package init(id: String, directory: String? = nil, root: String? = nil, folders: [String] = []) {
        self.id = id
        self.directory = directory
        self.root = root
        self.folders = folders
    }

    /// What folders have in common that are no project of their own to OpenCode (1.x and 2.0: without a commit).
    package static let global = "global"

    /// What is asked of an instance for it. One that is not known to be OpenCode 2 may send a path that it does not know to
    /// another server, so it is asked what every 1.x knows.
    package static func path(for family: APIFamily?) -> String {
        switch family {
        case .two: "/api/location"
        case .one, nil: "/project/current"
        }
    }

    /// The identity out of the answer; nil where that tells none.
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

    /// `GET /api/location` of OpenCode 2.
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

    /// `GET /project/current` of OpenCode 1.
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

/// The folders that OpenCode has ever opened as one project: the clones of a repository, and its worktrees.
package enum ProjectFolders {
    /// What is asked for them; nil where nothing can be asked that every version of the family knows.
    package static func path(ofProject id: String, for family: APIFamily?) -> String? {
        guard family == .two, SessionIdentifier.isValid(id.utf8) else { return nil }
        return "/api/worktree?projectID=\(id)"
    }

    /// The folders' paths out of the answer; none where it knows no such question, nil where it tells nothing.
    package static func read(status: Int, body: [UInt8]) -> [String]? {
        if status == 404 { return [] }
        guard status == 200 else { return nil }
        return [Folder](jsonText: body)?.map(\.directory)
    }

    private struct Folder: JSONReadable {
        let directory: String

        init(json: JSON) throws(JSONMismatch) { directory = try json.required("directory") }
    }
}

/// The project that an instance's folder is to OpenCode, as requests for its sessions have to name it.
package struct OpenCodeProject: Sendable, Equatable {
    /// The project's id.
    package let id: [UInt8]
    /// The folder as the instance spells it, an absolute path.
    package let directory: [UInt8]
    /// Whether sessions of folders that are none of the project's have the same id, or might have it.
    package let isShared: Bool
    /// The number of the answer that this was learnt from: a later answer has a greater one.
    package let number: UInt64

    /// A project of these parts.
    package init(id: [UInt8], directory: [UInt8], isShared: Bool, number: UInt64 = 0) {
        self.id = id
        self.directory = directory
        self.isShared = isShared || id.elementsEqual(ProjectIdentity.global.utf8)
        self.number = number
    }

    /// Out of what the instance says, for a folder of this scope.
    package init(_ identity: ProjectIdentity, in scope: DirectoryScope, isShared: Bool, number: UInt64) {
        // OpenCode 1 tells its repository's root, which may hold the folder.
        let spelled = [identity.directory, identity.root].lazy.compactMap { $0.map { Array($0.utf8) } }
            .first { scope.isFolder($0[...]) }
        self.init(
            id: Array(identity.id.utf8), directory: spelled ?? scope.workingDirectory, isShared: isShared,
            number: number)
    }
}
