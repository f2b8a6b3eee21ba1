// SPDX-License-Identifier: Apache-2.0

/// The `cursor` of a list of sessions: base64 of JSON, with the parameters of the list (`directory`, `project`, …) and
/// a position in it. OpenCode trusts it, and then ignores the rest of the query (2.0.15).
struct SessionCursor {
    private static let places = JSONPlaces("directory", "project")

    /// The directories in the cursor; more than one only if a client constructed it by hand.
    private(set) var directories: [[UInt8]] = []
    /// The projects in the cursor.
    private(set) var projects: [[UInt8]] = []

    /// Creates a cursor from its text; nil where the text is not base64.
    init?(_ text: [UInt8]) {
        guard let decoded = Self.decode(text) else { return nil }
        for finding in JSONStringReader.findings(in: decoded, Self.places) {
            let text = finding.text ?? []
            if finding.place == 0 { directories.append(text) } else { projects.append(text) }
        }
    }

    /// Decodes base64 in either alphabet (RFC 4648 §4, §5), with or without the padding.
    private static func decode(_ text: [UInt8]) -> [UInt8]? {
        var decoded: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.reversed().drop(while: { $0 == UInt8(ascii: "=") }).reversed() {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return decoded
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
