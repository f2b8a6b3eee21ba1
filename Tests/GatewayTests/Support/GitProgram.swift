import Foundation
import TestKit

/// The git that some tests make repositories with: not every machine has it.
enum GitProgram {
    /// Whether it is there.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/git")
    /// Why a test is skipped.
    static let missing = "there is no git on this machine"

    /// Runs git in a folder, as somebody who may commit.
    static func run(in folder: String, _ arguments: String...) throws {
        let git = try TestProcess(
            "/usr/bin/git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"] + arguments)
        guard try git.waitForExit(within: .seconds(20)) == .exited(0) else {
            throw TestFailure("git \(arguments) in \(folder)")
        }
    }

    /// Makes a folder a repository with one commit.
    static func makeRepository(in folder: String, message: String = "first") throws {
        try run(in: folder, "init", "-q")
        try run(in: folder, "commit", "-q", "--allow-empty", "-m", message)
    }
}
