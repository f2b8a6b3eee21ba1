internal import Glibc

/// A file or folder of mapped segments that can't be used.
package struct MappedFileError: Error, Equatable, CustomStringConvertible {
    /// What was tried, in words: `allocated`, `opened`.
    package let operation: String
    /// The file or folder.
    package let path: String
    /// The kernel's error number; 0 where the file is not what it should be.
    package let code: Int32
    /// Why, where no error number says it.
    let reason: String?

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
        reason = nil
    }

    /// An error that no error number says.
    package init(_ operation: String, _ path: String, reason: String) {
        self.operation = operation
        self.path = path
        code = 0
        self.reason = reason
    }

    /// Whether the disk, or the user's share of it, is full.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }

    /// Whether the name is taken.
    package var isTaken: Bool { code == EEXIST }

    /// A part of a sentence: `/x can't be allocated: No space left on device`.
    package var description: String {
        "\(path) can't be \(operation): \(reason ?? String(cString: strerror(code)))"
    }
}
