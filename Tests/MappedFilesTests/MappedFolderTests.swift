// SPDX-License-Identifier: Apache-2.0

import Glibc
import MappedFiles
import TestKit
import Testing

@Suite struct MappedFolderTests {
    private let directory: TemporaryDirectory
    private let folder: MappedFolder

    init() throws {
        directory = try TemporaryDirectory()
        folder = try #require(try MappedFolder(directory.path).folder("a"))
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0, "\(path)")
        return status
    }

    private func write(_ bytes: [UInt8], _ name: String, mode: mode_t = 0o600) throws {
        let file = open(path(name), O_WRONLY | O_CREAT | O_TRUNC, mode)
        defer { close(file) }
        try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    private func error(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return "\(error)" }
    }

    @Test func `new directories and files are accessible only to their owner`() throws {
        let before = umask(0)
        defer { umask(before) }
        let inner = try #require(try folder.folder("b"))
        _ = try inner.make("c", count: 4096) { _ in }

        #expect(try status("\(folder.path)/b").st_mode & 0o7777 == 0o700)
        #expect(try status("\(folder.path)/b/c").st_mode & 0o7777 == 0o600)
    }

    @Test func `a directory that other users could access is made private`() throws {
        try #require(mkdir(path("b"), 0o755) == 0)

        _ = try folder.folder("b")

        #expect(try status(path("b")).st_mode & 0o7777 == 0o700)
    }

    @Test func `a file is allocated whole before it is used`() throws {
        let region = try folder.make("f", count: 300_000) { _ in }
        let status = try status(path("f"))

        #expect(status.st_size == 300_000)
        #expect(status.st_blocks * 512 >= 300_000)
        #expect(region.isFile)
        #expect(region.isWritable)
        #expect(region.count == 300_000)
    }

    @Test func `a mapping's writes reach the file and remain visible after its removal`() throws {
        let region = try folder.make("f", count: 4096) { $0.write(Array("head".utf8).span, at: 0) }
        region.write(Array("more".utf8).span, at: 4)
        let again = try folder.open("f", isWritten: false)

        #expect(again.withSpan(0..<8) { $0[0] == UInt8(ascii: "h") && $0[7] == UInt8(ascii: "e") })
        #expect(!again.isWritable)
        #expect(folder.remove("f"))
        #expect(folder.remove("f"))

        region.write(Array("last".utf8).span, at: 8)

        #expect(again.withSpan(8..<12) { $0[0] == UInt8(ascii: "l") })
        #expect(try folder.names().isEmpty)
    }

    @Test func `a file has its name only when it is complete`() throws {
        _ = try folder.make("f", count: 4096) { _ in
            #expect((try? folder.names()) == ["f" + MappedFolder.unfinished])
        }

        #expect(try folder.names() == ["f"])
    }

    @Test func `an unfinished file of the same name is replaced`() throws {
        try write([1, 2, 3], "f" + MappedFolder.unfinished)
        _ = try folder.make("f", count: 4096) { #expect($0.firstNonzero(from: 0) == nil) }

        #expect(try folder.names() == ["f"])
    }

    @Test func `an existing file is not overwritten`() throws {
        try write([1, 2, 3], "f")

        #expect(throws: MappedFileError.self) { try folder.make("f", count: 4096) { _ in } }
        #expect(try status(path("f")).st_size == 3)
        #expect(try folder.names() == ["f"])
    }

    @Test func `a link, a pipe, a directory, an empty file or a missing file is not opened`() throws {
        try write([1], "plain")

        try #require(symlink("plain", path("link")) == 0)
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        try #require(mkdir(path("folder"), 0o700) == 0)

        try write([], "empty")
        let why = { (name: String) in error { _ = try folder.open(name, isWritten: false) } }

        #expect(why("link") == "\(path("link")) cannot be used: it is a symbolic link")
        #expect(why("pipe") == "\(path("pipe")) cannot be used: it is not a regular file")
        #expect(why("folder") == "\(path("folder")) cannot be used: it is not a regular file")
        #expect(why("empty") == "\(path("empty")) cannot be used: it is empty")
        #expect(why("none") == "\(path("none")) cannot be opened: No such file or directory")
        #expect(error { _ = try folder.open("pipe", isWritten: true) } != nil)
    }

    @Test func `a symbolic link in place of a directory is not followed`() throws {
        try #require(symlink("/", path("b")) == 0)
        #expect(error { _ = try folder.folder("b") }?.hasPrefix("\(path("b")) cannot be opened: ") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func `a directory of another user is not used`() throws {
        try #require(mkdir(path("b"), 0o700) == 0)
        try #require(chown(path("b"), 1, 1) == 0)

        #expect(error { _ = try folder.folder("b") } == "\(path("b")) cannot be used: it belongs to another user")
    }

    @Test func `a missing directory is created only on request`() throws {
        #expect(try folder.folder("b", isMade: false) == nil)
        #expect(try folder.names().isEmpty)
        #expect(try folder.folder("b") != nil)

        folder.removeFolder("b")

        #expect(try folder.names().isEmpty)
    }

    @Test func `names are sorted by their bytes`() throws {
        for name in ["b", "a10", "a9", "ä", "B"] { try write([1], name) }

        #expect(try folder.names() == ["B", "a10", "a9", "b", "ä"])
    }
}
