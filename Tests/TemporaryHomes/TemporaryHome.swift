// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A temporary home directory for one test.
package final class TemporaryHome: Sendable {
    /// The absolute path of the directory.
    package let path: String

    /// Creates a home directory that is removed when this object is released.
    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Creates a folder, including missing parent folders.
    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    /// Creates a file with the given text and mode.
    package func makeFile(_ name: String, _ text: String = "", mode: Int = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }

    /// Sets the modification time of a folder to an hour ago.
    package func age(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: "\(path)/\(name)")
    }

    /// Creates a symbolic link to the target.
    package func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    /// Returns the text of a file.
    package func readFile(_ name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
}
