internal import JSONText
package import OpenCode

/// A project as it is on disk.
package struct ProjectFolder: Sendable, Equatable {
    /// The folder's name.
    package let name: ProjectName
    /// Its absolute path under the home directory, links not resolved.
    package let path: String
    /// Its path with all symbolic links followed.
    package let resolvedPath: String
    /// Which folder that is; nil when it is not known.
    package let identity: FolderIdentity?
    /// Whether it holds `.git`.
    package let hasGit: Bool
    /// Whether it holds `package.json`.
    package let hasPackageJSON: Bool
    /// Name and path as strings of JSON, made once and not for each list.
    package let quotedName: String
    /// See ``quotedName``.
    package let quotedPath: String
    /// What requests to its instance may name as their directory.
    package let scope: DirectoryScope

    /// A folder of these properties; without a resolved path no link leads to it.
    package init(
        name: ProjectName, path: String, resolvedPath: String? = nil, identity: FolderIdentity? = nil, hasGit: Bool,
        hasPackageJSON: Bool
    ) {
        self.name = name
        self.path = path
        quotedName = JSONText.quoted(name.string)
        quotedPath = JSONText.quoted(path)
        self.resolvedPath = resolvedPath ?? path
        self.identity = identity
        scope = DirectoryScope(folder: path, resolved: resolvedPath ?? path, isRepository: hasGit)
        self.hasGit = hasGit
        self.hasPackageJSON = hasPackageJSON
    }
}

extension Sequence<ProjectFolder> {
    /// In the wire contract's order: by lower-cased name. The byte order settles names that differ only in case, so that
    /// the list never changes by itself.
    package func inListOrder() -> [ProjectFolder] {
        map { (key: $0.name.string.lowercased(), folder: $0) }
            .sorted { left, right in
                guard left.key == right.key else { return left.key < right.key }
                return left.folder.name.bytes.lexicographicallyPrecedes(right.folder.name.bytes)
            }
            .map(\.folder)
    }
}
