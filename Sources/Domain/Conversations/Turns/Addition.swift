// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Encodings
internal import JSONText

/// Joins the deltas of a text. If a delta ends with half of a surrogate pair, that half is kept until the next delta.
struct Addition: Sendable, Equatable {
    /// The escape of a high surrogate, which has six bytes.
    private var waiting: [UInt8] = []

    /// Returns the text that a delta adds. Unpaired surrogates become U+FFFD.
    mutating func add(_ delta: JSON) -> String {
        if waiting.isEmpty, case .string(let text) = delta { return text }
        var raw = waiting
        waiting = []
        switch delta {
        case .string(let text):
            var quoted: [UInt8] = []
            quoted.append(jsonString: text)
            raw += quoted.dropFirst().dropLast()
        case .brokenString(let bytes): raw += bytes
        default: break
        }
        if Self.endsWithHighHalf(raw) {
            waiting = Array(raw.suffix(6))
            raw.removeLast(6)
        }
        return JSONParser.text(ofBroken: raw)
    }

    /// Returns whether the last six bytes are the escape of a high surrogate (`\uD83D`). Returns false if the first of
    /// these bytes is itself escaped by a preceding backslash.
    private static func endsWithHighHalf(_ raw: [UInt8]) -> Bool {
        guard raw.count >= 6 else { return false }
        let start = raw.count - 6
        let backslashes = raw[..<start].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        guard backslashes % 2 == 0, raw[start] == UInt8(ascii: "\\"), raw[start + 1] == UInt8(ascii: "u") else {
            return false
        }
        var unit = 0
        for byte in raw[(start + 2)...] {
            guard let digit = byte.hexadecimalDigitValue else { return false }
            unit = unit << 4 | Int(digit)
        }
        return (0xD800..<0xDC00).contains(unit)
    }
}
