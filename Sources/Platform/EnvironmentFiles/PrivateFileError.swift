// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The reason why a file was not read.
package struct PrivateFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of errors that callers handle differently.
    package enum Kind: Sendable, Equatable {
        /// The file does not exist.
        case missing
        /// This process has no permission to read the file.
        case forbidden
        /// Other users have rights on the file that they must not have.
        case open
        /// Any other problem with the file.
        case unusable
    }

    /// The kind of the error.
    package let kind: Kind
    /// A message that names the path and the fix.
    package let description: String

    /// Creates an error of the given kind with the given message.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates the error for a failure to open or read a file.
    ///
    /// - Parameter code: The error number (errno(3)) of the failed call.
    init(opening path: String, _ code: Int32) {
        switch code {
        case ENOENT, ENOTDIR: self.init(.missing, "\(path) does not exist.")
        case EACCES, EPERM: self.init(.forbidden, Self.sentence(path, code))
        default: self.init(.unusable, Self.sentence(path, code))
        }
    }

    private static func sentence(_ path: String, _ code: Int32) -> String {
        "Cannot read \(path): \(String(cString: strerror(code)))."
    }

    static func tooLarge(_ path: String, _ limit: Int) -> PrivateFileError {
        PrivateFileError(.unusable, "\(path) is larger than \(limit) bytes: use a text file.")
    }
}
