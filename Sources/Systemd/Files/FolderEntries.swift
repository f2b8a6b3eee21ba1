internal import Glibc

/// The names of a folder's entries.
package enum FolderEntries {
    /// Reads at most `limit` names, in no order, without `.` and `..`, and without others that begin with a dot unless
    /// `includesHidden`; nil, with the reason in errno, where there is no folder or it can't be read to its end: a part of a
    /// list would look as if the rest were gone. Names that are not valid UTF-8 are left out: no text leads to them.
    package static func names(in folder: String, atMost limit: Int = .max, includesHidden: Bool = true) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        var names: [String] = []
        var code: Int32 = 0
        while names.count < limit {
            // readdir(3): at the end, other than after an error, errno stays as it was.
            errno = 0
            guard let entry = readdir(stream) else {
                code = errno
                break
            }
            // d_name is a C array of 256 bytes with a NUL at the name's end.
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
