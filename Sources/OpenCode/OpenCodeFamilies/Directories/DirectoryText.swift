// SPDX-License-Identifier: Apache-2.0

/// All meanings that OpenCode could find in a value that a request gives as a directory.
///
/// OpenCode decodes a query's value twice (as a form, then once more) and a field's value once. If a value cannot be
/// decoded, OpenCode uses it unchanged (1.1.11 to 1.18; V2 decodes a query's value once). Therefore each value is
/// evaluated at every depth of decoding. A value that different decoders interpret differently cannot be evaluated.
struct DirectoryText {
    /// The maximum depth of encoding. No legitimate path is encoded more deeply.
    private static let deepest = 5

    /// The value's meanings, outermost first; nil if the value is ambiguous.
    let meanings: [[UInt8]]?

    /// Finds the meanings of the value of a field or a query parameter, assuming that `+` represents a space.
    init(_ raw: ArraySlice<UInt8>, isQuery: Bool) {
        // A server that decodes the bytes as ISO 8859-1, as fields were once defined, would use a different path, so
        // evaluate both spellings.
        let spellings = raw.contains { $0 >= 0x80 } ? [Array(raw), Self.fromLatin1(raw)] : [Array(raw)]
        var meanings: [[UInt8]] = []
        for spelling in spellings {
            guard let found = Self.meanings(of: spelling, isQuery: isQuery) else {
                self.meanings = nil
                return
            }
            meanings += found
        }
        self.meanings = meanings
    }

    /// Returns whether each meaning is empty or a path in the scope.
    func isContained(in scope: DirectoryScope) -> Bool {
        guard let meanings else { return false }
        return meanings.allSatisfy { $0.isEmpty || Self.isContained($0[...], in: scope) }
    }

    private static func isContained(_ path: ArraySlice<UInt8>, in scope: DirectoryScope) -> Bool {
        // Reject the abbreviation of a home folder in a shell, and bytes that end or change a path for some parsers.
        guard path.first != UInt8(ascii: "~"), path.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
        guard scope.contains(path) else { return false }
        if path.first == UInt8(ascii: " ") || path.last == UInt8(ascii: " ") {
            let trimmed = path.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
            guard trimmed.isEmpty || isContained(Array(trimmed)[...], in: scope) else { return false }
        }
        guard let url = fileURL(path) else { return true }
        return url.first == UInt8(ascii: "/") && scope.contains(url)
    }

    /// Returns the path of a `file:` URL (RFC 8089); nil if the value is not such a URL. The path is empty if the URL
    /// names another host.
    private static func fileURL(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("file:".utf8)
        guard value.prefix(scheme.count).elementsEqual(scheme, by: { $0 | 0x20 == $1 | 0x20 }) else { return nil }
        let remainder = value.dropFirst(scheme.count)
        guard remainder.starts(with: Array("//".utf8)) else { return remainder }
        let authority = remainder.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        guard authority.isEmpty || authority.elementsEqual("localhost".utf8) else { return [] }
        return remainder[authority.endIndex...]
    }

    /// Returns each decoding of the value until decoding changes nothing.
    private static func meanings(of value: [UInt8], isQuery: Bool) -> [[UInt8]]? {
        guard let first = PercentDecoding.decode(value, plusIsSpace: isQuery) else { return nil }
        var meanings = [first]
        var last = first
        for _ in 0..<deepest {
            guard let next = PercentDecoding.decode(last, plusIsSpace: false) else { return nil }
            if next == last { return meanings }
            meanings.append(next)
            last = next
        }
        return nil
    }

    private static func fromLatin1(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    }
}
