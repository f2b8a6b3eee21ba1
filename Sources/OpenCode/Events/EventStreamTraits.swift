/// How an OpenCode's stream of all its events behaves.
package struct EventStreamTraits: Sendable, Equatable {
    /// Where it is asked for.
    package let path: [UInt8]
    /// After so many seconds without a byte something is wrong: three heartbeats are missing.
    package let silence: Int
    /// Milliseconds from its own word that the stream has begun until it listens to everything: 1.18 says so up to 20 ms
    /// before (4 of 15 tries).
    package let settling: Int

    /// Whether it follows the symbolic links of a directory that a request names, and names the result in events: 1.2.21 and later.
    package let resolvesDirectories: Bool

    /// The stream of an instance of this family, and of this version where that is known: to 1.2.6 a heartbeat comes every 30 s,
    /// later ones' every 10 s, OpenCode 2's every 15 s.
    package init(_ family: APIFamily?, version: String?) {
        guard family != .two else {
            path = Array("/api/event".utf8)
            silence = 45
            settling = 0
            resolvesDirectories = true
            return
        }
        path = Array("/global/event".utf8)
        settling = 50
        silence = Self.isSlow(version) ? 90 : 30
        resolvesDirectories = Self.numbers(of: version).map { !$0.lexicographicallyPrecedes([1, 2, 21]) } ?? true
    }

    /// Whether a version's heartbeat comes every 30 s; one that is not known may be such a one.
    private static func isSlow(_ version: String?) -> Bool {
        numbers(of: version)?.lexicographicallyPrecedes([1, 2, 7]) ?? true
    }

    /// A version's numbers; nil where it is not known, or is none.
    private static func numbers(of version: String?) -> [Int]? {
        guard let version, version.first.map({ $0.isASCII && $0.isNumber }) ?? false else { return nil }
        return version.split(separator: ".").map { Int($0.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
    }
}

/// One of OpenCode's own streams that the gateway can serve by itself.
package enum OpenCodeEventStream: Sendable, Equatable {
    /// Everything, as the instance says it: OpenCode 1's `/global/event`, OpenCode 2's `/api/event`.
    case everything
    /// One directory's events: OpenCode 1's `/event`.
    case directory

    /// Whether a stream that an instance of this family does not have itself is at this path.
    package static func isTranslated(_ path: ArraySlice<UInt8>, of family: APIFamily?) -> Bool {
        family == .two && Self(path: path, of: .two) == nil
    }

    /// What a path, without its query, means to this family; nil for all other paths. Only the plain spellings count, for
    /// every other one the instance is asked itself.
    /// `isOpenCode1Compatible`: OpenCode 1's are served in front of an OpenCode 2, too.
    package init?(path: ArraySlice<UInt8>, of family: APIFamily?, isOpenCode1Compatible: Bool = false) {
        if family == .two {
            if path.elementsEqual("/api/event".utf8) {
                self = .everything
            } else if isOpenCode1Compatible, let stream = Self(path: path, of: .one) {
                self = stream
            } else {
                return nil
            }
        } else if path.elementsEqual("/event".utf8) {
            self = .directory
        } else if path.elementsEqual("/global/event".utf8) {
            self = .everything
        } else {
            return nil
        }
    }
}
