// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The ways in which OpenCode's routers may interpret the path of a request.
///
/// A router may decode a path before it splits the path into segments, afterwards, or both. A router may end the path
/// at a `;`, or at an encoded `?` or `#`. A router may treat a backslash as a slash, resolve dot segments (as OpenCode
/// 2.0.15 does), and ignore repeated slashes. A reading is the result of one combination of these steps. A segment of a
/// reading may contain any byte except a slash. Each slash inside a segment is replaced with 0xFF, which no route
/// contains.
struct RouteReadings {
    /// The readings without duplicates; nil if the path is too long, is encoded too often, or has too many forms.
    let all: Set<[UInt8]>?

    /// The maximum length of an examined path in bytes. Paths in the file system are not longer (PATH_MAX, limits.h).
    static let longest = 4096
    /// The maximum number of percent-encodings that are decoded one after the other.
    static let deepest = 3
    /// The maximum number of different forms of a path that are examined. The paths of clients have at most five forms.
    static let most = 16

    /// Creates the readings of a path without its query.
    init(_ path: ArraySlice<UInt8>) {
        guard path.count <= Self.longest, var pending = Self.decodings(of: path) else {
            all = nil
            return
        }
        var forms = Set(pending)
        var readings: Set<[UInt8]> = []
        while let form = pending.popLast() {
            for end in Self.ends(of: form) {
                for isWindows in [false, true] {
                    for dots in [Dots.kept, .resolved(keepsEmpty: false), .resolved(keepsEmpty: true)] {
                        let segments = Self.segments(form[..<end], splitsAtBackslash: isWindows, dots)
                        readings.insert(Self.joined(segments) { $0 == UInt8(ascii: "/") ? 0xFF : $0 })
                        // Another part of the server may interpret the result again, for example after the server has
                        // resolved the dot segments of a URL.
                        let result = Self.joined(segments) { $0 }
                        if forms.insert(result).inserted { pending.append(result) }
                    }
                }
            }
            guard forms.count <= Self.most else {
                all = nil
                return
            }
        }
        all = readings
    }

    /// Returns the length of a target's path, which ends at the first `?`. Also returns whether the path is plain. A
    /// plain path has a single reading, which is the path itself.
    static func path(of target: borrowing Span<UInt8>) -> (count: Int, isPlain: Bool) {
        var isPlain = target.count > 0 && target[0] == UInt8(ascii: "/")
        var previous: UInt8 = 0
        var index = 0
        while index < target.count {
            let byte = target[unchecked: index]
            index += 1
            defer { previous = byte }
            // Nearly all bytes are lower-case letters, which have no special meaning here.
            if byte &- 0x61 < 26 { continue }
            switch byte {
            case UInt8(ascii: "?"): return (index - 1, isPlain)
            case UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: "\\"), UInt8(ascii: "#"): isPlain = false
            case UInt8(ascii: "/"), UInt8(ascii: "."): if previous == UInt8(ascii: "/") { isPlain = false }
            default: if byte <= 0x20 || byte >= 0x7F { isPlain = false }
            }
        }
        return (index, isPlain)
    }

    private enum Dots {
        case kept
        /// `..` removes the preceding segment. If `keepsEmpty` is true, this segment may be the empty segment between
        /// two slashes, as in URLs. If the value is false, empty segments are ignored.
        case resolved(keepsEmpty: Bool)
    }

    /// Returns the path and the result of each repeated decoding; nil if the path was encoded too often.
    private static func decodings(of path: ArraySlice<UInt8>) -> [[UInt8]]? {
        var forms = [Array(path)]
        while let last = forms.last, last.contains(UInt8(ascii: "%")) {
            let next = PercentEncoding.decode(last).bytes
            if next == last { break }
            guard forms.count <= deepest else { return nil }
            forms.append(next)
        }
        return forms
    }

    /// Returns the positions at which a router may end a path.
    private static func ends(of form: [UInt8]) -> Set<Int> {
        let parameters = form.firstIndex(of: UInt8(ascii: ";")) ?? form.endIndex
        let query = form.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? form.endIndex
        return [parameters, query, form.endIndex]
    }

    /// Returns the decoded segments of a path.
    private static func segments(
        _ form: ArraySlice<UInt8>, splitsAtBackslash: Bool, _ dots: Dots
    ) -> [[UInt8]] {
        let segments = form.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "/") || splitsAtBackslash && $0 == UInt8(ascii: "\\")
        }
        var kept: [[UInt8]] = []
        for segment in segments {
            let text = decoded(segment)
            switch dots {
            case .kept: break
            case .resolved(let keepsEmpty):
                if text.elementsEqual(".".utf8) || text.isEmpty && !keepsEmpty { continue }
                if text.elementsEqual("..".utf8) {
                    _ = kept.popLast()
                    continue
                }
            }
            kept.append(text)
        }
        return kept.filter { !$0.isEmpty }
    }

    private static func joined(_ segments: [[UInt8]], _ replacement: (UInt8) -> UInt8) -> [UInt8] {
        segments.reduce(into: []) { path, text in
            path.append(UInt8(ascii: "/"))
            path += text.map(replacement)
        }
    }

    /// Decodes a segment until no encoding remains. ``deepest`` limits the number of encodings.
    private static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        var text = Array(segment)
        while text.contains(UInt8(ascii: "%")) {
            let next = PercentEncoding.decode(text).bytes
            if next == text { break }
            text = next
        }
        return text
    }
}
