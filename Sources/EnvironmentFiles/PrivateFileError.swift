internal import Glibc

/// Why a file is not read.
package struct PrivateFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of it that callers treat in different ways.
    package enum Kind: Sendable, Equatable {
        /// There is no such file.
        case missing
        /// This process may not read it.
        case forbidden
        /// Others have rights on it that they must not have.
        case open
        /// Anything else.
        case unusable
    }

    /// Which kind it is.
    package let kind: Kind
    /// One sentence with the path and what to do.
    package let description: String

    /// An error of that kind and sentence.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// `code` is the error number (errno(3)) with which opening or reading failed.
    init(opening path: String, _ code: Int32) {
        switch code {
        case ENOENT, ENOTDIR: self.init(.missing, "\(path) does not exist.")
        case EACCES, EPERM: self.init(.forbidden, Self.sentence(path, code))
        default: self.init(.unusable, Self.sentence(path, code))
        }
    }

    private static func sentence(_ path: String, _ code: Int32) -> String {
        "\(path) can't be read: \(String(cString: strerror(code)))."
    }

    static func tooLarge(_ path: String, _ limit: Int) -> PrivateFileError {
        PrivateFileError(.unusable, "\(path) is larger than \(limit) bytes: name a text file.")
    }
}
