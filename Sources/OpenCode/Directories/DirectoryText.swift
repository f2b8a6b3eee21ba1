/// Everything that OpenCode could take one value for, which a request gives as a directory.
///
/// OpenCode decodes a query's value twice (as a form, then once more) and a field's once, and takes what can't be
/// decoded as it is (1.1.11 to 1.18; V2 decodes a query's value once). A value is therefore judged at every depth, and
/// one that different decoders read differently can't be judged.
struct DirectoryText {
    /// Deeper encoding is nobody's honest path.
    private static let deepest = 5

    /// The value's meanings, outermost first; nil where it can't be told what it means.
    let meanings: [[UInt8]]?

    /// The value of a query's parameter, where `+` stands for a space, or of a field.
    init(_ raw: ArraySlice<UInt8>, isQuery: Bool) {
        // A server that takes the bytes for ISO 8859-1, as fields were once defined, sees another path.
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

    /// Whether each meaning is empty or a path in the folder.
    func isHeld(by scope: DirectoryScope) -> Bool {
        guard let meanings else { return false }
        return meanings.allSatisfy { $0.isEmpty || Self.isHeld($0[...], by: scope) }
    }

    private static func isHeld(_ path: ArraySlice<UInt8>, by scope: DirectoryScope) -> Bool {
        // A shell's home folder, and what ends or changes a path for some reader.
        guard path.first != UInt8(ascii: "~"), path.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return false }
        guard scope.holds(path) else { return false }
        if path.first == UInt8(ascii: " ") || path.last == UInt8(ascii: " ") {
            let trimmed = path.drop { $0 == UInt8(ascii: " ") }.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
            guard trimmed.isEmpty || isHeld(Array(trimmed)[...], by: scope) else { return false }
        }
        guard let url = fileURL(path) else { return true }
        return url.first == UInt8(ascii: "/") && scope.holds(url)
    }

    /// The path of a `file:` URL (RFC 8089), empty where it names another host; nil where the value is none.
    private static func fileURL(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = Array("file:".utf8)
        guard value.prefix(scheme.count).elementsEqual(scheme, by: { $0 | 0x20 == $1 | 0x20 }) else { return nil }
        let rest = value.dropFirst(scheme.count)
        guard rest.starts(with: Array("//".utf8)) else { return rest }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
        guard authority.isEmpty || authority.elementsEqual("localhost".utf8) else { return [] }
        return rest[authority.endIndex...]
    }

    /// Each decoding of the value until nothing changes any more.
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
