// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Lists the names of a directory's entries.
package enum FolderEntries {
    /// Returns at most `limit` names in no particular order, without `.` and `..`.
    ///
    /// Returns nil, with the reason in errno, if there is no directory or if the directory cannot be read completely. A
    /// partial list would look as if the other entries were missing. Omits names that are not valid UTF-8, because no
    /// string can refer to them.
    ///
    /// - Parameter includesHidden: Whether to include names that begin with a dot. `.` and `..` are never included.
    package static func names(in folder: String, atMost limit: Int = .max, includesHidden: Bool = true) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        var names: [String] = []
        var code: Int32 = 0
        while names.count < limit {
            // Clear errno first, because readdir(3) leaves it unchanged at the end of the directory and sets it only
            // after an error.
            errno = 0
            guard let entry = readdir(stream) else {
                code = errno
                break
            }
            // d_name is a C array of 256 bytes with a NUL after the name.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard includesHidden || name.first != UInt8(ascii: "."), let text = String(validating: name, as: UTF8.self),
                text != ".", text != ".."
            else { continue }
            names.append(text)
        }
        closedir(stream)
        errno = code
        return code == 0 ? names : nil
    }
}
