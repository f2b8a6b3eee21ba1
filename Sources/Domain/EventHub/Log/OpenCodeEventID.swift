// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Event ids in the form of ``OpenCodeID``, with the prefix `evt_`.
package enum OpenCodeEventID {
    private static let prefix = "evt_"

    /// Returns a new id.
    ///
    /// - Parameter milliseconds: The time, in milliseconds since 1970.
    package static func make(at milliseconds: Int64) -> [UInt8] { OpenCodeID.make(prefix, at: milliseconds) }

    /// Returns a copy of a frame in which a new id replaces the event's own id. A frame without an id of this form, as
    /// in OpenCode 1.1 and 1.2, is returned unchanged.
    ///
    /// A repeated `server.connected` event must make clients read their state again. Clients ignore events whose id
    /// they have already received, so the repeated event needs a new id.
    package static func renewed(in frame: [UInt8]) -> [UInt8] {
        let name = Array(#""id":""#.utf8)
        let length = prefix.utf8.count + OpenCodeID.digits + OpenCodeID.letters
        var start = frame.startIndex
        while start + name.count + length < frame.endIndex {
            let value = start + name.count..<start + name.count + length
            if frame[start..<value.lowerBound].elementsEqual(name) {
                let isID =
                    frame[value].starts(with: prefix.utf8)
                    && frame[value].dropFirst(prefix.utf8.count).allSatisfy(Base62.alphabet.contains)
                    && frame[value.upperBound] == UInt8(ascii: "\"")
                guard isID else { return frame }
                var renewed = frame
                renewed.replaceSubrange(value, with: make(at: WallClock.milliseconds))
                return renewed
            }
            start += 1
        }
        return frame
    }
}
