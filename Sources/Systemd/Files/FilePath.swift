internal import Glibc

/// Where paths lead, as the kernel says it.
package enum FilePath {
    /// The absolute path with every symbolic link followed, without a slash at its end (realpath(3)); nil where nothing is
    /// there, or where it may not be known.
    package static func resolved(_ path: String) -> String? {
        // realpath writes at most PATH_MAX bytes, the NUL at their end among them.
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        return realpath(path, &bytes) == nil ? nil : text(bytes)
    }

    /// Where a symbolic link leads, as it is written in it (readlink(2)); nil where none is there.
    package static func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // Without the last byte, which stays the NUL that readlink does not write.
        return readlink(path, &bytes, bytes.count - 1) > 0 ? text(bytes) : nil
    }

    /// The process's own working folder (getcwd(3)); nil where that has been removed.
    package static var workingFolder: String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        return getcwd(&bytes, bytes.count) == nil ? nil : text(bytes)
    }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 }, as: UTF8.self)
    }
}
