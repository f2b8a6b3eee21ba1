// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// The git program that some tests use to create repositories. Not every machine has it.
enum GitProgram {
    /// Whether git is installed here.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/git")
    /// The reason for skipping a test.
    static let missing = "there is no git on this machine"

    /// Runs git in a folder, with an identity that may commit.
    static func run(in folder: String, _ arguments: String...) throws {
        let git = try TestProcess(
            "/usr/bin/git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"] + arguments)
        guard try git.waitForExit(within: .seconds(20)) == .exited(0) else {
            throw TestFailure("git \(arguments) in \(folder)")
        }
    }

    /// Turns a folder into a repository with one commit.
    static func makeRepository(in folder: String, message: String = "first") throws {
        try run(in: folder, "init", "-q")
        try run(in: folder, "commit", "-q", "--allow-empty", "-m", message)
    }
}
