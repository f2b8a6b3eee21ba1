// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Resolves paths with the kernel's functions.
package enum FilePath {
    /// Returns the absolute path with all symbolic links resolved and without a trailing slash (realpath(3)). Returns
    /// nil if nothing exists at the path, or if the process may not resolve it.
    package static func resolved(_ path: String) -> String? {
        // realpath writes at most PATH_MAX bytes, including the NUL.
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        return realpath(path, &bytes) == nil ? nil : text(bytes)
    }

    /// Returns the target of a symbolic link as stored in the link (readlink(2)); nil if there is no link.
    package static func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // readlink writes no NUL, so it must not overwrite the last byte.
        return readlink(path, &bytes, bytes.count - 1) > 0 ? text(bytes) : nil
    }

    /// The working directory of the process (getcwd(3)); nil if it has been removed.
    package static var workingFolder: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        return getcwd(&bytes, bytes.count) == nil ? nil : text(bytes)
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 }, as: UTF8.self)
    }
}
