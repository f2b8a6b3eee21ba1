// SPDX-License-Identifier: Apache-2.0

/// All interpretations of a directory that a request names.
///
/// OpenCode 1.1.11 to 1.18 decodes a query's value twice (as a form, and once more) and a field's value once. OpenCode
/// 2 decodes a query's value once. If a value cannot be decoded, OpenCode uses the value unchanged. Therefore, the
/// gateway evaluates each value at every depth of decoding. A value that different decoders interpret differently
/// cannot be evaluated.
struct DirectoryText {
    /// The maximum depth of encoding. No legitimate path is encoded more deeply.
    private static let deepest = 5

    /// The value's interpretations, from the least decoded to the most decoded; nil if the value is ambiguous.
    let meanings: [[UInt8]]?

    /// Finds the interpretations of the value of a field or a query parameter. In a query parameter, `+` represents a
    /// space.
    init(_ raw: ArraySlice<UInt8>, isQuery: Bool) {
        // Also evaluate the bytes as ISO 8859-1, the original encoding of fields. A server that decodes this encoding
        // uses a different path.
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

    /// Returns whether each interpretation is empty or a path in the scope.
    func isContained(in scope: DirectoryScope) -> Bool {
        guard let meanings else { return false }
        return meanings.allSatisfy { $0.isEmpty || Self.isContained($0[...], in: scope) }
    }

    private static func isContained(_ path: ArraySlice<UInt8>, in scope: DirectoryScope) -> Bool {
        // Reject the shell's abbreviation of a home directory, and reject bytes that end or change a path in some
        // parsers.
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

    /// Returns the results of repeated decoding, until decoding changes nothing. Returns nil if decoders disagree, or
    /// if the value is encoded too deeply.
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
