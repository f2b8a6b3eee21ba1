// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A home directory of its own for one test.
package final class TemporaryHome: Sendable {
    /// Its absolute path.
    package let path: String

    /// Creates a home directory that is removed with this object.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a folder in it, and those around that.
    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    /// Writes a file in it.
    package func makeFile(_ name: String, _ text: String = "", mode: Int = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }

    /// Gives a folder in it the time of a change an hour ago.
    package func age(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: "\(path)/\(name)")
    }

    /// Makes a symbolic link in it.
    package func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    /// The text of a file in it.
    package func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}
