// SPDX-License-Identifier: Apache-2.0

/// The properties of an OpenCode instance's stream of all events.
package struct EventStreamTraits: Sendable, Equatable {
    /// The path of the stream.
    package let path: [UInt8]
    /// The number of seconds without a byte after which the stream counts as failed. The time equals three heartbeat
    /// intervals.
    package let silence: Int
    /// The time in milliseconds between OpenCode's report that the stream has begun and the time from which the stream
    /// contains all events. Version 1.18 reports the beginning up to 20 ms too early (in 4 of 15 attempts).
    package let settling: Int

    /// Whether OpenCode follows the symbolic links in a request's directory, and uses the resulting path in events.
    /// OpenCode 1 has followed symbolic links since 1.2.21.
    package let resolvesDirectories: Bool

    /// Creates the properties for an instance of a family and, if it is known, a version. An instance sends a heartbeat
    /// every 30 s up to version 1.2.6, every 10 s in later versions, and every 15 s in OpenCode 2.
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

/// An event stream of OpenCode's API that the gateway can serve itself.
package enum OpenCodeEventStream: Sendable, Equatable {
    /// All events of the instance: `/global/event` of OpenCode 1 and `/api/event` of OpenCode 2.
    case everything
    /// The events of one directory: `/event` of OpenCode 1.
    case directory

    /// Returns whether the gateway must translate the stream at this path, because an instance of this family does not
    /// have the stream. The path must name a stream.
    package static func isTranslated(_ path: ArraySlice<UInt8>, of family: APIFamily?) -> Bool {
        family == .two && Self(path: path, of: .two) == nil
    }

    /// Creates the stream at a path without its query; nil if the family has no stream at this path. Only the plain
    /// spelling of a path is recognised. The instance itself responds to other spellings.
    ///
    /// - Parameter isOpenCode1Compatible: Whether the gateway also serves OpenCode 1's streams for an OpenCode 2
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
