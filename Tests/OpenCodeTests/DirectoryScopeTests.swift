import OpenCode
import Testing

@Suite struct DirectoryScopeTests {
    private let demo = DirectoryScope(folder: "/home/vibe/demo", resolved: "/home/vibe/demo")
    private let linked = DirectoryScope(folder: "/home/vibe/link", resolved: "/srv/code/real")

    @Test(
        "The folder and what lies in it",
        arguments: [
            "/home/vibe/demo", "/home/vibe/demo/", "/home/vibe/demo//", "/home/vibe/demo/src", "//home///vibe/demo",
            "/home/./vibe/demo/.", "/home/vibe/demo/src/..", "/home/vibe/demo/a/b/../../c", "/home/vibe/other/../demo",
            "/../home/vibe/demo", "/home/vibe/demo/...", "/home/vibe/demo/..a", "/home/vibe/demo/src/\u{e9}",
            "", ".", "src", "./src/", "src/..", "a/../b", "...", "..a", "../demo", "../demo/src",
        ])
    func inside(path: String) {
        #expect(demo.holds(Array(path.utf8)[...]))
    }

    @Test(
        "Anything else",
        arguments: [
            "/", "/home", "/home/vibe", "/home/vibe/", "/home/vibe/demo2", "/home/vibe/dem", "/home/vibe/Demo",
            "/home/vibe/demo/..", "/home/vibe/demo/../other", "/home/vibe/demo/src/../..", "/home/vibe/demo/../../..",
            "/home/vibe/other", "/home/vibe/other/demo", "/home/vibe/ demo", "/home/vibe/demo /src", "..", "../",
            "../other", "src/../..", "src/../../other", "../../vibe/demo2", "/etc/passwd",
        ])
    func outside(path: String) {
        #expect(!demo.holds(Array(path.utf8)[...]))
    }

    @Test func aLinkedFolderHasTwoNames() {
        for path in ["/home/vibe/link", "/home/vibe/link/src", "/srv/code/real", "/srv/code/real/src", "src", "."] {
            #expect(linked.holds(Array(path.utf8)[...]), "\(path)")
        }
        for path in ["/srv/code", "/home/vibe", "/srv/code/real/../other", "/home/vibe/real", "..", "../link"] {
            #expect(!linked.holds(Array(path.utf8)[...]), "\(path)")
        }
    }

    @Test func aPathBeyondAnyLimitIsOutside() {
        let path = "/home/vibe/demo/" + String(repeating: "a/", count: 40_000)
        #expect(!demo.holds(Array(path.utf8)[...]))
    }

    @Test(
        "Paths of Windows are nowhere here, and not relative",
        arguments: [
            #"C:\Users\anna\demo"#, #"c:\"#, "C:", "C:/Users/anna", #"\\host\share"#, #"\\?\C:\x"#, #"\Users"#, #"\"#,
        ])
    func pathsOfWindows(path: String) {
        #expect(!demo.holds(Array(path.utf8)[...]))
        // As plain text, it could still be a file of the folder.
        #expect(demo.holds(Array("/home/vibe/demo/\(path)".utf8)[...]))
    }

    @Test(arguments: ["C", "Cc:", "1:/x", "src:x", "C:x", "a/C:/x", #"a\b"#])
    func namesThatLookALittleLikeThem(path: String) {
        #expect(demo.holds(Array(path.utf8)[...]))
    }

    @Test func worktreesAreInside() {
        let scope = DirectoryScope(
            folder: "/home/vibe/demo", resolved: "/home/vibe/demo",
            worktrees: ["/home/vibe/.local/share/opencode/worktree/1/try", "/srv/./trees//two/", "/"])
        for path in [
            "/home/vibe/demo", "/home/vibe/.local/share/opencode/worktree/1/try",
            "/home/vibe/.local/share/opencode/worktree/1/try/src", "/srv/trees/two", "/srv/trees/two/x/..",
            "/srv/trees/three/../two", "src",
        ] {
            #expect(scope.holds(Array(path.utf8)[...]), "\(path)")
        }
        for path in [
            "/home/vibe/.local/share/opencode/worktree/1", "/home/vibe/.local/share/opencode/worktree/1/try2",
            "/srv/trees", "/srv/trees/two/..", "/srv/trees/tw", "/", "/etc", "../.local/share/opencode/worktree/1/try",
        ] {
            #expect(!scope.holds(Array(path.utf8)[...]), "\(path)")
        }
        #expect(scope != demo)
        #expect(scope.isRelated(to: Array("/srv/trees/two/x".utf8)[...]))
        #expect(!scope.isRelated(to: Array("/srv".utf8)[...]))
    }

    @Test func theFolderItselfIsToldFromWhatIsInIt() {
        for path in ["/home/vibe/link", "/srv/code/real", "/srv/code/real/", "/srv/code/./real"] {
            #expect(linked.isFolder(Array(path.utf8)[...]), "\(path)")
        }
        for path in ["/srv/code/real/src", "/srv/code", "", ".", "real"] {
            #expect(!linked.isFolder(Array(path.utf8)[...]), "\(path)")
        }
        #expect(linked.workingDirectory == Array("/srv/code/real".utf8))
    }

    @Test func aRepositoryAroundTheFolderIsRelatedToIt() {
        for path in ["/home/vibe/demo", "/home/vibe/demo/sub", "/home/vibe", "/home/", "/"] {
            #expect(demo.isRelated(to: Array(path.utf8)[...]), "\(path)")
        }
        for path in ["/home/vibe/other", "/home/vibe/demo2", "/srv", "", "demo"] {
            #expect(!demo.isRelated(to: Array(path.utf8)[...]), "\(path)")
        }
    }
}
