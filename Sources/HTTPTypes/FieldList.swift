/// A head's fields in the order, spelling and number in which they came.
///
/// All bytes stand in one buffer, so that a list costs two allocations however many fields it has, and none when it is
/// cleared and filled again.
package struct FieldList: Sendable {
    private struct Entry {
        var nameStart: Int32
        var valueStart: Int32
        var valueEnd: Int32
        var name: FieldName
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// An empty list.
    package init() {}

    /// An empty list with room for this many fields and bytes.
    package init(fields: Int, bytes byteCount: Int) {
        entries.reserveCapacity(fields)
        bytes.reserveCapacity(byteCount)
    }

    /// The number of fields.
    package var count: Int { entries.count }

    /// The bytes of all names and values together.
    package var byteCount: Int { bytes.count }

    /// Empties the list and keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }

    /// The name of the field at `index`, in its own spelling.
    package func name(at index: Int) -> ArraySlice<UInt8> {
        let entry = entries[index]
        return bytes[Int(entry.nameStart)..<Int(entry.valueStart)]
    }

    /// The value of the field at `index`, without the white space around it.
    package func value(at index: Int) -> ArraySlice<UInt8> {
        let entry = entries[index]
        return bytes[Int(entry.valueStart)..<Int(entry.valueEnd)]
    }

    /// Adds a field at the end.
    package mutating func append(name: [UInt8], value: ArraySlice<UInt8>) {
        let nameStart = bytes.count
        bytes.append(contentsOf: name)
        let valueStart = bytes.count
        bytes.append(contentsOf: value)
        addEntry(nameStart, valueStart)
    }

    /// Adds a field at the end.
    package mutating func append(_ name: String, _ value: String) {
        append(name: Array(name.utf8), value: Array(value.utf8)[...])
    }

    /// Adds a field whose bytes are borrowed; white space around the value is left out (RFC 9110 §5.5).
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let nameStart = bytes.count
        bytes.append(name)
        let valueStart = bytes.count
        var first = 0
        var last = value.count
        while first < last, value[first].isOptionalWhiteSpace { first += 1 }
        while last > first, value[last - 1].isOptionalWhiteSpace { last -= 1 }
        bytes.append(value.extracting(first..<last))
        addEntry(nameStart, valueStart)
    }

    /// Adds a copy of the field at `index` of another list.
    package mutating func append(fieldAt index: Int, of other: FieldList) {
        let entry = other.entries[index]
        let start = Int32(bytes.count)
        bytes.append(contentsOf: other.bytes[Int(entry.nameStart)..<Int(entry.valueEnd)])
        entries.append(
            Entry(
                nameStart: start, valueStart: start + entry.valueStart - entry.nameStart,
                valueEnd: start + entry.valueEnd - entry.nameStart, name: entry.name))
    }

    /// Adds copies of all fields of another list.
    package mutating func append(contentsOf other: FieldList) {
        for index in 0..<other.count { append(fieldAt: index, of: other) }
    }

    /// Adds a field whose value is the values of all fields of that name in another list and then an element of one's
    /// own: how a list field is continued (RFC 9110 §5.3).
    package mutating func append(
        name: [UInt8], continuing other: FieldList, _ field: FieldName, with element: [UInt8]
    ) {
        let nameStart = bytes.count
        bytes.append(contentsOf: name)
        let valueStart = bytes.count
        var start = 0
        while let index = other.firstIndex(of: field, from: start) {
            bytes.append(contentsOf: other.value(at: index))
            bytes.append(UInt8(ascii: ","))
            bytes.append(UInt8(ascii: " "))
            start = index + 1
        }
        bytes.append(contentsOf: element)
        addEntry(nameStart, valueStart)
    }

    /// The name of the field at `index`, as far as it is a known one.
    package func knownName(at index: Int) -> FieldName { entries[index].name }

    /// The index of the first field of this name at or after `start`.
    package func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
        var index = start
        while index < entries.count {
            if entries[index].name == name { return index }
            index += 1
        }
        return nil
    }

    /// The value of the first field of this name.
    package func first(_ name: FieldName) -> ArraySlice<UInt8>? {
        firstIndex(of: name).map { value(at: $0) }
    }

    /// Whether no name and no value holds a control character but HTAB: then none can end its line.
    package var holdsNoControlCharacter: Bool { bytes.allSatisfy { $0 >= 0x20 || $0 == 0x09 } }

    /// Adds all fields to `text` as lines, each with its CR LF (RFC 9112 §5).
    package func appendLines(to text: inout [UInt8]) {
        for entry in entries {
            text.append(contentsOf: bytes[Int(entry.nameStart)..<Int(entry.valueStart)])
            text.append(UInt8(ascii: ":"))
            if entry.valueStart < entry.valueEnd { text.append(UInt8(ascii: " ")) }
            text.append(contentsOf: bytes[Int(entry.valueStart)..<Int(entry.valueEnd)])
            text.append(0x0d)
            text.append(0x0a)
        }
    }

    /// The first byte of a field's name that `isAllowed` refuses; nil where there is none.
    func firstByte(ofNameAt index: Int, refusedBy isAllowed: (UInt8) -> Bool) -> UInt8? {
        for offset in Int(entries[index].nameStart)..<Int(entries[index].valueStart) where !isAllowed(bytes[offset]) {
            return bytes[offset]
        }
        return nil
    }

    /// The first byte of a field's value that `isAllowed` refuses; nil where there is none.
    func firstByte(ofValueAt index: Int, refusedBy isAllowed: (UInt8) -> Bool) -> UInt8? {
        for offset in Int(entries[index].valueStart)..<Int(entries[index].valueEnd) where !isAllowed(bytes[offset]) {
            return bytes[offset]
        }
        return nil
    }

    /// Whether any field of this name has the token in its comma-separated list (RFC 9110 §5.6.1), in any case.
    package func contains(_ token: Token, in name: FieldName) -> Bool {
        var start = 0
        while let index = firstIndex(of: name, from: start) {
            if ListElements(value(at: index)).contains(where: { $0.equalsIgnoringCase(token.lowercased) }) {
                return true
            }
            start = index + 1
        }
        return false
    }

    private mutating func addEntry(_ nameStart: Int, _ valueStart: Int) {
        entries.append(
            Entry(
                nameStart: Int32(nameStart), valueStart: Int32(valueStart), valueEnd: Int32(bytes.count),
                name: FieldName.of(bytes, nameStart, valueStart)))
    }
}

/// The elements of a comma-separated field value, white space and empty elements left out (RFC 9110 §5.6.1).
package struct ListElements: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    /// Iterates over the elements of one field's value. Commas inside quoted strings are not looked for: the lists that
    /// the gateway reads (`Connection`, `Transfer-Encoding`, `Upgrade`, `Expect`) hold tokens only.
    package init(_ value: ArraySlice<UInt8>) { rest = value }

    /// The next element.
    package mutating func next() -> ArraySlice<UInt8>? {
        while !rest.isEmpty {
            let comma = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
            let element = rest[rest.startIndex..<comma].trimmingOptionalWhiteSpace()
            rest = comma == rest.endIndex ? rest[comma...] : rest[(comma + 1)...]
            if !element.isEmpty { return element }
        }
        return nil
    }
}
