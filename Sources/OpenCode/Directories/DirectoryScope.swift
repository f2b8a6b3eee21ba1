/// One project's folder, as paths that requests and events name are compared with it.
///
/// Paths are compared as text, like Node's `path.resolve`: no file system is looked at, so a symbolic link inside the
/// folder that leads out of it is not seen.
package final class DirectoryScope: Sendable, Equatable {
    /// The folder's spellings: as it is named and with symbolic links followed; one where both are the same.
    private let folders: [[UInt8]]
    /// The parts of each spelling between its slashes.
    private let parts: [[ArraySlice<UInt8>]]

    /// The scope of a folder with an absolute path, and of that path with all links followed.
    package init(folder: String, resolved: String) {
        let (folder, resolved) = (Array(folder.utf8), Array(resolved.utf8))
        folders = folder == resolved ? [folder] : [folder, resolved]
        parts = folders.map { Self.parts(of: $0[...]) ?? [] }
    }

    /// Whether both are the same folder under the same names.
    package static func == (left: DirectoryScope, right: DirectoryScope) -> Bool { left.folders == right.folders }

    /// Whether a path is the folder or lies in it. A relative path begins in the folder, where its server runs.
    package func holds(_ path: ArraySlice<UInt8>) -> Bool {
        // What clients and events name nearly always is the folder itself.
        if folders.contains(where: { $0.elementsEqual(path) }) { return true }
        guard path.first == UInt8(ascii: "/") else { return parts.allSatisfy { holds(Self.parts(of: path, in: $0)) } }
        return holds(Self.parts(of: path))
    }

    /// Whether a path, absolute, is the folder, lies in it or holds it.
    package func isRelated(to path: ArraySlice<UInt8>) -> Bool {
        guard path.first == UInt8(ascii: "/"), let other = Self.parts(of: path) else { return false }
        return holds(other) || parts.contains { $0.starts(with: other, by: { $0 == $1 }) }
    }

    private func holds(_ path: [ArraySlice<UInt8>]?) -> Bool {
        guard let path else { return false }
        return parts.contains { path.starts(with: $0, by: { $0 == $1 }) }
    }

    /// A path's parts without `.` and empty ones, `..` taken as going up (the root is its own parent); nil where there
    /// are too many to be a path (PATH_MAX is 4096 bytes).
    private static func parts(of path: ArraySlice<UInt8>, in base: [ArraySlice<UInt8>] = []) -> [ArraySlice<UInt8>]? {
        guard path.count <= longestPath else { return nil }
        var parts = base
        for part in path.split(separator: UInt8(ascii: "/")) {
            if part.elementsEqual(up) {
                _ = parts.popLast()
            } else if !part.elementsEqual(here) {
                parts.append(part)
            }
        }
        return parts
    }

    private static let longestPath = 64 * 1024
    private static let here = Array(".".utf8)
    private static let up = Array("..".utf8)
}
