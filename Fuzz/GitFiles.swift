// SPDX-License-Identifier: Apache-2.0

// length: 128

import OpenCodeFamilies

/// Checks that parsing one of git's small files returns an absolute path without control characters, or nil, whatever
/// the file contains.
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
        // A `.git` file contains the same path after the keyword `gitdir:`, and a worktree is the directory of its
        // `.git` file.
        precondition(GitPath.ofLink(Array("gitdir: ".utf8) + content, in: "/d") == whole)
        precondition((GitPath.worktree(content, in: "/d").map { $0 + "/.git" } ?? whole) == whole)
    }
    return 0
}
