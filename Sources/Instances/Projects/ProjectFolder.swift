/// A project as it is on disk.
package struct ProjectFolder: Sendable, Equatable {
    /// The folder's name.
    package let name: ProjectName
    /// Its absolute path under the home directory, links not resolved.
    package let path: String
    /// Whether it holds `.git`.
    package let hasGit: Bool
    /// Whether it holds `package.json`.
    package let hasPackageJSON: Bool

    /// A folder of these properties.
    package init(name: ProjectName, path: String, hasGit: Bool, hasPackageJSON: Bool) {
        self.name = name
        self.path = path
        self.hasGit = hasGit
        self.hasPackageJSON = hasPackageJSON
    }
}
