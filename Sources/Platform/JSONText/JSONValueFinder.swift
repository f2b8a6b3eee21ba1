// SPDX-License-Identifier: Apache-2.0

/// Finds the values at requested paths in a complete JSON text (RFC 8259), and reports their ranges.
///
/// The finder copies nothing, does not enter lists and skips everything that is not on a requested path. Members may be
/// in any order, and keys may be escaped. The finder does not validate the text. In malformed JSON, it finds the values
/// before the error.
package struct JSONValueFinder {
    /// A value at a requested path.
    package struct Finding: Equatable {
        /// The index of the path.
        package let pathIndex: Int
        /// The range of the value, including quotes and brackets.
        package let range: Range<Int>
        /// Whether the value is a string that contains a backslash.
        package let isEscaped: Bool
    }

    private let paths: JSONPaths
    private var scanner = JSONScanner()

    /// Calls `found` with each value, in the order of the values' ends. `found` returns whether to continue.
    package static func find(
        _ paths: JSONPaths, in text: borrowing Span<UInt8>, _ found: (Finding) -> Bool
    ) {
        var finder = JSONValueFinder(paths: paths)
        finder.scanner.skipSpace(text)
        guard finder.scanner.index < text.count, text[unchecked: finder.scanner.index] == UInt8(ascii: "{") else {
            return
        }
        _ = finder.readObject(text, node: 0, found)
    }

    private init(paths: JSONPaths) { self.paths = paths }

    /// Reads the object at the current position. Returns whether to continue after the object. The recursion is at most
    /// as deep as the longest requested path.
    private mutating func readObject(_ text: borrowing Span<UInt8>, node: Int, _ found: (Finding) -> Bool) -> Bool {
        _ = scanner.consume(UInt8(ascii: "{"), text)
        scanner.skipSpace(text)
        if scanner.consume(UInt8(ascii: "}"), text) { return true }
        while scanner.index < text.count, text[unchecked: scanner.index] == UInt8(ascii: "\"") {
            let start = scanner.index + 1
            guard let isEscaped = scanner.skipString(text) else { return false }
            let key = start..<scanner.index - 1
            scanner.skipSpace(text)
            guard scanner.consume(UInt8(ascii: ":"), text) else { return false }
            scanner.skipSpace(text)
            let entry = entry(text, key, isEscaped: isEscaped, node: node)
            guard readValue(text, of: entry, found) else { return false }
            scanner.skipSpace(text)
            if scanner.consume(UInt8(ascii: "}"), text) { return true }
            guard scanner.consume(UInt8(ascii: ","), text) else { return false }
            scanner.skipSpace(text)
        }
        return false
    }

    private mutating func readValue(
        _ text: borrowing Span<UInt8>, of entry: Int, _ found: (Finding) -> Bool
    ) -> Bool {
        let start = scanner.index
        guard entry >= 0 else { return scanner.skipValue(text) != nil }
        let pathIndex = paths.entries[entry].pathIndex
        let inner = paths.entries[entry].node
        var isEscaped = false
        if inner >= 0, start < text.count, text[unchecked: start] == UInt8(ascii: "{") {
            guard readObject(text, node: inner, found) else { return false }
        } else {
            guard let hasEscapes = scanner.skipValue(text) else { return false }
            isEscaped = hasEscapes
        }
        return pathIndex < 0 || found(Finding(pathIndex: pathIndex, range: start..<scanner.index, isEscaped: isEscaped))
    }

    /// Returns the entry of a key among the node's members; -1 if the key is not requested.
    private func entry(_ text: borrowing Span<UInt8>, _ key: Range<Int>, isEscaped: Bool, node: Int) -> Int {
        if isEscaped {
            guard let decoded = JSONString.decoded(text, key) else { return -1 }
            return paths.members[node].first { number in
                let entry = paths.entries[number]
                return paths.keys[entry.start..<entry.start + entry.count].elementsEqual(decoded)
            } ?? -1
        }
        next: for number in paths.members[node] where paths.entries[number].count == key.count {
            let start = paths.entries[number].start
            for offset in 0..<key.count where paths.keys[start + offset] != text[unchecked: key.lowerBound + offset] {
                continue next
            }
            return number
        }
        return -1
    }
}
