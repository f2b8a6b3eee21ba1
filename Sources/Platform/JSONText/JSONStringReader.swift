// SPDX-License-Identifier: Apache-2.0

/// Finds the strings at requested paths in a JSON text that arrives in parts (RFC 8259).
///
/// Members may be in any order, and keys and values may be escaped. The reader stores only the text of a requested
/// string, so its memory use does not depend on the length of the JSON text. The reader does not validate the text. If
/// the text is not JSON, the result is arbitrary.
package struct JSONStringReader: Sendable {
    /// A string at a requested path.
    package struct Finding: Equatable {
        /// The index of the path.
        package let pathIndex: Int
        /// The string; nil if it is longer than any path (4096 bytes).
        package let text: [UInt8]?
    }

    /// An object or list on a requested path that has begun and not ended.
    private struct Level {
        let node: Int
        let isObject: Bool
        var expectsKey: Bool
        /// The index of the last key among the node's members; nil if the key is not one of them.
        var member: Int?
    }

    private enum State {
        case between
        /// The reader is in a string that is not stored.
        case skipped(isEscaped: Bool)
        /// The reader is in a string whose text is stored.
        case kept
        case ended
    }

    private let paths: JSONPaths
    private var state = State.between
    private var depth = 0
    private var levels: [Level] = []
    private var text = JSONStringDecoder(limit: JSONStringDecoder.longest)

    /// Creates a reader for the given paths, at the beginning of a text.
    package init(_ paths: JSONPaths) { self.paths = paths }

    /// Whether the reader can find nothing more, because the text has ended or is not an object or list of the
    /// requested kind.
    package var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Prepares for another text and keeps the memory.
    package mutating func reset() {
        state = .between
        depth = 0
        levels.removeAll(keepingCapacity: true)
    }

    /// Continues at `index` up to the next finding. Returns nil when all bytes have been consumed.
    package mutating func next(_ bytes: borrowing Span<UInt8>, _ index: inout Int) -> Finding? {
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch state {
            case .ended:
                index = bytes.count
                return nil
            case .between: consumeStructure(byte)
            case .skipped(isEscaped: true): state = .skipped(isEscaped: false)
            case .skipped(isEscaped: false):
                if byte == UInt8(ascii: "\\") { state = .skipped(isEscaped: true) }
                if byte == UInt8(ascii: "\"") { state = .between }
            case .kept:
                guard text.consume(byte) else { continue }
                state = .between
                if let finding = endText() { return finding }
            }
        }
        return nil
    }

    /// Returns all strings at requested paths in a complete text, in order.
    package static func findings(in text: [UInt8], _ paths: JSONPaths) -> [Finding] {
        var reader = JSONStringReader(paths)
        var findings: [Finding] = []
        var index = 0
        while let finding = reader.next(text.span, &index) { findings.append(finding) }
        return findings
    }

    private mutating func consumeStructure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): startString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(isObject: byte == UInt8(ascii: "{"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
        case UInt8(ascii: ","): if depth == levels.count { setExpectsKey() }
        case 0x20, 0x09, 0x0A, 0x0D: break
        // At the beginning, any other byte shows that the text is neither an object nor a list, so nothing can be
        // found.
        default: if depth == 0 { state = .ended }
        }
    }

    private mutating func open(isObject: Bool) {
        if depth == levels.count, let node = node(isObject: isObject) {
            levels.append(Level(node: node, isObject: isObject, expectsKey: isObject))
        } else if depth == 0 {
            state = .ended
            return
        }
        depth += 1
    }

    /// Returns the index of the node for the object or list that begins here; nil if no requested path leads through
    /// it.
    private func node(isObject: Bool) -> Int? {
        var node: Int?
        if let last = levels.last {
            let parent = paths.nodes[last.node]
            node = last.isObject ? last.member.flatMap { parent.members[$0].node } : parent.element
        } else {
            node = 0
        }
        guard let node, isObject ? !paths.nodes[node].members.isEmpty : paths.nodes[node].element != nil else {
            return nil
        }
        return node
    }

    private mutating func close() {
        guard depth > 0 else {
            state = .ended
            return
        }
        if depth == levels.count { levels.removeLast() }
        depth -= 1
        if depth == 0 { state = .ended }
    }

    private mutating func setExpectsKey() {
        guard let last = levels.indices.last, levels[last].isObject else { return }
        levels[last].expectsKey = true
        levels[last].member = nil
    }

    private mutating func startString() {
        guard depth > 0 else {
            state = .ended
            return
        }
        guard depth == levels.count, let level = levels.last, level.expectsKey || wanted(level) != nil else {
            state = .skipped(isEscaped: false)
            return
        }
        text.removeAll()
        state = .kept
    }

    /// Returns the index of the requested path that ends at the current position; nil if there is none.
    private func wanted(_ level: Level) -> Int? {
        level.member.flatMap { paths.nodes[level.node].members[$0].pathIndex }
    }

    /// Ends a stored string, which is a key or the value at a requested path.
    private mutating func endText() -> Finding? {
        guard let last = levels.indices.last else { return nil }
        guard levels[last].expectsKey else {
            return wanted(levels[last]).map { Finding(pathIndex: $0, text: text.bytes) }
        }
        levels[last].expectsKey = false
        if let key = text.bytes {
            levels[last].member = paths.nodes[levels[last].node].members.firstIndex { $0.key == key }
        }
        return nil
    }
}
