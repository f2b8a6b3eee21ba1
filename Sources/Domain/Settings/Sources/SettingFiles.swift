// SPDX-License-Identifier: Apache-2.0

package import EnvironmentFiles

/// The access to files that settings name. This module reads nothing itself.
package struct SettingFiles: Sendable {
    /// The maximum number of bytes of such a file.
    package static let sizeLimit = 64 << 10

    let read: @Sendable (_ path: String, _ audience: PrivateFile.Audience) throws(PrivateFileError) -> [UInt8]

    /// Creates the access. `read` returns a file's content, at most ``sizeLimit`` bytes, after it has checked which
    /// other users may write or read it.
    package init(
        read: @escaping @Sendable (_ path: String, _ audience: PrivateFile.Audience) throws(PrivateFileError) -> [UInt8]
    ) {
        self.read = read
    }
}
