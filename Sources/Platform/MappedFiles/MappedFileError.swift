// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An error that makes a file or directory of mapped segments unusable.
package struct MappedFileError: Error, Equatable, CustomStringConvertible {
    /// The operation that failed, as a past participle: `allocated`, `opened`.
    package let operation: String
    /// The path of the file or directory.
    package let path: String
    /// The error number of the kernel, or 0 if the kernel reported no error but the file is unsuitable.
    package let code: Int32
    /// The reason, if no error number describes it.
    let reason: String?

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
        reason = nil
    }

    /// Creates an error that no error number describes.
    package init(_ operation: String, _ path: String, reason: String) {
        self.operation = operation
        self.path = path
        code = 0
        self.reason = reason
    }

    /// Whether the disk, or the user's quota on it, is full.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether a file with this name already exists.
    package var fileExists: Bool { code == EEXIST }

    /// A clause for an error message: `/x cannot be allocated: No space left on device`.
    package var description: String {
        "\(path) cannot be \(operation): \(reason ?? String(cString: strerror(code)))"
    }
}
