internal import Addresses
package import Projects

/// A project as clients see it.
package struct Project: Sendable, Equatable {
    /// The folder.
    package let folder: ProjectFolder
    /// The state of its instance.
    package let state: InstanceState
    /// Whether the folder has gone while its instance goes on.
    package let isMissing: Bool

    /// A project in this state.
    package init(folder: ProjectFolder, state: InstanceState, isMissing: Bool = false) {
        self.folder = folder
        self.state = state
        self.isMissing = isMissing
    }
}
