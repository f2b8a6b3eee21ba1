// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Resolves the paths in requests as text, without access to the file system.
package enum FolderPath {
    /// Resolves a path against a directory, and removes `.`, `..` and repeated slashes.
    package static func absolute(_ path: String, in directory: String) -> String {
        var parts: [Substring] = []
        for part in (path.hasPrefix("/") ? path : "\(directory)/\(path)").split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The file that the URL of a prompt's part names.
    enum NamedFile: Equatable {
        /// A URL that names no local file, such as a `data:` URL.
        case none
        /// The path of a file. A path from a `file:` URL is absolute.
        case path(String)
        /// A URL that different parsers interpret differently. A check of its path would be unreliable.
        case ambiguous
    }

    /// Returns the file that `url` names. A text that is not a URL is a path.
    ///
    /// The result follows the URL parser of browsers and of OpenCode (WHATWG URL Standard §4.4). The parser treats a
    /// `file:` URL without slashes as absolute, and lets `..` remove an empty segment.
    ///
    /// The parser also corrects URLs: it removes C0 controls and spaces at both ends, removes tabs and newlines
    /// anywhere, and treats a backslash as a slash. A URL that needs such a correction is ambiguous. A URL with a host
    /// is also ambiguous, as is a URL with an encoded slash or NUL, which `fileURLToPath` rejects.
    static func file(_ url: String) -> NamedFile {
        let bytes = Array(url.utf8)
        let repaired = bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }.drop { $0 <= 0x20 }
        let colon = repaired.firstIndex(of: UInt8(ascii: ":")).flatMap { isScheme(repaired[..<$0]) ? $0 : nil }
        let isFile = colon.map { repaired[..<$0].lowercased.elementsEqual("file".utf8) }
        if isFile == false { return .none }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }),
            bytes.first != UInt8(ascii: " "), bytes.last != UInt8(ascii: " ")
        else { return .ambiguous }
        guard let colon else { return .path(url) }
        var remainder = repaired[(colon + 1)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if remainder.starts(with: "//".utf8) {
            let host = remainder.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || host.lowercased.elementsEqual("localhost".utf8) else { return .ambiguous }
            remainder = remainder[host.endIndex...]
        }
        return path(remainder).map(NamedFile.path) ?? .ambiguous
    }

    /// Returns the decoded path of a `file:` URL, without `.` and `..`; nil if the path is ambiguous.
    private static func path(_ encoded: ArraySlice<UInt8>) -> String? {
        var segments: [[UInt8]] = []
        let relative = encoded.first == UInt8(ascii: "/") ? encoded.dropFirst() : encoded
        for raw in relative.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let segment = PercentEncoding.decode(raw).bytes
            guard !segment.contains(0), !segment.contains(UInt8(ascii: "/")) else { return nil }
            if segment.elementsEqual("..".utf8) {
                // Reject a `..` after a drive letter, because a URL parser keeps drive letters.
                if segments.count == 1, isDrive(segments[0]) { return nil }
                _ = segments.popLast()
            } else if !segment.elementsEqual(".".utf8) {
                segments.append(segment)
            }
        }
        return "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    private static func isDrive(_ segment: [UInt8]) -> Bool {
        segment.count == 2 && isScheme(segment[..<1]) && (segment[1] == 0x3A || segment[1] == 0x7C)
    }

    /// Returns whether the text is a URL scheme (RFC 3986 §3.1).
    private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = text.first, letters.contains(first | 0x20) else { return false }
        return text.allSatisfy { letters.contains($0 | 0x20) || others.contains($0) }
    }

    /// The characters that a scheme may contain in addition to letters.
    private static let others = Array("0123456789+-.".utf8)
}

extension ArraySlice<UInt8> {
    /// The bytes with ASCII letters in lower case.
    fileprivate var lowercased: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}
