// SPDX-License-Identifier: Apache-2.0

/// Finds values at requested places of a complete JSON text, and reports their ranges (RFC 8259).
///
/// It copies nothing and skips everything that is not on the path to a requested place; lists are not entered. Members
/// may have any order, keys may be escaped. It does not validate the text: in broken JSON it finds the values before
/// the break.
package struct JSONValueFinder {
    /// A value at a requested place.
    package struct Finding: Equatable {
        /// The number of the place.
        package let place: Int
        /// The range of the value, including quotes and brackets.
        package let range: Range<Int>
        /// Whether the value is a string that contains a backslash.
        package let isEscaped: Bool
    }

    private let places: JSONPlaces
    private var index = 0

    /// Finds the values in the order of their ends; `found` returns whether to continue.
    package static func find(
        _ places: JSONPlaces, in text: borrowing Span<UInt8>, _ found: (Finding) -> Bool
    ) {
        var finder = JSONValueFinder(places: places)
        finder.skipSpace(text)
        guard finder.index < text.count, text[unchecked: finder.index] == UInt8(ascii: "{") else { return }
        _ = finder.readObject(text, node: 0, found)
    }

    private init(places: JSONPlaces) { self.places = places }

    /// Reads the object that begins here; returns whether to continue after it. Its depth is that of the requested
    /// places.
    private mutating func readObject(_ text: borrowing Span<UInt8>, node: Int, _ found: (Finding) -> Bool) -> Bool {
        index += 1
        skipSpace(text)
        if take(UInt8(ascii: "}"), text) { return true }
        while index < text.count, text[unchecked: index] == UInt8(ascii: "\"") {
            let start = index + 1
            guard let isEscaped = skipString(text) else { return false }
            let key = start..<index - 1
            skipSpace(text)
            guard take(UInt8(ascii: ":"), text) else { return false }
            skipSpace(text)
            let entry = entry(text, key, isEscaped, node: node)
            guard readValue(text, of: entry, found) else { return false }
            skipSpace(text)
            if take(UInt8(ascii: "}"), text) { return true }
            guard take(UInt8(ascii: ","), text) else { return false }
            skipSpace(text)
        }
        return false
    }

    private mutating func readValue(
        _ text: borrowing Span<UInt8>, of entry: Int, _ found: (Finding) -> Bool
    ) -> Bool {
        let start = index
        guard entry >= 0 else { return skipValue(text) != nil }
        let place = places.entries[entry].place
        let inner = places.entries[entry].node
        var isEscaped = false
        if inner >= 0, start < text.count, text[unchecked: start] == UInt8(ascii: "{") {
            guard readObject(text, node: inner, found) else { return false }
        } else {
            guard let hasEscapes = skipValue(text) else { return false }
            isEscaped = hasEscapes
        }
        return place < 0 || found(Finding(place: place, range: start..<index, isEscaped: isEscaped))
    }

    /// Returns the entry of a key among the node's members; -1 if the key is not requested.
    private func entry(_ text: borrowing Span<UInt8>, _ key: Range<Int>, _ isEscaped: Bool, node: Int) -> Int {
        if isEscaped {
            guard let decoded = JSONStringText.decoded(text, key) else { return -1 }
            return places.members[node].first { number in
                let entry = places.entries[number]
                return places.keys[entry.start..<entry.start + entry.count].elementsEqual(decoded)
            } ?? -1
        }
        next: for number in places.members[node] where places.entries[number].count == key.count {
            let start = places.entries[number].start
            for offset in 0..<key.count where places.keys[start + offset] != text[unchecked: key.lowerBound + offset] {
                continue next
            }
            return number
        }
        return -1
    }

    private mutating func take(_ byte: UInt8, _ text: borrowing Span<UInt8>) -> Bool {
        guard index < text.count, text[unchecked: index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace(_ text: borrowing Span<UInt8>) {
        while index < text.count {
            switch text[unchecked: index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    /// Skips the value that begins here; returns whether it is a string with escapes, nil where the text is truncated.
    private mutating func skipValue(_ text: borrowing Span<UInt8>) -> Bool? {
        guard index < text.count else { return nil }
        switch text[unchecked: index] {
        case UInt8(ascii: "\""): return skipString(text)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer(text) ? false : nil
        default:
            let start = index
            while index < text.count {
                switch text[unchecked: index] {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
                    index += 1
                default: return index > start ? false : nil
                }
            }
            return nil
        }
    }

    /// Skips the string that begins here; returns whether it has escapes.
    private mutating func skipString(_ text: borrowing Span<UInt8>) -> Bool? {
        var index = index + 1
        var isEscaped = false
        let bytes = text.bytes
        while index < text.count {
            // Most bytes are inside long strings, so eight bytes are checked at a time.
            while index + 8 <= text.count {
                let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
                let ends = Self.zeros(word ^ Self.quotes) | Self.zeros(word ^ Self.backslashes)
                guard ends == 0 else {
                    index += UInt64(littleEndian: ends).trailingZeroBitCount / 8
                    break
                }
                index += 8
            }
            guard index < text.count else { break }
            switch text[unchecked: index] {
            case UInt8(ascii: "\""):
                self.index = index + 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                index += 2
            default: index += 1
            }
        }
        self.index = text.count
        return nil
    }

    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C

    /// Returns the highest bit of the first byte that is 0, and of none before it.
    private static func zeros(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Skips an object or a list of any depth.
    private mutating func skipContainer(_ text: borrowing Span<UInt8>) -> Bool {
        var depth = 0
        while index < text.count {
            switch text[unchecked: index] {
            case UInt8(ascii: "\""):
                guard skipString(text) != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    index += 1
                    return true
                }
            default: break
            }
            index += 1
        }
        return false
    }
}

extension JSONStringText {
    /// Returns the text whose JSON is in `range`, without its quotes; nil where it is too long to be a path.
    static func decoded(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        var decoded = JSONStringText()
        for index in range { _ = decoded.take(text[index]) }
        _ = decoded.take(UInt8(ascii: "\""))
        return decoded.bytes
    }
}
