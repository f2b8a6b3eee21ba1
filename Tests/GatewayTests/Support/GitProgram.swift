import Foundation

/// The git that some tests make repositories with: not every machine has it.
enum GitProgram {
    /// Whether it is there.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/git")
    /// Why a test is skipped.
    static let missing = "there is no git on this machine"
}
