// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Glibc
import TestKit
import Testing

@Suite("Private files")
struct PrivateFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func refusal(
        _ path: String, for audience: PrivateFile.Audience = .owner, credentials: String? = nil,
        limit: Int = PrivateFile.sizeLimit
    ) -> PrivateFileError? {
        do throws(PrivateFileError) {
            _ = try PrivateFile.read(path, for: audience, credentials: credentials, limit: limit)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 16_384, 100_000])
    func `a file is read completely, regardless of its size`(count: Int) throws {
        let text = String(repeating: "x", count: count)
        let path = try folder.write(text, to: "file", mode: 0o600)

        #expect(try PrivateFile.read(path) == Array(text.utf8))
    }

    @Test func `a symbolic link to a valid file is followed`() throws {
        let path = try folder.write("x", to: "file", mode: 0o400)

        #expect(symlink(path, "\(folder.path)/link") == 0)
        #expect(try PrivateFile.read("\(folder.path)/link") == Array("x".utf8))
    }

    @Test(
        arguments: [0o640, 0o440, 0o604, 0o602, 0o620, 0o601, 0o644, 0o666] as [UInt32])
    func `a secret that other users can access is rejected with the chmod command that protects it`(mode: UInt32) throws
    {
        let path = try folder.write("secret", to: "it's open", mode: mode)
        let error = try #require(refusal(path))

        #expect(error.kind == .open)
        #expect(
            error.description
                == "Other users can access \(path), which contains secrets (mode \(String(mode, radix: 8))). "
                + "Run `chmod 600 '\(folder.path)/it'\\''s open'`.")
    }

    @Test func `a file without secrets may be readable by others but writable only by its owner`() throws {
        #expect(refusal(try folder.write("x", to: "readable", mode: 0o644), for: .everybody) == nil)

        for mode: UInt32 in [0o664, 0o646, 0o602] {
            let path = try folder.write("x", to: "writable", mode: mode)
            #expect(
                refusal(path, for: .everybody)?.description
                    == "Other users can change \(path) (mode \(String(mode, radix: 8))). Run `chmod go-w \(path)`.")
        }
    }

    @Test(
        .enabled(if: getuid() == 0, "only root can make root's files"))
    func `root's group-readable file is accepted only directly in the credentials directory`() throws {
        let key = try folder.write("x", to: "credentials/key", mode: 0o440)
        let below = "\(folder.path)/credentials"
        for spelling in [below, below + "/"] { #expect(refusal(key, credentials: spelling) == nil) }

        #expect(refusal("\(below)//key", credentials: below) == nil)

        for other in [nil, folder.path, "", "/", "\(below)/key", "credentials"] as [String?] {
            #expect(refusal(key, credentials: other)?.kind == .open, "\(other ?? "none")")
        }
        let deep = try folder.write("x", to: "credentials/deep/key", mode: 0o440)
        for path in [deep, "\(below)/deep/../deep/key"] {
            #expect(refusal(path, credentials: below)?.kind == .open, "\(path)")
        }

        #expect(refusal(try folder.write("x", to: "credentials/open", mode: 0o444), credentials: below)?.kind == .open)
        #expect(refusal(try folder.write("x", to: "credentials/write", mode: 0o460), credentials: below)?.kind == .open)
        #expect(chown(key, 0, 12_345) == 0)
        #expect(refusal(key, credentials: below)?.kind == .open)
    }

    @Test(.enabled(if: getuid() == 0))
    func `another user's file is rejected with the chown command that changes its owner`() throws {
        let path = try folder.write("x", to: "foreign", mode: 0o600)

        #expect(chown(path, 12_345, 12_345) == 0)
        #expect(refusal(path)?.kind == .unusable)
        #expect(refusal(path)?.description == "\(path) belongs to another user (12345). Run `sudo chown 0 \(path)`.")
    }

    @Test func `a missing file and an unreadable one are reported differently`() throws {
        for path in ["\(folder.path)/none", "\(try folder.write("", to: "file"))/below"] {
            #expect(refusal(path)?.kind == .missing)
            #expect(refusal(path)?.description == "\(path) does not exist.")
        }
        let endless = "\(folder.path)/endless"

        #expect(symlink(endless, endless) == 0)
        #expect(refusal(endless)?.kind == .unusable)
        #expect(refusal(endless)?.description == "Cannot read \(endless): Too many levels of symbolic links.")
    }

    @Test func `a directory, a named pipe and a device are rejected without blocking`() throws {
        let pipe = "\(folder.path)/pipe"

        #expect(mkfifo(pipe, 0o600) == 0)

        for path in [folder.path, pipe, "/dev/zero"] {
            #expect(refusal(path)?.kind == .unusable)
            #expect(refusal(path)?.description == "\(path) is not a regular file: use a text file.")
        }
    }

    @Test func `a file of the maximum size is read, and a larger one is rejected`() throws {
        let path = try folder.write("12345678", to: "file", mode: 0o600)

        #expect(refusal(path, limit: 8) == nil)
        #expect(refusal(path, limit: 7)?.description == "\(path) is larger than 7 bytes: use a text file.")
    }

    @Test func `a file whose size is unknown in advance is also limited`() {
        #expect(refusal("/proc/self/status", for: .everybody) == nil)
        #expect(refusal("/proc/self/status", for: .everybody, limit: 10)?.kind == .unusable)
    }
}

@Suite("Quoting of shell words")
struct ShellWordTests {
    @Test(arguments: [
        ("/home/vibe/a-b_c.env", "/home/vibe/a-b_c.env"), ("grün", "grün"), ("", "''"), ("a b", "'a b'"),
        ("it's", #"'it'\''s'"#), ("$HOME", "'$HOME'"), ("a\nb", "'a\nb'"), ("~", "'~'"), ("a*", "'a*'"),
    ])
    func `a word is quoted for the shell only if necessary`(text: String, word: String) {
        #expect(ShellWord.quoted(text) == word)
    }
}
