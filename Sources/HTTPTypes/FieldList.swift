/// A head's fields in the order, spelling and number in which they came.
///
/// All bytes stand in one buffer as the lines that go on the wire (RFC 9112 §5), so that a list costs two allocations however
/// many fields it has, none when it is cleared and filled again, and is sent with one copy.
package struct FieldList: Sendable {
    /// Where one field's line stands: name, colon, a space unless the value is empty, value, CR LF.
    @usableFromInline struct Entry {
        var nameStart: Int32
        var nameEnd: Int32
        var valueStart: Int32
        var valueEnd: Int32
        @usableFromInline var name: FieldName

        var line: Range<Int> { Int(nameStart)..<(Int(valueEnd) + 2) }
        var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var valueRange: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    // Not private, so that other modules can count and look at names without a call.
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var entries: [Entry] = []
    /// Whether the buffer also holds lines of fields that were taken out.
    @usableFromInline var hasGaps = false
    /// The names of all fields that were added since the list was empty: which are not among them need not be looked for.
    @usableFromInline var names = FieldNames()

    /// An empty list.
    @inlinable package init() {}

    /// An empty list with room for this many fields and bytes.
    package init(fields: Int, bytes byteCount: Int) {
        entries.reserveCapacity(fields)
        bytes.reserveCapacity(byteCount)
    }

    /// Empties the list and makes room for this many fields and bytes, in the memory that it has where that is enough.
    package mutating func makeRoom(fields: Int, bytes byteCount: Int) {
        removeAll()
        reserveCapacity(fields: fields, bytes: byteCount)
    }

    /// Makes room for this many fields and bytes, where there is less.
    package mutating func reserveCapacity(fields: Int, bytes byteCount: Int) {
        if entries.capacity < fields { entries.reserveCapacity(fields) }
        if bytes.capacity < byteCount { bytes.reserveCapacity(byteCount) }
    }

    /// The number of fields.
    @inlinable package var count: Int { entries.count }

    /// The bytes that all lines take together, at most.
    @inlinable package var byteCount: Int { bytes.count }

    /// The bytes of lines that it has memory for.
    package var byteCapacity: Int { bytes.capacity }

    /// Empties the list and keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        hasGaps = false
        names = FieldNames()
    }

    /// Takes out every field of whose name and spelling `isLeft` says no.
    package mutating func keep(where isLeft: (FieldName, Span<UInt8>) -> Bool) {
        var kept = 0
        for index in entries.indices
        where isLeft(entries[index].name, bytes.span.extracting(entries[index].nameRange)) {
            if kept != index { entries[kept] = entries[index] }
            kept += 1
        }
        guard kept < entries.count else { return }
        hasGaps = true
        entries.removeLast(entries.count - kept)
    }

    /// The name of the field at `index`, in its own spelling.
    package func name(at index: Int) -> ArraySlice<UInt8> { bytes[entries[index].nameRange] }

    /// The value of the field at `index`, without the white space around it.
    package func value(at index: Int) -> ArraySlice<UInt8> { bytes[entries[index].valueRange] }

    /// Lends the line of the field at `index`, its CR LF included, and says where in it name and value stand.
    package func withLine<Result>(
        at index: Int, _ body: (_ line: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) -> Result
    ) -> Result {
        let entry = entries[index]
        let start = Int(entry.nameStart)
        return body(
            bytes.span.extracting(entry.line), 0..<(Int(entry.nameEnd) - start),
            (Int(entry.valueStart) - start)..<(Int(entry.valueEnd) - start))
    }

    /// Adds a field at the end.
    package mutating func append(name: [UInt8], value: ArraySlice<UInt8>) {
        let nameStart = beginLine(name.span)
        if !value.isEmpty { bytes.append(UInt8(ascii: " ")) }
        let valueStart = bytes.count
        bytes.append(value.span)
        endLine(nameStart, name.count, valueStart)
    }

    /// Adds a field whose name is known, at the end.
    package mutating func append(_ name: KnownName, _ value: Span<UInt8>) {
        let nameStart = bytes.count
        bytes.append(name.beginning.span)
        if value.isEmpty { bytes.removeLast() }
        let valueStart = bytes.count
        bytes.append(value)
        endLine(nameStart, name.count, valueStart, name.field)
    }

    /// Adds a field at the end.
    package mutating func append(_ name: String, _ value: String) {
        append(name: Array(name.utf8), value: Array(value.utf8)[...])
    }

    /// Adds a field whose bytes are borrowed; white space around the value is left out (RFC 9110 §5.5).
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let left = value.trimmingOptionalWhiteSpace(0..<value.count)
        let nameStart = beginLine(name)
        if !left.isEmpty { bytes.append(UInt8(ascii: " ")) }
        let valueStart = bytes.count
        bytes.append(value.extracting(left))
        endLine(nameStart, name.count, valueStart)
    }

    /// Adds a field whose name and value stand behind each other with two bytes between that are not looked at: libmicrohttpd
    /// writes there. White space around the value is left out.
    package mutating func append(nameAndValue both: Span<UInt8>, nameLength: Int) {
        let value = nameLength + 2
        guard value < both.count, !both[value].isOptionalWhiteSpace, !both[both.count - 1].isOptionalWhiteSpace else {
            return append(name: both.extracting(0..<nameLength), value: both.extracting(value...))
        }
        let start = bytes.count
        bytes.append(both)
        bytes[start + nameLength] = UInt8(ascii: ":")
        bytes[start + nameLength + 1] = UInt8(ascii: " ")
        endLine(start, nameLength, start + value)
    }

    /// Adds a field that is always the same.
    package mutating func append(_ line: KnownLine) {
        let start = bytes.count
        bytes.append(line.bytes.span)
        let valueStart = start + line.name.count + 2
        addEntry(start, valueStart - 2, valueStart, bytes.count - 2, line.name.field)
    }

    /// Adds a field by its line, CR LF included, with the place of its colon. One that stands there as this list writes it, with
    /// one space behind the colon and none at the end, is one copy.
    package mutating func append(line: Span<UInt8>, colon: Int) {
        let end = line.count - 2
        let value = colon + 2
        guard value < end, line[colon + 1] == UInt8(ascii: " "), !line[value].isOptionalWhiteSpace,
            !line[end - 1].isOptionalWhiteSpace
        else {
            return append(name: line.extracting(0..<colon), value: line.extracting((colon + 1)..<end))
        }
        let start = bytes.count
        bytes.append(line)
        addEntry(start, start + colon, start + value, start + end, FieldName.of(line.extracting(0..<colon)))
    }

    /// Adds copies of another list's fields, of those of whose name and spelling `isWanted` says yes.
    package mutating func append(fieldsOf other: FieldList, where isWanted: (FieldName, Span<UInt8>) -> Bool) {
        for var entry in other.entries
        where isWanted(entry.name, other.bytes.span.extracting(entry.nameRange)) {
            let distance = Int32(bytes.count) - entry.nameStart
            bytes.append(other.bytes.span.extracting(entry.line))
            entry.nameStart += distance
            entry.nameEnd += distance
            entry.valueStart += distance
            entry.valueEnd += distance
            entries.append(entry)
            names.insert(entry.name)
        }
    }

    /// Adds copies of all fields of another list.
    package mutating func append(contentsOf other: FieldList) { append(fieldsOf: other) { _, _ in true } }

    /// Adds a field of a known name whose value is the values of all fields of that name in another list and then an
    /// element of one's own: how a list field is continued (RFC 9110 §5.3).
    package mutating func append(_ name: KnownName, continuing other: FieldList, with element: [UInt8]) {
        let nameStart = bytes.count
        bytes.append(name.beginning.span)
        let valueStart = bytes.count
        var start = 0
        while let index = other.firstIndex(of: name.field, from: start) {
            bytes.append(other.bytes.span.extracting(other.entries[index].valueRange))
            bytes.append(UInt8(ascii: ","))
            bytes.append(UInt8(ascii: " "))
            start = index + 1
        }
        bytes.append(element.span)
        endLine(nameStart, name.count, valueStart, name.field)
    }

    /// The name of the field at `index`, as far as it is a known one.
    @inlinable package func knownName(at index: Int) -> FieldName { entries[index].name }

    /// The index of the first field of this name at or after `start`.
    @inlinable package func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
        // Of what a head is asked for most is not there: that takes neither a call nor a reference to the fields.
        names.contains(name) ? search(for: name, from: start) : nil
    }

    @usableFromInline func search(for name: FieldName, from start: Int) -> Int? {
        var index = start
        while index < entries.count {
            if entries[index].name == name { return index }
            index += 1
        }
        return nil
    }

    /// The value of the first field of this name.
    package func first(_ name: FieldName) -> ArraySlice<UInt8>? { firstIndex(of: name).map { value(at: $0) } }

    /// Lends the value of the first field of this name; nil where there is none.
    @discardableResult
    package func withFirst<Result>(_ name: FieldName, _ body: (Span<UInt8>) -> Result) -> Result? {
        guard let index = firstIndex(of: name) else { return nil }
        return body(bytes.span.extracting(entries[index].valueRange))
    }

    /// Lends the value of the field at `index`, without the white space around it.
    package func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(entries[index].valueRange))
    }

    /// The index of the one field of this name; nil where there is none or more than one.
    package func onlyIndex(of name: FieldName) -> Int? {
        guard let first = firstIndex(of: name), firstIndex(of: name, from: first + 1) == nil else { return nil }
        return first
    }

    /// Whether no name and no value holds a control character but HTAB: then none can end its line.
    package var holdsNoControlCharacter: Bool {
        entries.indices.allSatisfy { index in
            name(at: index).allSatisfy { $0 >= 0x20 } && value(at: index).allSatisfy { $0 >= 0x20 || $0 == 0x09 }
        }
    }

    /// Adds all fields to `text` as lines, each with its CR LF (RFC 9112 §5).
    package func appendLines(to text: inout [UInt8]) {
        guard hasGaps else { return text.append(bytes.span) }
        for entry in entries { text.append(bytes.span.extracting(entry.line)) }
    }

    /// Whether any field of this name has the token in its comma-separated list (RFC 9110 §5.6.1), in any case.
    @inlinable package func contains(_ token: Token, in name: FieldName) -> Bool {
        names.contains(name) && hasElement(in: name) { token.isSpelt($0) }
    }

    /// Whether any field of this name has an element in its comma-separated list (RFC 9110 §5.6.1) of which `isWanted` says yes.
    package func hasElement(in name: FieldName, where isWanted: (Span<UInt8>) -> Bool) -> Bool {
        var start = 0
        while let field = firstIndex(of: name, from: start) {
            let value = bytes.span.extracting(entries[field].valueRange)
            var index = 0
            while let element = value.nextListElement(from: &index) {
                if isWanted(value.extracting(element)) { return true }
            }
            start = field + 1
        }
        return false
    }

    /// Adds a field's name and its colon; answers where the name begins.
    private mutating func beginLine(_ name: Span<UInt8>) -> Int {
        let start = bytes.count
        bytes.append(name)
        bytes.append(UInt8(ascii: ":"))
        return start
    }

    /// Adds a line's end and its entry; `field` nil where the name has to be recognised.
    private mutating func endLine(_ nameStart: Int, _ nameLength: Int, _ valueStart: Int, _ field: FieldName? = nil) {
        let nameEnd = nameStart + nameLength
        addEntry(
            nameStart, nameEnd, valueStart, bytes.count,
            field ?? FieldName.of(bytes.span.extracting(nameStart..<nameEnd)))
        bytes.append(0x0d)
        bytes.append(0x0a)
    }

    private mutating func addEntry(
        _ nameStart: Int, _ nameEnd: Int, _ valueStart: Int, _ valueEnd: Int, _ name: FieldName
    ) {
        names.insert(name)
        entries.append(
            Entry(
                nameStart: Int32(nameStart), nameEnd: Int32(nameEnd), valueStart: Int32(valueStart),
                valueEnd: Int32(valueEnd), name: name))
    }
}
