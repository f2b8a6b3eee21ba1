// SPDX-License-Identifier: Apache-2.0

/// Parses the paths in git's small files (gitrepository-layout(5)): `.git` if it is a file, and a worktree's `gitdir`
/// and `commondir`.
package enum GitPath {
    /// The maximum size of such a file in bytes. The files contain only a path, and paths are shorter (PATH_MAX,
    /// limits.h).
    package static let longestFile = 8 * 1024

    /// Returns the path in a `.git` file (`gitdir: PATH`); nil if the content has another format. A relative path is
    /// resolved against `folder`, the directory that contains the file.
    package static func ofLink(_ content: [UInt8], in folder: String) -> String? {
        guard content.starts(with: prefix) else { return nil }
        return path(content[prefix.count...], in: folder)
    }

    /// Returns the path that is a file's only content; nil if the content has another format. A relative path is
    /// resolved against `folder`, the directory that contains the file.
    package static func ofFile(_ content: [UInt8], in folder: String) -> String? { path(content[...], in: folder) }

    /// Returns the directory of a worktree from the worktree's `gitdir` file, which names the `.git` file in that
    /// directory. Returns nil if the content has another format.
    package static func worktree(_ content: [UInt8], in folder: String) -> String? {
        guard let path = path(content[...], in: folder), path.hasSuffix("/.git") else { return nil }
        let worktree = path.dropLast("/.git".count)
        return worktree.isEmpty ? nil : String(worktree)
    }

    private static func path(_ content: ArraySlice<UInt8>, in folder: String) -> String? {
        // Remove the line end, as git does (read_gitfile, strbuf_rtrim).
        var text = content
        while let last = text.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { text.removeLast() }
        guard !text.isEmpty, text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let path = String(validating: text, as: UTF8.self)
        else { return nil }
        return path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)"
    }

    private static let prefix = Array("gitdir: ".utf8)
}
