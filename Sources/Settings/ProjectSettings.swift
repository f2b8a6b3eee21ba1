/// Which folders are projects, and what requests to them may name and ask for.
package struct ProjectSettings: Sendable, Equatable {
    /// Whether a symbolic link that leads out of the projects' folder is a project.
    package internal(set) var followsLinks = false
    /// Whether requests may name only their project's own folder as a directory.
    package internal(set) var pinsDirectories = true
    /// Whether OpenCode 1's routes are answered in front of an OpenCode 2.
    package internal(set) var speaksOpenCode1 = true
}
