// SPDX-License-Identifier: Apache-2.0

/// The directories of one project: its folder with all its content, and the worktrees of its repository.
///
/// Paths are compared as text, like Node's `path.resolve`. The file system is not consulted, so a symbolic link inside
/// the folder that leads out of it is not detected.
package final class DirectoryScope: Sendable, Equatable {
    /// The spellings of the folder: the configured path, and the path with symbolic links followed. If both paths are
    /// the same, the list has only one element.
    private let folders: [[UInt8]]
    /// The path components of each spelling.
    private let parts: [[ArraySlice<UInt8>]]
    /// The folders outside the project that git lists as its worktrees, as normalized absolute paths.
    private let worktrees: Set<[UInt8]>
    /// Whether the folder is a repository, which can have a new worktree at any time.
    package let isRepository: Bool

    /// Creates the scope of a folder.
    ///
    /// - Parameters:
    ///   - folder: The absolute path of the folder.
    ///   - resolved: The same path with all symbolic links followed.
    ///   - worktrees: The absolute paths of worktrees outside the folder.
    ///   - isRepository: Whether the folder is a repository.
    package init(folder: String, resolved: String, worktrees: [String] = [], isRepository: Bool = false) {
        self.isRepository = isRepository
        let folder = Array(folder.utf8)
        let resolved = Array(resolved.utf8)
        folders = folder == resolved ? [folder] : [folder, resolved]
        parts = folders.map { Self.parts(of: $0[...]) ?? [] }
        self.worktrees = Set(
            worktrees.lazy.compactMap { Self.parts(of: Array($0.utf8)[...]) }.filter { !$0.isEmpty }.map(Self.path))
    }

    /// Returns whether both scopes contain the same folders under the same names.
    package static func == (left: DirectoryScope, right: DirectoryScope) -> Bool {
        left.folders == right.folders && left.worktrees == right.worktrees && left.isRepository == right.isRepository
    }

    /// The folder's path with all symbolic links followed. This is the working directory of a server that was started
    /// in the folder (getcwd(3)).
    package var workingDirectory: [UInt8] { folders[folders.count - 1] }

    /// The folder's path in the project list, which may contain symbolic links.
    package var namedDirectory: [UInt8] { folders[0] }

    /// Returns whether a path is one of the spellings of the project's own folder, and not a path inside it.
    package func isFolder(_ path: ArraySlice<UInt8>) -> Bool {
        guard path.first == UInt8(ascii: "/"), let other = Self.parts(of: path) else { return false }
        return parts.contains { other.elementsEqual($0, by: { $0 == $1 }) }
    }

    /// Returns the absolute form of a path, as Node's `path.resolve` does. A relative path is relative to `base`.
    /// Returns nil if the path is too long.
    package static func absolute(_ path: [UInt8], in base: [UInt8]) -> [UInt8]? {
        let isAbsolute = path.first == UInt8(ascii: "/")
        guard let all = parts(of: path[...], in: isAbsolute ? [] : parts(of: base[...]) ?? []) else { return nil }
        return all.isEmpty ? [UInt8(ascii: "/")] : self.path(of: all)
    }

    /// Returns whether a path is one of the folders or is inside one of them. A relative path is relative to the
    /// project's folder, where the project's server runs. A path of another operating system (`C:\…`, `\\…`) is in no
    /// folder.
    package func contains(_ path: ArraySlice<UInt8>) -> Bool {
        // Compare with the folder itself first, because clients and events nearly always name it.
        if folders.contains(where: { $0.elementsEqual(path) }) { return true }
        if path.first == UInt8(ascii: "/") { return contains(Self.parts(of: path)) }
        return !Self.isOfWindows(path) && parts.allSatisfy { isInFolder(Self.parts(of: path, in: $0)) }
    }

    /// Returns whether an absolute path is one of the folders, is inside one of them, or contains the project's own
    /// folder.
    package func isRelated(to path: ArraySlice<UInt8>) -> Bool {
        guard path.first == UInt8(ascii: "/"), let other = Self.parts(of: path) else { return false }
        return contains(other) || parts.contains { $0.starts(with: other, by: { $0 == $1 }) }
    }

    private func contains(_ path: [ArraySlice<UInt8>]?) -> Bool { isInFolder(path) || isInWorktree(path) }

    private func isInFolder(_ path: [ArraySlice<UInt8>]?) -> Bool {
        guard let path else { return false }
        return parts.contains { path.starts(with: $0, by: { $0 == $1 }) }
    }

    private func isInWorktree(_ path: [ArraySlice<UInt8>]?) -> Bool {
        guard !worktrees.isEmpty, let path else { return false }
        var upper: [UInt8] = []
        for part in path {
            upper.append(UInt8(ascii: "/"))
            upper += part
            if worktrees.contains(upper) { return true }
        }
        return false
    }

    /// Returns whether a path begins in the Windows format: with a drive (`C:\`, `C:/`) or with a backslash (`\\host`).
    private static func isOfWindows(_ path: ArraySlice<UInt8>) -> Bool {
        guard let first = path.first else { return false }
        if first == UInt8(ascii: "\\") { return true }
        let remainder = path.dropFirst()
        guard (first | 0x20) &- 0x61 < 26, remainder.first == UInt8(ascii: ":") else { return false }
        let next = remainder.dropFirst().first
        return next == nil || next == UInt8(ascii: "\\") || next == UInt8(ascii: "/")
    }

    /// Returns a path's components, without `.` and empty components. `..` removes the preceding component; the root is
    /// its own parent. Returns nil if the path is too long (PATH_MAX is 4096 bytes).
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

    private static func path(of parts: [ArraySlice<UInt8>]) -> [UInt8] {
        parts.reduce(into: []) { path, part in
            path.append(UInt8(ascii: "/"))
            path += part
        }
    }

    private static let longestPath = 64 * 1024
    private static let here = Array(".".utf8)
    private static let up = Array("..".utf8)
}
