// SPDX-License-Identifier: Apache-2.0

package import EnvironmentFiles

/// Provides access to the files that settings name. The module `Settings` itself reads no files.
package struct SettingFiles: Sendable {
    /// The maximum size in bytes of a file that a setting names.
    package static let sizeLimit = 64 << 10

    let read: @Sendable (_ path: String, _ audience: PrivateFile.Audience) throws(PrivateFileError) -> [UInt8]

    /// Creates an instance from a function that reads a file.
    ///
    /// - Parameter read: Returns a file's content, at most ``sizeLimit`` bytes, after checking which other users may
    ///   write or read it.
    package init(
        read: @escaping @Sendable (_ path: String, _ audience: PrivateFile.Audience) throws(PrivateFileError) -> [UInt8]
    ) {
        self.read = read
    }
}
