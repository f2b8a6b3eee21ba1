// SPDX-License-Identifier: Apache-2.0

internal import JSONText
package import OpenCodeFamilies

/// A project's folder on disk.
package struct ProjectFolder: Sendable, Equatable {
    /// The name of the folder.
    package let name: ProjectName
    /// The absolute path in the home directory. Symbolic links in the path are not resolved.
    package let path: String
    /// The path with all symbolic links resolved.
    package let resolvedPath: String
    /// The identity of the folder; nil if unknown.
    package let identity: FolderIdentity?
    /// Whether the folder contains `.git`.
    package let hasGit: Bool
    /// Whether the folder contains `package.json`.
    package let hasPackageJSON: Bool
    /// The name as a JSON string, which is created once and used in every list of projects.
    package let quotedName: String
    /// The path as a JSON string, which is created once like ``quotedName``.
    package let quotedPath: String
    /// The directories that requests to the project's instance may name.
    package let scope: DirectoryScope

    /// Creates a folder. Omit the resolved path if the path contains no symbolic link.
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
    /// Returns the folders in the wire contract's order, which is the order of the lower-cased names. Names that differ
    /// only in case are ordered by their bytes, so that the order is stable.
    package func inListOrder() -> [ProjectFolder] {
        map { (key: $0.name.string.lowercased(), folder: $0) }
            .sorted { left, right in
                guard left.key == right.key else { return left.key < right.key }
                return left.folder.name.bytes.lexicographicallyPrecedes(right.folder.name.bytes)
            }
            .map(\.folder)
    }
}
