// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A new directory in the system's temporary directory. The directory is removed with its content when this object is
/// released.
package final class TemporaryDirectory: Sendable {
    /// The absolute path of the directory, without symbolic links and without a trailing slash.
    package let path: String

    /// Creates the directory, accessible only to this user.
    package init(prefix: String = "viberemote-test") throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/\(prefix)-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestKitError.system(operation: "mkdtemp in \(base)", code: errno) }
        let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = try FileTree.resolve(made)
    }

    deinit { FileTree.remove(path) }

    /// Writes a file and returns its absolute path. Missing directories are created.
    @discardableResult
    package func write(_ content: String, to name: String, mode: UInt32 = 0o644) throws -> String {
        if let slash = name.lastIndex(of: "/") { try makeDirectory(String(name[..<slash])) }
        let file = "\(path)/\(name)"
        try FileTree.write(content, to: file, mode: mode)
        return file
    }

    /// Creates a directory and returns its absolute path. Missing parent directories are created.
    @discardableResult
    package func makeDirectory(_ name: String) throws -> String {
        var made = path
        for part in name.split(separator: "/") {
            made += "/\(part)"
            if mkdir(made, 0o755) != 0, errno != EEXIST {
                throw TestKitError.system(operation: "mkdir \(made)", code: errno)
            }
        }
        return made
    }
}
