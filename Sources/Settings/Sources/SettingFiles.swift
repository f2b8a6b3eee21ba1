package import EnvironmentFiles

/// How settings get at the files that they name. This module reads nothing itself.
package struct SettingFiles: Sendable {
    /// The most bytes of such a file.
    package static let sizeLimit = 64 << 10

    let read: @Sendable (_ path: String, _ audience: PrivateFile.Audience) throws(PrivateFileError) -> [UInt8]

    /// `read` gives a file's content, at most ``sizeLimit`` bytes, after it has checked who else may write or read it.
    package init(
        read: @escaping @Sendable (_ path: String, _ audience: PrivateFile.Audience) throws(PrivateFileError) -> [UInt8]
    ) {
        self.read = read
    }
}
