/// The project that an instance's folder is to OpenCode, as requests for its sessions have to name it.
package struct OwnProject: Sendable, Equatable {
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
