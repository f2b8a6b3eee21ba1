internal import TextCoding

/// The name of a project: one folder directly under the home directory.
///
/// Two names are the same when their bytes are: file systems know nothing of Unicode's equivalences, which `String`
/// follows.
package struct ProjectName: Sendable, Hashable, CustomStringConvertible {
    /// The longest name of a file, bytes (NAME_MAX, limits.h).
    package static let maximumLength = 255

    /// The folder's name: valid UTF-8.
    package let bytes: [UInt8]

    /// The name as text; ends up as the same bytes.
    package var string: String { String(decoding: bytes, as: UTF8.self) }
    /// The name as text.
    package var description: String { string }

    /// From a folder's name as it is on disk; nil when it can't be a project.
    ///
    /// It is valid UTF-8 of 1 to 255 bytes without a slash or control characters (C0, DEL, C1), and does not begin
    /// with a dot, so that neither `.`, `..` nor a hidden folder is ever one.
    package init?(directoryName: some Sequence<UInt8>) {
        let bytes = Array(directoryName)
        guard (1...Self.maximumLength).contains(bytes.count), bytes[0] != UInt8(ascii: ".") else { return nil }
        // The validating initialiser refuses overlong forms and surrogates.
        guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
        guard string.unicodeScalars.allSatisfy({ $0 != "/" && !Self.isControl($0) }) else { return nil }
        self.bytes = bytes
    }

    /// From a folder's name as text.
    package init?(_ directoryName: String) { self.init(directoryName: directoryName.utf8) }

    /// From one raw segment of a request's path, percent-decoded exactly once (RFC 3986 §2.1); nil for anything that
    /// is no name.
    package init?(percentEncoded segment: ArraySlice<UInt8>) {
        // Three characters stand for one byte at most: a longer segment can't become a name.
        guard segment.count <= 3 * Self.maximumLength else { return nil }
        let decoded = PercentEncoding.decode(segment)
        guard decoded.broken == 0 else { return nil }
        self.init(directoryName: decoded.bytes)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
