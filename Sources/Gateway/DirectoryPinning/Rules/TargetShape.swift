// SPDX-License-Identifier: Apache-2.0

import GatewayCore

/// The parts of a request's target. One pass finds all parts, because every proxied request needs them.
struct TargetShape {
    /// The path, without its query.
    let path: ArraySlice<UInt8>
    /// The part after the first `?`; nil if there is none.
    let query: ArraySlice<UInt8>?
    /// The part of the path after its first `;`; nil if there is none. OpenCode 2 interprets this part as a query.
    let parameters: ArraySlice<UInt8>?
    /// Whether the path contains none of `%`, `;`, `\`, `//` and `/.`, so that it has a single interpretation.
    let isPlain: Bool

    init(_ target: ArraySlice<UInt8>) {
        let bytes = target.span
        var isPlain = true
        var semicolon: Int?
        var previous: UInt8 = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            // Nearly all bytes are lower-case letters, which have no special meaning here.
            if byte < 0x60 {
                if byte == UInt8(ascii: "?") { break }
                if byte == UInt8(ascii: ";") {
                    if semicolon == nil { semicolon = index }
                    isPlain = false
                } else if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") {
                    isPlain = false
                } else if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") {
                    isPlain = false
                }
            }
            previous = byte
            index += 1
        }
        let end = target.startIndex + index
        self.isPlain = isPlain
        path = target[..<end]
        query = end < target.endIndex ? target[(end + 1)...] : nil
        parameters = semicolon.map { target[(target.startIndex + $0 + 1)...] }
    }
}
