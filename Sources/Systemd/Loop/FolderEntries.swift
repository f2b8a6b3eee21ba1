internal import Glibc

/// The names of a folder's entries.
package enum FolderEntries {
    /// Reads at most `limit` names, in no order, those that begin with a dot left out; nil where there is no folder that may be
    /// read. Names that are not valid UTF-8 are left out.
    package static func names(in folder: String, atMost limit: Int) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = readdir(stream) {
            // d_name is a C array of 256 bytes with a NUL at the name's end.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard name.first != UInt8(ascii: "."), let text = String(validating: name, as: UTF8.self) else { continue }
            names.append(text)
        }
        return names
    }
}
