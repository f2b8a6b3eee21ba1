// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct GitPathTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `the gitdir line of a .git file names a directory, and a malformed line is rejected`() {
        #expect(GitPath.ofLink(bytes("gitdir: /r/.git/worktrees/try\n"), in: "/w") == "/r/.git/worktrees/try")
        #expect(GitPath.ofLink(bytes("gitdir: ../r/.git/worktrees/try"), in: "/w") == "/w/../r/.git/worktrees/try")
        #expect(GitPath.ofLink(bytes("gitdir: a b\r\n"), in: "/w") == "/w/a b")

        for text in [
            "", "gitdir:", "gitdir: ", "gitdir: \n", "/r/.git", " gitdir: /r", "GITDIR: /r", "gitdir: /r\n/s\n",
            "gitdir: /r\0/s",
        ] {
            #expect(GitPath.ofLink(bytes(text), in: "/w") == nil, "\(text)")
        }

        #expect(GitPath.ofLink(bytes("gitdir: /") + [0xFF], in: "/w") == nil)
    }

    @Test func `the directory of a worktree is the directory that contains its .git file`() {
        #expect(GitPath.worktree(bytes("/home/vibe/try/.git\n"), in: "/r/.git/worktrees/try") == "/home/vibe/try")
        #expect(
            GitPath.worktree(bytes("../../../../try/.git\n"), in: "/r/.git/worktrees/try")
                == "/r/.git/worktrees/try/../../../../try")

        for text in ["", "/home/vibe/try", "/.git", "/home/vibe/try/.git/", "/home/vibe/try/x.git", "\n"] {
            #expect(GitPath.worktree(bytes(text), in: "/r") == nil, "\(text)")
        }
    }

    @Test func `the path in a file is absolute or relative to the file's directory`() {
        #expect(GitPath.ofFile(bytes("../..\n"), in: "/r/.git/worktrees/try") == "/r/.git/worktrees/try/../..")
        #expect(GitPath.ofFile(bytes("/r/.git"), in: "/x") == "/r/.git")
        #expect(GitPath.ofFile([], in: "/x") == nil)
    }
}
