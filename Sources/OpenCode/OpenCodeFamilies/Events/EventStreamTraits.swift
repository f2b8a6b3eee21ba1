// SPDX-License-Identifier: Apache-2.0

/// The properties of the stream of all events of an OpenCode instance.
package struct EventStreamTraits: Sendable, Equatable {
    /// The path of the stream.
    package let path: [UInt8]
    /// The number of seconds without a byte after which the stream counts as failed. Three consecutive heartbeats are
    /// missing after this time.
    package let silence: Int
    /// The time in milliseconds between OpenCode's report that the stream has begun and the moment from which the
    /// stream covers all events. Version 1.18 reports the beginning up to 20 ms early (4 of 15 tries).
    package let settling: Int

    /// Whether OpenCode follows the symbolic links of a directory that a request names, and uses the result in events.
    /// OpenCode 1 has done so since 1.2.21.
    package let resolvesDirectories: Bool

    /// Creates the properties for an instance of this family, and of this version if it is known. An instance sends a
    /// heartbeat every 30 s up to version 1.2.6, every 10 s in later versions, and every 15 s in OpenCode 2.
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

    /// Returns whether this version may send heartbeats only every 30 s. Returns true for an unknown version.
    private static func isSlow(_ version: String?) -> Bool {
        numbers(of: version)?.lexicographicallyPrecedes([1, 2, 7]) ?? true
    }

    /// Returns the numbers of a version; nil if it is unknown or not a version.
    private static func numbers(of version: String?) -> [Int]? {
        guard let version, version.first.map({ $0.isASCII && $0.isNumber }) ?? false else { return nil }
        return version.split(separator: ".").map { Int($0.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
    }
}

/// A stream of OpenCode that the gateway can serve itself.
package enum OpenCodeEventStream: Sendable, Equatable {
    /// All events in the instance's format, as on `/global/event` of OpenCode 1 and on `/api/event` of OpenCode 2.
    case everything
    /// The events of one directory: `/event` of OpenCode 1.
    case directory

    /// Returns whether this path is a stream that an instance of this family does not have.
    package static func isTranslated(_ path: ArraySlice<UInt8>, of family: APIFamily?) -> Bool {
        family == .two && Self(path: path, of: .two) == nil
    }

    /// Creates the stream that a path, given without its query, has in this family; nil for any other path. Only the
    /// plain spellings are recognised. The instance itself responds to any other spelling.
    ///
    /// - Parameter isOpenCode1Compatible: Whether OpenCode 1's streams are also served in front of an OpenCode 2
    ///   instance.
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
