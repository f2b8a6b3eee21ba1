// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// Ids of events in the form of ``OpenCodeID``, with the prefix `evt_`.
package enum OpenCodeEventID {
    private static let prefix = "evt_"

    /// Returns a new id.
    ///
    /// - Parameter milliseconds: The time, in milliseconds since 1970.
    package static func make(at milliseconds: Int64) -> [UInt8] { OpenCodeID.make(prefix, at: milliseconds) }

    /// Returns a copy of a frame with a new id instead of the event's own id. If the event has no id of this form, as
    /// in OpenCode 1.1 and 1.2, returns the frame unchanged.
    ///
    /// A repeated `server.connected` needs a new id: clients ignore events whose id they have seen, and this event
    /// makes them read their state again.
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
