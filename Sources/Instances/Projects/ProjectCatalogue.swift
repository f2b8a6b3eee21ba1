internal import FoundationEssentials

/// The project folders under the home directory. Reads the disk at each call.
package struct ProjectCatalogue: Sendable {
    /// The directory whose folders are the projects; absolute, without a slash at its end.
    package let home: String

    /// A catalogue of `home`, an absolute path.
    package init(home: String) {
        let trimmed = home.reversed().drop { $0 == "/" }.reversed()
        self.home = trimmed.isEmpty ? "/" : String(trimmed)
    }

    /// Why the home directory could not be listed.
    package struct ListingError: Error, Equatable, CustomStringConvertible {
        /// One sentence.
        package let description: String
    }

    /// All projects, sorted by their lower-cased names.
    package func folders() throws(ListingError) -> [ProjectFolder] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: home)
        } catch {
            throw ListingError(
                description: "\(home) can't be read: check that it exists and that the gateway may list it.")
        }
        let resolvedHome = Self.resolve(home)
        let folders = names.compactMap { name in
            ProjectName(name).flatMap { folder(named: $0, resolvedHome: resolvedHome) }
        }
        // The byte order settles names that differ only in case, so that the list never changes by itself.
        return folders.map { (key: $0.name.string.lowercased(), folder: $0) }
            .sorted { ($0.key, $0.folder.path) < ($1.key, $1.folder.path) }
            .map(\.folder)
    }

    /// The project of that name; nil when there is no such folder, or when it is a link that leads out of the home
    /// directory.
    package func folder(named name: ProjectName) -> ProjectFolder? {
        folder(named: name, resolvedHome: Self.resolve(home))
    }

    private func folder(named name: ProjectName, resolvedHome: String) -> ProjectFolder? {
        let path = (home == "/" ? "" : home) + "/" + name.string
        let files = FileManager.default
        var isDirectory = false
        guard files.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory else { return nil }
        let root = resolvedHome == "/" ? "/" : resolvedHome + "/"
        guard Self.resolve(path).hasPrefix(root) else { return nil }
        return ProjectFolder(
            name: name, path: path, hasGit: files.fileExists(atPath: path + "/.git"),
            hasPackageJSON: files.fileExists(atPath: path + "/package.json"))
    }

    /// The path with every symbolic link followed.
    private static func resolve(_ path: String) -> String {
        URL(filePath: path, directoryHint: .isDirectory).resolvingSymlinksInPath().path(percentEncoded: false)
            .removingTrailingSlash
    }
}

extension String {
    fileprivate var removingTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
