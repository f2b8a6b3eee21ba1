// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Systemd
import Testing

/// Tests directory listings and the resolution of paths.
@Suite struct FilePathTests {
    /// A temporary directory whose path contains no symbolic links.
    private final class Folder {
        let path: String

        init() throws {
            let made = FileManager.default.temporaryDirectory.appending(path: "paths-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
            path = try #require(FilePath.resolved(made))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func make(_ name: [UInt8]) {
            let bytes = Array("\(path)/".utf8) + name + [0]
            #expect(mkdir(bytes.map { CChar(bitPattern: $0) }, 0o700) == 0)
        }

        func make(_ name: String) { make(Array(name.utf8)) }

        func link(_ name: String, to target: String) { #expect(symlink(target, "\(path)/\(name)") == 0) }
    }

    @Test func `every entry except . and .. is listed, within a limit or without hidden ones on request`() throws {
        let folder = try Folder()
        let names = ["a", ".hidden", "..two", "Übung", String(repeating: "x", count: 255)]
        for name in names { folder.make(name) }
        folder.link("broken", to: "nowhere")

        #expect(FolderEntries.names(in: folder.path)?.sorted() == (names + ["broken"]).sorted())
        #expect(
            FolderEntries.names(in: folder.path, includesHidden: false)?.sorted()
                == (names + ["broken"]).filter { !$0.hasPrefix(".") }.sorted())
        #expect(FolderEntries.names(in: folder.path, atMost: 2)?.count == 2)
        #expect(FolderEntries.names(in: folder.path, atMost: 2, includesHidden: false)?.contains(".hidden") == false)
    }

    @Test func `the list of names is empty for an empty directory and nil for other paths`() throws {
        let folder = try Folder()

        #expect(FolderEntries.names(in: folder.path) == [])
        #expect(FolderEntries.names(in: folder.path + "/none") == nil)
        #expect(errno == ENOENT)
        #expect(FolderEntries.names(in: "/proc/self/status") == nil)
    }

    @Test func `a name that is not valid UTF-8 is omitted from the list`() throws {
        let folder = try Folder()
        folder.make([0x62, 0xFF])
        folder.make("good")

        #expect(FolderEntries.names(in: folder.path) == ["good"])
    }

    @Test func `a path is resolved through its symbolic links`() throws {
        let folder = try Folder()
        folder.make("real")
        folder.make("real/deep")
        folder.link("link", to: "real")
        folder.link("loop", to: "loop")
        folder.link("broken", to: "nowhere")
        for (path, resolved) in [
            ("", ""), ("/", ""), ("/link", "/real"), ("/link/", "/real"), ("/link/deep/..//.", "/real"),
            ("/real/../link/deep", "/real/deep"),
        ] {
            #expect(FilePath.resolved(folder.path + path) == folder.path + resolved, "\(path)")
        }
        for path in ["/loop", "/broken", "/none", "/link/none"] {
            #expect(FilePath.resolved(folder.path + path) == nil, "\(path)")
        }

        #expect(FilePath.resolved("/") == "/")
    }

    @Test func `the target of a symbolic link is returned as it is written`() throws {
        let folder = try Folder()
        folder.make("real")
        let long = String(repeating: "x/", count: 2_000)
        for target in ["real", "../é", "nowhere", long] {
            folder.link("link", to: target)
            #expect(FilePath.target(ofLink: "\(folder.path)/link") == target)
            #expect(unlink("\(folder.path)/link") == 0)
        }

        #expect(FilePath.target(ofLink: "\(folder.path)/real") == nil)
        #expect(FilePath.target(ofLink: "\(folder.path)/none") == nil)
    }

    @Test func `the working directory is the current directory of the process`() {
        #expect(FilePath.workingFolder == FileManager.default.currentDirectoryPath)
    }
}
