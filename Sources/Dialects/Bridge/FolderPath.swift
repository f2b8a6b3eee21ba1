internal import TextCoding

/// Paths as requests name them, compared as text: no file system is looked at.
package enum FolderPath {
    /// The absolute path of one that may be relative, without `.`, `..` and doubled slashes.
    package static func absolute(_ path: String, in directory: String) -> String {
        var parts: [Substring] = []
        for part in (path.hasPrefix("/") ? path : "\(directory)/\(path)").split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The path of a `file:` URL (RFC 8089) or of what is no URL at all; nil for an address elsewhere, `data:` among them.
    static func file(_ url: String) -> String? {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon]) else { return url }
        guard bytes[..<colon].lowercased.elementsEqual("file".utf8) else { return nil }
        var rest = bytes[(colon + 1)...]
        if rest.starts(with: "//".utf8) { rest = rest.dropFirst(2).drop { $0 != UInt8(ascii: "/") } }
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return String(decoding: PercentEncoding.decode(path).bytes, as: UTF8.self)
    }

    /// RFC 3986 §3.1.
    private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = text.first, letters.contains(first | 0x20) else { return false }
        return text.allSatisfy { letters.contains($0 | 0x20) || others.contains($0) }
    }

    /// What a scheme has besides letters.
    private static let others = Array("0123456789+-.".utf8)
}

extension ArraySlice<UInt8> {
    /// ASCII letters in lower case.
    fileprivate var lowercased: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}
