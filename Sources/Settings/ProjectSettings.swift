/// Which folders are projects, and what requests to them may name.
package struct ProjectSettings: Sendable, Equatable {
    /// Whether a symbolic link that leads out of the projects' folder is a project.
    package internal(set) var followsLinks = false
    /// Whether requests may name only their project's own folder as a directory.
    package internal(set) var pinsDirectories = true
}
