// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Interprets a request's path in every way in which one of OpenCode's routers may interpret it. The routers decode the
/// path, resolve `.` and `..`, remove repeated and final slashes, and ignore the case of letters. OpenCode 2 ends the
/// path at the first `;`.
///
/// Pass paths without their query. A path that contains none of `%`, `;`, `\`, `//` and `/.` is plain. A plain path has
/// only one interpretation.
package enum InstancePath {
    /// The way in which a path names the list of all sessions, `/api/session`.
    package enum ListSpelling: Sendable, Equatable {
        case no
        case list
        /// The path names the list, but contains a `;`. OpenCode treats the text after the `;` as a query.
        case withParameters
    }

    /// Returns how the path names the list of sessions for any router. Returns `no` if no router interprets the path as
    /// the list.
    package static func listSpelling(_ path: ArraySlice<UInt8>, isPlain: Bool) -> ListSpelling {
        if isPlain { return plainPath(path) == .list ? .list : .no }
        guard readings(of: path).contains(where: { kind(of: $0) == .list }) else { return .no }
        return decoded(Array(path)).contains(semicolon) ? .withParameters : .list
    }

    /// Returns the id of the session that a path such as `/session/ID` or `/api/session/ID` names; nil for any other
    /// path.
    package static func session(_ path: ArraySlice<UInt8>, isPlain: Bool) -> [UInt8]? {
        if isPlain {
            guard case .session(let id) = plainPath(path) else { return nil }
            return Array(id)
        }
        return readings(of: path).lazy.compactMap { reading -> [UInt8]? in
            guard kind(of: reading) == .session else { return nil }
            return reading.last
        }.first
    }

    /// Returns whether the path is exactly one of the two paths that OpenCode 2's programs request first. These
    /// requests name the directory in which the user started the program. `run` requests `/api/location`, and the
    /// full-screen program requests `/api/fs/list`.
    package static func isFirstRequest(_ path: ArraySlice<UInt8>) -> Bool {
        path.elementsEqual(location) || path.elementsEqual(fileList)
    }

    // MARK: Plain paths

    private enum PlainPath: Equatable {
        case list
        case session(ArraySlice<UInt8>)
        case other
    }

    private static func plainPath(_ path: ArraySlice<UInt8>) -> PlainPath {
        let isBelowAPI = begins(path, api)
        let tail = isBelowAPI ? path.dropFirst(api.count) : path
        guard begins(tail, sessions) else { return .other }
        let remainder = tail.dropFirst(sessions.count)
        guard let first = remainder.first else { return isBelowAPI ? .list : .other }
        guard first == slash else { return .other }
        var id = remainder.dropFirst()
        if id.last == slash { id.removeLast() }
        if id.isEmpty { return isBelowAPI ? .list : .other }
        return id.contains(slash) ? .other : .session(id)
    }

    private static func begins(_ path: ArraySlice<UInt8>, _ lowercased: [UInt8]) -> Bool {
        guard path.count >= lowercased.count else { return false }
        for offset in lowercased.indices where lower(path[path.startIndex + offset]) != lowercased[offset] {
            return false
        }
        return true
    }

    // MARK: Other paths

    private enum ResourceKind { case list, session, other }

    private static func kind(of parts: [[UInt8]]) -> ResourceKind {
        let names = parts.prefix(2).map { $0.map(lower) }
        if names.first.map({ $0.elementsEqual("session".utf8) }) ?? false {
            return parts.count == 2 ? .session : .other
        }
        guard names.count == 2, names[0].elementsEqual("api".utf8), names[1].elementsEqual("session".utf8) else {
            return .other
        }
        return parts.count == 2 ? .list : parts.count == 3 ? .session : .other
    }

    /// Returns the parts of the path in each router's interpretation. Some routers end the path at a semicolon before
    /// they resolve dot segments, and some routers end the path afterwards.
    private static func readings(of path: ArraySlice<UInt8>) -> [[[UInt8]]] {
        let raw = Array(path)
        let plain = decoded(raw)
        return [raw[...], raw.prefix { $0 != semicolon }, plain[...], plain.prefix { $0 != semicolon }]
            .flatMap { [parts(of: $0, keepsEmpty: false), parts(of: $0, keepsEmpty: true)] }
            .flatMap { [$0, cut($0)] }
    }

    /// Returns the parts up to the first semicolon.
    private static func cut(_ parts: [[UInt8]]) -> [[UInt8]] {
        guard let last = parts.firstIndex(where: { $0.contains(semicolon) }) else { return parts }
        return (parts[..<last] + [parts[last].prefix { $0 != semicolon }].map { Array($0) }).filter { !$0.isEmpty }
    }

    /// Returns the decoded parts of the path, and resolves `.` and `..` as in URLs. Some routers keep empty parts while
    /// they resolve `..`.
    private static func parts(of path: ArraySlice<UInt8>, keepsEmpty: Bool) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        let segments = path.split(omittingEmptySubsequences: !keepsEmpty) { $0 == slash || $0 == UInt8(ascii: "\\") }
        for segment in segments {
            let part = decoded(Array(segment))
            if part.elementsEqual("..".utf8) {
                _ = parts.popLast()
            } else if !part.elementsEqual(".".utf8) {
                parts.append(part)
            }
        }
        return parts.filter { !$0.isEmpty }
    }

    /// Decodes every valid escape, including escapes that were encoded up to three times.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<deepest where bytes.contains(UInt8(ascii: "%")) { bytes = PercentEncoding.decode(bytes).bytes }
        return bytes
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    private static let deepest = 3
    private static let slash = UInt8(ascii: "/")
    private static let semicolon = UInt8(ascii: ";")
    private static let api = Array("/api".utf8)
    private static let sessions = Array("/session".utf8)
    private static let location = Array("/api/location".utf8)
    private static let fileList = Array("/api/fs/list".utf8)
}
