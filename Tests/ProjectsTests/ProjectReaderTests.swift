// SPDX-License-Identifier: Apache-2.0

import Foundation
import OpenCodeFamilies
import Projects
import TemporaryHomes
import Testing

/// Tests which entries count as projects, on a real file system.
@Suite struct ProjectReaderTests {
    private func folders(_ path: String, followsLinks: Bool = false) throws -> [String: ProjectFolder] {
        let reader = DiskProjectReader(home: path, followsLinks: followsLinks)
        let home = try reader.home()
        let folders = try reader.names().compactMap { reader.entry($0, in: home)?.folder }
        return Dictionary(uniqueKeysWithValues: folders.map { ($0.name.string, $0) })
    }

    @Test func `directories are projects, and hidden directories and files are not`() throws {
        let home = try TemporaryHome()
        for name in ["beta", "Alpha", "gamma.js", "Übung", "with space", ".hidden"] { try home.makeFolder(name) }
        try home.makeFile("a-file")

        #expect(try folders(home.path).keys.sorted() == ["Alpha", "beta", "gamma.js", "with space", "Übung"])
    }

    @Test func `.git and package.json of a project folder are detected`() throws {
        let home = try TemporaryHome()
        try home.makeFolder("both/.git")
        try home.makeFile("both/package.json", "{}")
        try home.makeFolder("worktree")
        try home.makeFile("worktree/.git", "gitdir: elsewhere")
        try home.makeFolder("none")
        let found = try folders(home.path).mapValues { [$0.hasGit, $0.hasPackageJSON] }

        #expect(found == ["both": [true, true], "worktree": [true, false], "none": [false, false]])
        #expect(try folders(home.path)["both"]?.path == "\(home.path)/both")
    }

    private func linkedHome(_ outside: TemporaryHome) throws -> TemporaryHome {
        try outside.makeFolder("secret")
        let home = try TemporaryHome()
        try home.makeFolder("real/deep")
        try home.makeFile("file")
        try home.makeLink("inside", to: "real")
        try home.makeLink("deeper", to: "\(home.path)/real/deep")
        try home.makeLink("outside", to: "\(outside.path)/secret")
        try home.makeLink("around", to: "inside/../../\((outside.path as NSString).lastPathComponent)")
        try home.makeLink("second", to: "outside")
        try home.makeLink("up", to: "..")
        try home.makeLink("itself", to: ".")
        try home.makeLink("to-file", to: "file")
        try home.makeLink("broken", to: "nowhere")
        try home.makeLink("loop", to: "loop")
        return home
    }

    @Test func `a link is a project only if its target is inside the home directory`() throws {
        let home = try linkedHome(try TemporaryHome())

        #expect(try folders(home.path).keys.sorted() == ["deeper", "inside", "real"])
    }

    @Test func `an allowed outside link is a project unless it leads to the home directory or above`() throws {
        let outside = try TemporaryHome()
        let home = try linkedHome(outside)
        let found = try folders(home.path, followsLinks: true)

        #expect(found.keys.sorted() == ["around", "deeper", "inside", "outside", "real", "second"])
        #expect(found["second"]?.path == "\(home.path)/second")
        #expect(found["second"]?.resolvedPath == "\(outside.path)/secret")
    }

    @Test func `the scope of a linked project folder contains both of its paths`() throws {
        let home = try TemporaryHome()
        try home.makeFolder("real")
        try home.makeLink("link", to: "real")
        let scope = try #require(try folders(home.path)["link"]).scope

        #expect(scope == DirectoryScope(folder: "\(home.path)/link", resolved: "\(home.path)/real"))
    }

    /// Canonically equivalent names are different names in a file system.
    @Test func `paths are compared by their bytes`() throws {
        let base = try TemporaryHome()
        // An e with an acute accent as one character and as two characters, and a name that begins with a combining
        // character.
        try base.makeFolder("e\u{301}/secret")
        try base.makeFolder("\u{e9}/real/\u{301}x")
        try base.makeLink("\u{e9}/outside", to: "../e\u{301}/secret")
        try base.makeLink("\u{e9}/inside", to: "real/\u{301}x")

        #expect(try folders("\(base.path)/\u{e9}").keys.sorted() == ["inside", "real"])
    }

    @Test func `a home directory can be a link`() throws {
        let home = try TemporaryHome()
        try home.makeFolder("real/alpha")
        try home.makeLink("link", to: "real")
        let found = try folders("\(home.path)/link")

        #expect(found.keys.sorted() == ["alpha"])
        #expect(found["alpha"]?.path == "\(home.path)/link/alpha")
        #expect(found["alpha"]?.resolvedPath == "\(home.path)/real/alpha")
    }

    @Test func `a missing home directory, or a file in its place, is an error that names the path`() throws {
        let home = try TemporaryHome()
        try home.makeFile("file")

        for path in ["/nowhere", "\(home.path)/file"] {
            let error = #expect(throws: ProjectListingError.self) {
                try DiskProjectReader(home: path, followsLinks: false).home()
            }
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test func `a directory whose name is not UTF-8 is not a project`() throws {
        let home = try TemporaryHome()
        try home.makeFolder("good")
        let path = Array(home.path.utf8) + [UInt8(ascii: "/"), 0x62, 0xFF, 0]

        #expect(mkdir(path.map { CChar(bitPattern: $0) }, 0o755) == 0)
        #expect(try folders(home.path).keys.sorted() == ["good"])
    }
}
