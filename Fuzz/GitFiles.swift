// SPDX-License-Identifier: Apache-2.0

// length: 128

import OpenCodeFamilies

/// For every content of git's small files, the result is an absolute path without control characters, or nothing.
///
/// The input is the content of a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(data, count)
    let content = Array(input.remainder())
    for path in [
        GitPath.ofLink(content, in: "/home/vibe/demo"), GitPath.ofFile(content, in: "/home/vibe/demo"),
        GitPath.worktree(content, in: "/home/vibe/demo"),
    ] {
        guard let path else { continue }
        precondition(path.utf8.first == UInt8(ascii: "/") && path.utf8.count <= count + 16)
        precondition(path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }
    if let whole = GitPath.ofFile(content, in: "/d") {
        // A link is a path after its keyword, and a worktree is the folder of its file.
        precondition(GitPath.ofLink(Array("gitdir: ".utf8) + content, in: "/d") == whole)
        precondition((GitPath.worktree(content, in: "/d").map { $0 + "/.git" } ?? whole) == whole)
    }
    return 0
}
