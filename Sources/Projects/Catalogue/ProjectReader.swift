package import Systemd

/// Reads projects from the disk. It is the catalogue's only way there, so that tests can count and fail what it does.
package protocol ProjectReader: Sendable {
    /// The home directory as it is now.
    func home() throws(ProjectCatalogue.ListingError) -> HomeFolder
    /// The names of its entries that could be projects.
    func names() throws(ProjectCatalogue.ListingError) -> [ProjectName]
    /// What is under that name: nil for nothing, a file, or anything else that can't become a project by itself.
    func entry(_ name: ProjectName, in home: HomeFolder) -> ProjectEntry?
}

extension ProjectReader {
    /// The project of that name as it is on the disk now; nil when there is none.
    package func folder(named name: ProjectName) -> ProjectFolder? {
        guard let home = try? home() else { return nil }
        return entry(name, in: home)?.folder
    }

    /// All projects that are on the disk now, in the wire contract's order.
    package func folders() throws(ProjectCatalogue.ListingError) -> [ProjectFolder] {
        let home = try home()
        return try names().compactMap { entry($0, in: home)?.folder }.inListOrder()
    }
}

/// A folder's identity on this machine: it keeps it when it is moved, and another one in its place has another.
package struct FolderIdentity: Sendable, Hashable {
    /// The device (stat(3type), st_dev).
    package let device: UInt64
    /// The inode on it.
    package let inode: UInt64

    /// The folder with this inode of this device.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// As text: `DEVICE-INODE`.
    package var text: String { "\(device)-\(inode)" }

    /// From its text; nil for anything else.
    package init?(text: String) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard numbers.count == 2, let device = numbers[0], let inode = numbers[1] else { return nil }
        self.init(device: device, inode: inode)
    }
}

/// The home directory.
package struct HomeFolder: Sendable, Equatable {
    /// Which folder it is.
    package let identity: FolderIdentity
    /// Its path with all symbolic links followed.
    package let resolvedPath: String

    /// A home directory.
    package init(identity: FolderIdentity, resolvedPath: String) {
        self.identity = identity
        self.resolvedPath = resolvedPath
    }
}

/// An entry of the home directory that is, or could become, a project.
package struct ProjectEntry: Sendable, Equatable {
    /// The project; nil for a link that leads to none.
    package let folder: ProjectFolder?
    /// Which folder that is.
    package let identity: FolderIdentity?
    /// Whether it is a symbolic link, whose target can change without a change of the home directory.
    package let isLink: Bool

    /// An entry.
    package init(folder: ProjectFolder?, identity: FolderIdentity?, isLink: Bool) {
        self.folder = folder
        self.identity = identity
        self.isLink = isLink
    }
}

/// Who watches folders: the control loop, and in tests one that fails or loses events.
package protocol FolderWatcher: Sendable {
    /// Calls `handler` with each of `events` of the folder at `path`: ``SystemEventLoop/watchFolder(_:_:handler:)``.
    func watchFolder(
        _ path: String, _ events: FolderEvents, handler: @escaping @Sendable (FolderChange) -> Void
    ) throws(SystemdError) -> EventSource
}

extension SystemEventLoop: FolderWatcher {}
