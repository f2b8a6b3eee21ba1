// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Systemd

/// Reads projects from the file system. Each folder takes three system calls, and a link takes a few more.
package struct DiskProjectReader: ProjectReader {
    /// The path of the home directory.
    package let path: String
    private let followsLinks: Bool

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - home: The absolute path of the home directory, without a trailing slash.
    ///   - followsLinks: Whether a symbolic link to a directory outside the home directory is a project.
    package init(home: String, followsLinks: Bool) {
        path = home
        self.followsLinks = followsLinks
    }

    /// Returns the current home directory.
    package func home() throws(ProjectListingError) -> HomeFolder {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw unreadable }
        return HomeFolder(identity: FolderIdentity(status), resolvedPath: Self.resolve(path))
    }

    /// Returns the names of the home directory's entries that could be projects.
    package func names() throws(ProjectListingError) -> [ProjectName] {
        guard let names = FolderEntries.names(in: path) else { throw unreadable }
        return names.compactMap { ProjectName($0) }
    }

    /// Returns the entry with this name.
    package func entry(_ name: ProjectName, in home: HomeFolder) -> ProjectEntry? {
        let path = Self.join(path, name.string)
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let identity = FolderIdentity(status)
            let folder = folder(name, at: path, identity: identity, resolved: Self.join(home.resolvedPath, name.string))
            return ProjectEntry(folder: folder, identity: identity, isLink: false)
        case S_IFLNK: return link(name, path, in: home)
        default: return nil
        }
    }

    private func link(_ name: ProjectName, _ path: String, in home: HomeFolder) -> ProjectEntry {
        let none = ProjectEntry(folder: nil, identity: nil, isLink: true)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return none }
        let resolved = Self.resolve(path)
        // Compare bytes instead of characters, because file systems distinguish canonically equivalent names.
        let inner = Self.join(resolved, "").utf8
        let outer = Self.join(home.resolvedPath, "").utf8
        // Reject a link to the home directory, or to a directory that contains the home directory. As a project, such a
        // directory would contain all other projects.
        guard !outer.starts(with: inner), followsLinks || inner.starts(with: outer) else { return none }
        let identity = FolderIdentity(status)
        return ProjectEntry(
            folder: folder(name, at: path, identity: identity, resolved: resolved), identity: identity, isLink: true)
    }

    private func folder(
        _ name: ProjectName, at path: String, identity: FolderIdentity, resolved: String
    ) -> ProjectFolder {
        ProjectFolder(
            name: name, path: path, resolvedPath: resolved, identity: identity,
            hasGit: access(Self.join(path, ".git"), F_OK) == 0,
            hasPackageJSON: access(Self.join(path, "package.json"), F_OK) == 0)
    }

    private var unreadable: ProjectListingError {
        ProjectListingError(
            description: "cannot read \(path): check that the directory exists and that the gateway's user may list it."
        )
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder == "/" ? "/" + name : folder + "/" + name
    }

    /// Returns the absolute path of a folder without a trailing slash, with all symbolic links resolved. If the folder
    /// has just been removed, returns the path unchanged.
    static func resolve(_ path: String) -> String { FilePath.resolved(path) ?? path }
}

extension FolderIdentity {
    /// Creates the identity of the folder at a path, following symbolic links. Returns nil if there is no folder at
    /// this path.
    package init?(ofFolderAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.init(status)
    }

    init(_ status: stat) { self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }
}

/// Resolves symbolic links in the paths of folders.
package enum FolderPath {
    /// Returns the absolute path with all symbolic links resolved (realpath(3)); nil if nothing exists at the path. The
    /// call may block while it reads from a disk.
    package static func resolved(_ path: String) -> String? { FilePath.resolved(path) }
}
