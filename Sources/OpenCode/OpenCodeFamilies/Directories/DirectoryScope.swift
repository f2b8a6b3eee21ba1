// SPDX-License-Identifier: Apache-2.0

/// The directories of one project: the project's folder with its content, and the worktrees of the project's
/// repository.
///
/// The scope normalizes paths as text, as Node's `path.resolve` does, and compares the paths without access to the file
/// system. Therefore, the scope does not detect a symbolic link in the folder that points outside the folder.
package final class DirectoryScope: Sendable, Equatable {
    /// The spellings of the folder: the configured path, and the path with symbolic links followed. If both paths are
    /// equal, the array has only one element.
    private let folders: [[UInt8]]
    /// The path components of each spelling.
    private let parts: [[ArraySlice<UInt8>]]
    /// The normalized absolute paths of the worktrees that git lists outside the project's folder.
    private let worktrees: Set<[UInt8]>
    /// Whether the folder is a repository. A repository can receive a new worktree at any time.
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

    /// Returns whether both scopes contain the same paths, and agree on whether the folder is a repository.
    package static func == (left: DirectoryScope, right: DirectoryScope) -> Bool {
        left.folders == right.folders && left.worktrees == right.worktrees && left.isRepository == right.isRepository
    }

    /// The folder's path with all symbolic links followed. This path is the working directory of a server that was
    /// started in the folder (getcwd(3)).
    package var workingDirectory: [UInt8] { folders[folders.count - 1] }

    /// The folder's path in the project list, which may contain symbolic links.
    package var namedDirectory: [UInt8] { folders[0] }

    /// Returns whether a path is one of the spellings of the project's folder itself.
    package func isFolder(_ path: ArraySlice<UInt8>) -> Bool {
        guard path.first == UInt8(ascii: "/"), let other = Self.parts(of: path) else { return false }
        return parts.contains { other.elementsEqual($0, by: { $0 == $1 }) }
    }

    /// Resolves a path against `base`, as Node's `path.resolve` does. Returns nil if the path is too long.
    package static func absolute(_ path: [UInt8], in base: [UInt8]) -> [UInt8]? {
        let isAbsolute = path.first == UInt8(ascii: "/")
        guard let all = parts(of: path[...], in: isAbsolute ? [] : parts(of: base[...]) ?? []) else { return nil }
        return all.isEmpty ? [UInt8(ascii: "/")] : self.path(of: all)
    }

    /// Returns whether a path is one of the scope's directories or is inside one of them. A relative path is relative
    /// to the project's folder, which is the working directory of the project's server. A Windows path (`C:\…`, `\\…`)
    /// is never in the scope.
    package func contains(_ path: ArraySlice<UInt8>) -> Bool {
        // Compare the path with the folder first, because clients and events nearly always name the folder.
        if folders.contains(where: { $0.elementsEqual(path) }) { return true }
        if path.first == UInt8(ascii: "/") { return contains(Self.parts(of: path)) }
        return !Self.isOfWindows(path) && parts.allSatisfy { isInFolder(Self.parts(of: path, in: $0)) }
    }

    /// Returns whether an absolute path is one of the scope's directories, is inside one of them, or contains the
    /// project's folder.
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

    /// Returns a path's components, without `.` and empty components. `..` removes the preceding component. At the
    /// root, `..` has no effect. Returns nil if the path is longer than 64 KiB, which no usable path is (PATH_MAX is
    /// 4096 bytes).
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
