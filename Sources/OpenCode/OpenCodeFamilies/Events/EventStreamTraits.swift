// SPDX-License-Identifier: Apache-2.0

/// The properties of an OpenCode's stream of all its events.
package struct EventStreamTraits: Sendable, Equatable {
    /// The path of the stream.
    package let path: [UInt8]
    /// The number of seconds without a byte after which the stream has failed: three heartbeats are missing.
    package let silence: Int
    /// The time in milliseconds from OpenCode's report that the stream has begun until it covers all events. 1.18
    /// reports the beginning up to 20 ms early (4 of 15 tries).
    package let settling: Int

    /// Whether OpenCode follows the symbolic links of a directory that a request names, and names the result in events:
    /// 1.2.21 and later.
    package let resolvesDirectories: Bool

    /// Creates the properties for an instance of this family, and of this version where it is known. Up to 1.2.6 a
    /// heartbeat comes every 30 s, in later versions every 10 s, in OpenCode 2 every 15 s.
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

    /// Returns whether a version's heartbeat comes every 30 s; an unknown version may be such a one.
    private static func isSlow(_ version: String?) -> Bool {
        numbers(of: version)?.lexicographicallyPrecedes([1, 2, 7]) ?? true
    }

    /// Returns a version's numbers; nil where it is unknown, or no version.
    private static func numbers(of version: String?) -> [Int]? {
        guard let version, version.first.map({ $0.isASCII && $0.isNumber }) ?? false else { return nil }
        return version.split(separator: ".").map { Int($0.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
    }
}

/// One of OpenCode's own streams that the gateway can serve itself.
package enum OpenCodeEventStream: Sendable, Equatable {
    /// All events in the instance's format: OpenCode 1's `/global/event`, OpenCode 2's `/api/event`.
    case everything
    /// The events of one directory: OpenCode 1's `/event`.
    case directory

    /// Returns whether this path is a stream that an instance of this family does not have itself.
    package static func isTranslated(_ path: ArraySlice<UInt8>, of family: APIFamily?) -> Bool {
        family == .two && Self(path: path, of: .two) == nil
    }

    /// Creates the stream that a path, without its query, has in this family; nil for all other paths. Only the plain
    /// spellings count; for every other one the instance itself responds.
    ///
    /// `isOpenCode1Compatible`: whether OpenCode 1's streams are also served in front of an OpenCode 2.
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
