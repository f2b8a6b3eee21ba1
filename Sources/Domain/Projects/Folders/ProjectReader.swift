// SPDX-License-Identifier: Apache-2.0

package import Systemd

/// An error that prevented the home directory from being listed.
package struct ProjectListingError: Error, Equatable, CustomStringConvertible {
    /// A message that describes the problem.
    package let description: String
}

/// Reads projects from the file system. The catalogue uses only this protocol, so that tests can count its operations
/// and make them fail.
package protocol ProjectReader: Sendable {
    /// Returns the current home directory.
    func home() throws(ProjectListingError) -> HomeFolder
    /// Returns the names of the home directory's entries that could be projects.
    func names() throws(ProjectListingError) -> [ProjectName]
    /// Returns the entry with this name. Returns nil if no entry has this name, or if the entry can become a project
    /// only by a change of the home directory itself. An example of such an entry is a regular file.
    func entry(_ name: ProjectName, in home: HomeFolder) -> ProjectEntry?
}

extension ProjectReader {
    /// Reads the project with this name from disk. Returns nil if there is none.
    package func folder(named name: ProjectName) -> ProjectFolder? {
        guard let home = try? home() else { return nil }
        return entry(name, in: home)?.folder
    }

    /// Reads all projects from disk and returns them in the wire contract's order.
    package func folders() throws(ProjectListingError) -> [ProjectFolder] {
        let home = try home()
        return try names().compactMap { entry($0, in: home)?.folder }.inListOrder()
    }
}

/// The identity of a folder on this machine. Moving the folder within a file system does not change its identity. A
/// folder that replaces another folder has a different identity.
package struct FolderIdentity: Sendable, Hashable {
    /// The device of the folder (stat(3type), st_dev).
    package let device: UInt64
    /// The inode of the folder on the device.
    package let inode: UInt64

    /// Creates an identity from device and inode.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The identity as text: `DEVICE-INODE`.
    package var text: String { "\(device)-\(inode)" }

    /// Parses an identity. Returns nil for any other text.
    package init?(text: String) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard numbers.count == 2, let device = numbers[0], let inode = numbers[1] else { return nil }
        self.init(device: device, inode: inode)
    }
}

/// The home directory at one point in time.
package struct HomeFolder: Sendable, Equatable {
    /// The identity of the directory.
    package let identity: FolderIdentity
    /// The path with all symbolic links resolved.
    package let resolvedPath: String

    /// Creates a description of the home directory.
    package init(identity: FolderIdentity, resolvedPath: String) {
        self.identity = identity
        self.resolvedPath = resolvedPath
    }
}

/// An entry of the home directory that is, or could become, a project.
package struct ProjectEntry: Sendable, Equatable {
    /// The project; nil if the entry is a link that does not lead to a project.
    package let folder: ProjectFolder?
    /// The identity of the folder.
    package let identity: FolderIdentity?
    /// Whether the entry is a symbolic link. The link's target can change without a change of the home directory.
    package let isLink: Bool

    /// Creates an entry with the given values.
    package init(folder: ProjectFolder?, identity: FolderIdentity?, isLink: Bool) {
        self.folder = folder
        self.identity = identity
        self.isLink = isLink
    }
}

/// Watches directories. The control loop conforms to this protocol. Tests use a watcher that fails or loses events.
package protocol FolderWatcher: Sendable {
    /// Calls `handler` for each of `events` in the directory at `path` (``SystemEventLoop/watchFolder(_:_:handler:)``).
    func watchFolder(
        _ path: String, _ events: FolderEvents, handler: @escaping @Sendable (FolderChange) -> Void
    ) throws(SystemdError) -> EventSource
}

extension SystemEventLoop: FolderWatcher {}
