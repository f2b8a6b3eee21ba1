/// The paths in git's own small files (gitrepository-layout(5)): `.git` where it is a file, `gitdir` and `commondir` of a
/// worktree.
package enum GitPath {
    /// No path is longer (PATH_MAX, limits.h), and nothing else stands in these files.
    package static let longestFile = 8 * 1024

    /// The path in a `.git` file, `gitdir: PATH`, absolute or relative to the folder that holds the file; nil where it is no
    /// such file.
    package static func ofLink(_ content: [UInt8], in folder: String) -> String? {
        guard content.starts(with: prefix) else { return nil }
        return path(content[prefix.count...], in: folder)
    }

    /// The path that a file holds and nothing else, absolute or relative to the folder that holds the file.
    package static func ofFile(_ content: [UInt8], in folder: String) -> String? { path(content[...], in: folder) }

    /// The folder of a worktree out of its `gitdir` file, which names the `.git` file in it; nil for anything else.
    package static func worktree(_ content: [UInt8], in folder: String) -> String? {
        guard let path = path(content[...], in: folder), path.hasSuffix("/.git") else { return nil }
        let worktree = path.dropLast("/.git".count)
        return worktree.isEmpty ? nil : String(worktree)
    }

    private static func path(_ content: ArraySlice<UInt8>, in folder: String) -> String? {
        // Git takes the line's end away (read_gitfile, strbuf_rtrim).
        var text = content
        while let last = text.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { text.removeLast() }
        guard !text.isEmpty, text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let path = String(validating: text, as: UTF8.self)
        else { return nil }
        return path.utf8.first == UInt8(ascii: "/") ? path : "\(folder)/\(path)"
    }

    private static let prefix = Array("gitdir: ".utf8)
}
