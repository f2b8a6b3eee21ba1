// SPDX-License-Identifier: Apache-2.0

internal import Foundation
import Glibc

/// Creates git's own files for worktrees (gitrepository-layout(5)).
extension TemporaryHome {
    /// Creates a repository without content. An existing folder becomes a repository.
    package func makeRepository(_ name: String) throws { try makeFolder("\(name)/.git") }

    /// Adds a worktree to a repository and creates its folder, as `git worktree add` does. Paths are relative to the
    /// home directory.
    package func makeWorktree(
        _ entry: String, of repository: String, at folder: String, areRelative: Bool = false
    ) throws {
        let list = "\(repository)/.git/worktrees/\(entry)"
        try makeFolder(list)
        try makeFolder(folder)
        let up = "../../../.."
        try makeFile("\(list)/gitdir", areRelative ? "\(up)/\(folder)/.git\n" : "\(path)/\(folder)/.git\n")
        let depth = String(repeating: "../", count: folder.split(separator: "/").count)
        try makeFile("\(folder)/.git", areRelative ? "gitdir: \(depth)\(list)\n" : "gitdir: \(path)/\(list)\n")
        try makeFile("\(list)/commondir", "../..\n")
    }

    /// Creates a named pipe that only its owner can open (mkfifo(3)).
    package func makePipe(_ name: String) throws {
        guard mkfifo("\(path)/\(name)", 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Removes a file or a folder.
    package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
}
