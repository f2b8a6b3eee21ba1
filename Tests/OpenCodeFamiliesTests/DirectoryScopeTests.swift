// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct DirectoryScopeTests {
    private let demo = DirectoryScope(folder: "/home/vibe/demo", resolved: "/home/vibe/demo")
    private let linked = DirectoryScope(folder: "/home/vibe/link", resolved: "/srv/code/real")

    @Test(
        arguments: [
            "/home/vibe/demo", "/home/vibe/demo/", "/home/vibe/demo//", "/home/vibe/demo/src", "//home///vibe/demo",
            "/home/./vibe/demo/.", "/home/vibe/demo/src/..", "/home/vibe/demo/a/b/../../c", "/home/vibe/other/../demo",
            "/../home/vibe/demo", "/home/vibe/demo/...", "/home/vibe/demo/..a", "/home/vibe/demo/src/\u{e9}",
            "", ".", "src", "./src/", "src/..", "a/../b", "...", "..a", "../demo", "../demo/src",
        ])
    func `each spelling of the project folder or of a path in it is inside`(path: String) {
        #expect(demo.contains(Array(path.utf8)[...]))
    }

    @Test(
        arguments: [
            "/", "/home", "/home/vibe", "/home/vibe/", "/home/vibe/demo2", "/home/vibe/dem", "/home/vibe/Demo",
            "/home/vibe/demo/..", "/home/vibe/demo/../other", "/home/vibe/demo/src/../..", "/home/vibe/demo/../../..",
            "/home/vibe/other", "/home/vibe/other/demo", "/home/vibe/ demo", "/home/vibe/demo /src", "..", "../",
            "../other", "src/../..", "src/../../other", "../../vibe/demo2", "/etc/passwd",
        ])
    func `each path that leads out of the project folder is outside`(path: String) {
        #expect(!demo.contains(Array(path.utf8)[...]))
    }

    @Test func `a linked project folder contains the paths below its link and below its target`() {
        for path in ["/home/vibe/link", "/home/vibe/link/src", "/srv/code/real", "/srv/code/real/src", "src", "."] {
            #expect(linked.contains(Array(path.utf8)[...]), "\(path)")
        }
        for path in ["/srv/code", "/home/vibe", "/srv/code/real/../other", "/home/vibe/real", "..", "../link"] {
            #expect(!linked.contains(Array(path.utf8)[...]), "\(path)")
        }
    }

    @Test func `a path of 80,000 bytes is outside even if it begins with the project folder`() {
        let path = "/home/vibe/demo/" + String(repeating: "a/", count: 40_000)

        #expect(!demo.contains(Array(path.utf8)[...]))
    }

    @Test(
        arguments: [
            #"C:\Users\anna\demo"#, #"c:\"#, "C:", "C:/Users/anna", #"\\host\share"#, #"\\?\C:\x"#, #"\Users"#, #"\"#,
        ])
    func `a Windows path is outside and is not relative to the project folder`(path: String) {
        #expect(!demo.contains(Array(path.utf8)[...]))
        // As plain text, the path could still belong to a file in the folder.
        #expect(demo.contains(Array("/home/vibe/demo/\(path)".utf8)[...]))
    }

    @Test(arguments: ["C", "Cc:", "1:/x", "src:x", "C:x", "a/C:/x", #"a\b"#])
    func `a relative name that only resembles a Windows path is inside`(path: String) {
        #expect(demo.contains(Array(path.utf8)[...]))
    }

    @Test func `a path in a worktree is inside, and a worktree at / is ignored`() {
        let scope = DirectoryScope(
            folder: "/home/vibe/demo", resolved: "/home/vibe/demo",
            worktrees: ["/home/vibe/.local/share/opencode/worktree/1/try", "/srv/./trees//two/", "/"])
        for path in [
            "/home/vibe/demo", "/home/vibe/.local/share/opencode/worktree/1/try",
            "/home/vibe/.local/share/opencode/worktree/1/try/src", "/srv/trees/two", "/srv/trees/two/x/..",
            "/srv/trees/three/../two", "src",
        ] {
            #expect(scope.contains(Array(path.utf8)[...]), "\(path)")
        }
        for path in [
            "/home/vibe/.local/share/opencode/worktree/1", "/home/vibe/.local/share/opencode/worktree/1/try2",
            "/srv/trees", "/srv/trees/two/..", "/srv/trees/tw", "/", "/etc", "../.local/share/opencode/worktree/1/try",
        ] {
            #expect(!scope.contains(Array(path.utf8)[...]), "\(path)")
        }

        #expect(scope != demo)
        #expect(scope.isRelated(to: Array("/srv/trees/two/x".utf8)[...]))
        #expect(!scope.isRelated(to: Array("/srv".utf8)[...]))
    }

    @Test func `the project folder itself is distinguished from paths in it`() {
        for path in ["/home/vibe/link", "/srv/code/real", "/srv/code/real/", "/srv/code/./real"] {
            #expect(linked.isFolder(Array(path.utf8)[...]), "\(path)")
        }
        for path in ["/srv/code/real/src", "/srv/code", "", ".", "real"] {
            #expect(!linked.isFolder(Array(path.utf8)[...]), "\(path)")
        }

        #expect(linked.workingDirectory == Array("/srv/code/real".utf8))
    }

    @Test func `a directory that contains the project folder, or is in it, is related to it`() {
        for path in ["/home/vibe/demo", "/home/vibe/demo/sub", "/home/vibe", "/home/", "/"] {
            #expect(demo.isRelated(to: Array(path.utf8)[...]), "\(path)")
        }
        for path in ["/home/vibe/other", "/home/vibe/demo2", "/srv", "", "demo"] {
            #expect(!demo.isRelated(to: Array(path.utf8)[...]), "\(path)")
        }
    }
}
