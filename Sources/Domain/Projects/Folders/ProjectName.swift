// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The name of a project, which is a folder directly in the home directory.
///
/// Two names are equal if their bytes are equal. In contrast to `String`, file systems do not treat canonically
/// equivalent names as equal.
package struct ProjectName: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a file name in bytes (NAME_MAX, limits.h).
    package static let maximumLength = 255

    /// The folder's name, which is valid UTF-8.
    package let bytes: [UInt8]

    /// The name as text, whose UTF-8 form is exactly ``bytes``.
    package var string: String { String(decoding: bytes, as: UTF8.self) }
    /// The name as text, equal to ``string``.
    package var description: String { string }

    /// Creates a name from a folder's name on disk. Returns nil if the folder cannot be a project.
    ///
    /// A name is valid UTF-8 of 1 to 255 bytes without a slash or control characters (C0, DEL, C1). A name does not
    /// begin with a dot, so that `.`, `..` and hidden folders are excluded.
    package init?(directoryName: some Sequence<UInt8>) {
        let bytes = Array(directoryName)
        guard (1...Self.maximumLength).contains(bytes.count), bytes[0] != UInt8(ascii: ".") else { return nil }
        // Use the validating initializer, because it rejects overlong forms and surrogates.
        guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
        guard string.unicodeScalars.allSatisfy({ $0 != "/" && !Self.isControl($0) }) else { return nil }
        self.bytes = bytes
    }

    /// Creates a name from a folder's name as text.
    package init?(_ directoryName: String) { self.init(directoryName: directoryName.utf8) }

    /// Creates a name from a raw segment of a request's path. The segment is percent-decoded exactly once (RFC 3986
    /// §2.1). Returns nil if the result is not a valid name.
    package init?(percentEncoded segment: ArraySlice<UInt8>) {
        // A byte takes at most three characters, so a longer segment cannot be a name.
        guard segment.count <= 3 * Self.maximumLength else { return nil }
        let decoded = PercentEncoding.decode(segment)
        guard decoded.broken == 0 else { return nil }
        self.init(directoryName: decoded.bytes)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
