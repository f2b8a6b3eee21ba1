// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The fields of a head, in their original order, spelling and number.
///
/// One buffer contains the field lines as they are sent (RFC 9112 §5). A list of any number of fields therefore needs
/// two allocations and one copy to send. A cleared list can be refilled without an allocation.
package struct FieldList: Sendable {
    /// The position of one field line: name, colon, a space unless the value is empty, value, CR LF.
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

    // These properties are not private, so that other modules can inline `count` and the look-up of names.
    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var entries: [Entry] = []
    /// Whether the buffer also contains the lines of removed fields.
    @usableFromInline var hasGaps = false
    /// The names of all fields added since the list was empty. A search for any other name can be skipped.
    @usableFromInline var names = FieldNames()

    /// Creates an empty list that owns no memory yet.
    @inlinable package init() {}

    /// Creates an empty list with capacity for this many fields and bytes.
    package init(fields: Int, bytes byteCount: Int) {
        entries.reserveCapacity(fields)
        bytes.reserveCapacity(byteCount)
    }

    /// Empties the list and reserves capacity for this many fields and bytes. Reuses the existing memory if it is large
    /// enough.
    package mutating func makeRoom(fields: Int, bytes byteCount: Int) {
        removeAll()
        reserveCapacity(fields: fields, bytes: byteCount)
    }

    /// Reserves capacity for this many fields and bytes, unless the list already has it.
    package mutating func reserveCapacity(fields: Int, bytes byteCount: Int) {
        if entries.capacity < fields { entries.reserveCapacity(fields) }
        if bytes.capacity < byteCount { bytes.reserveCapacity(byteCount) }
    }

    /// The number of fields in the list.
    @inlinable package var count: Int { entries.count }

    /// An upper bound for the total size of all field lines, in bytes.
    @inlinable package var byteCount: Int { bytes.count }

    /// The capacity for field lines in bytes.
    package var byteCapacity: Int { bytes.capacity }

    /// Removes all fields but keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        hasGaps = false
        names = FieldNames()
    }

    /// Keeps only the fields for which `isLeft` returns true. The closure receives the name and its original spelling.
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

    /// Returns the name of the field at `index`, in its original spelling.
    package func name(at index: Int) -> ArraySlice<UInt8> { bytes[entries[index].nameRange] }

    /// Returns the value of the field at `index`, without surrounding white space.
    package func value(at index: Int) -> ArraySlice<UInt8> { bytes[entries[index].valueRange] }

    /// Calls `body` with the line of the field at `index`, including CR LF, and with the ranges of the name and the
    /// value in it.
    package func withLine<Result>(
        at index: Int, _ body: (_ line: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) -> Result
    ) -> Result {
        let entry = entries[index]
        let start = Int(entry.nameStart)
        return body(
            bytes.span.extracting(entry.line), 0..<(Int(entry.nameEnd) - start),
            (Int(entry.valueStart) - start)..<(Int(entry.valueEnd) - start))
    }

    /// Appends a field with the given name and value.
    package mutating func append(name: [UInt8], value: ArraySlice<UInt8>) {
        let nameStart = beginLine(name.span)
        if !value.isEmpty { bytes.append(UInt8(ascii: " ")) }
        let valueStart = bytes.count
        bytes.append(copying: value.span)
        endLine(nameStart: nameStart, nameLength: name.count, valueStart: valueStart)
    }

    /// Appends a field with a known name.
    package mutating func append(_ name: KnownName, _ value: Span<UInt8>) {
        let nameStart = bytes.count
        bytes.append(copying: name.beginning.span)
        if value.isEmpty { bytes.removeLast() }
        let valueStart = bytes.count
        bytes.append(copying: value)
        endLine(nameStart: nameStart, nameLength: name.count, valueStart: valueStart, field: name.field)
    }

    /// Appends a field with the given name and value.
    package mutating func append(_ name: String, _ value: String) {
        append(name: Array(name.utf8), value: Array(value.utf8)[...])
    }

    /// Appends a field from borrowed bytes, without white space around the value (RFC 9110 §5.5).
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let left = value.trimmingOptionalWhiteSpace(0..<value.count)
        let nameStart = beginLine(name)
        if !left.isEmpty { bytes.append(UInt8(ascii: " ")) }
        let valueStart = bytes.count
        bytes.append(copying: value.extracting(left))
        endLine(nameStart: nameStart, nameLength: name.count, valueStart: valueStart)
    }

    /// Appends a field whose name and value are in one span, separated by two arbitrary bytes that libmicrohttpd has
    /// overwritten. Omits white space around the value.
    package mutating func append(nameAndValue both: Span<UInt8>, nameLength: Int) {
        let value = nameLength + 2
        guard value < both.count, !both[value].isOptionalWhiteSpace, !both[both.count - 1].isOptionalWhiteSpace else {
            return append(name: both.extracting(0..<nameLength), value: both.extracting(value...))
        }
        let start = bytes.count
        bytes.append(copying: both)
        bytes[start + nameLength] = UInt8(ascii: ":")
        bytes[start + nameLength + 1] = UInt8(ascii: " ")
        endLine(nameStart: start, nameLength: nameLength, valueStart: start + value)
    }

    /// Appends a field that always has the same value.
    package mutating func append(_ line: KnownLine) {
        let start = bytes.count
        bytes.append(copying: line.bytes.span)
        let valueStart = start + line.name.count + 2
        addEntry(
            nameStart: start, nameEnd: valueStart - 2, valueStart: valueStart, valueEnd: bytes.count - 2,
            name: line.name.field)
    }

    /// Appends a field from its line, including CR LF.
    ///
    /// A line in this list's own format, with one space after the colon and no space at the end, is copied in one step.
    ///
    /// - Parameter colon: The index of the colon in the line.
    package mutating func append(line: Span<UInt8>, colon: Int) {
        let end = line.count - 2
        let value = colon + 2
        guard value < end, line[colon + 1] == UInt8(ascii: " "), !line[value].isOptionalWhiteSpace,
            !line[end - 1].isOptionalWhiteSpace
        else {
            return append(name: line.extracting(0..<colon), value: line.extracting((colon + 1)..<end))
        }
        let start = bytes.count
        bytes.append(copying: line)
        addEntry(
            nameStart: start, nameEnd: start + colon, valueStart: start + value, valueEnd: start + end,
            name: FieldName.of(line.extracting(0..<colon)))
    }

    /// Appends copies of the fields of another list for which `isWanted` returns true. The closure receives the name
    /// and its original spelling.
    package mutating func append(fieldsOf other: FieldList, where isWanted: (FieldName, Span<UInt8>) -> Bool) {
        for var entry in other.entries
        where isWanted(entry.name, other.bytes.span.extracting(entry.nameRange)) {
            let distance = Int32(bytes.count) - entry.nameStart
            bytes.append(copying: other.bytes.span.extracting(entry.line))
            entry.nameStart += distance
            entry.nameEnd += distance
            entry.valueStart += distance
            entry.valueEnd += distance
            entries.append(entry)
            names.insert(entry.name)
        }
    }

    /// Appends copies of all fields of another list.
    package mutating func append(contentsOf other: FieldList) { append(fieldsOf: other) { _, _ in true } }

    /// Appends a field with a known name that continues a list field (RFC 9110 §5.3). The field's value consists of the
    /// values of all fields with that name in another list, followed by `element`.
    package mutating func append(_ name: KnownName, continuing other: FieldList, with element: [UInt8]) {
        let nameStart = bytes.count
        bytes.append(copying: name.beginning.span)
        let valueStart = bytes.count
        var start = 0
        while let index = other.firstIndex(of: name.field, from: start) {
            bytes.append(copying: other.bytes.span.extracting(other.entries[index].valueRange))
            bytes.append(UInt8(ascii: ","))
            bytes.append(UInt8(ascii: " "))
            start = index + 1
        }
        bytes.append(copying: element.span)
        endLine(nameStart: nameStart, nameLength: name.count, valueStart: valueStart, field: name.field)
    }

    /// Returns the name of the field at `index` as a known name, or `other`.
    @inlinable package func knownName(at index: Int) -> FieldName { entries[index].name }

    /// Returns the index of the first field with this name at or after `start`.
    @inlinable package func firstIndex(of name: FieldName, from start: Int = 0) -> Int? {
        // Check the set of names first, because most searched names are absent. This check needs neither a call nor a
        // reference to the fields.
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

    /// Returns the value of the first field with this name.
    package func first(_ name: FieldName) -> ArraySlice<UInt8>? { firstIndex(of: name).map { value(at: $0) } }

    /// Calls `body` with the value of the first field with this name. Returns nil if there is no such field.
    @discardableResult
    package func withFirst<Result>(_ name: FieldName, _ body: (Span<UInt8>) -> Result) -> Result? {
        guard let index = firstIndex(of: name) else { return nil }
        return body(bytes.span.extracting(entries[index].valueRange))
    }

    /// Calls `body` with the value of the field at `index`, without surrounding white space.
    package func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(entries[index].valueRange))
    }

    /// Returns the index of the only field with this name; nil if there is none or more than one.
    package func onlyIndex(of name: FieldName) -> Int? {
        guard let first = firstIndex(of: name), firstIndex(of: name, from: first + 1) == nil else { return nil }
        return first
    }

    /// Returns the values of all fields with this name, in the order of the fields. Use this method for names that are not
    /// in ``FieldName``, because it compares each name.
    ///
    /// - Parameter name: The name in any case.
    package func values(named name: [UInt8]) -> [ArraySlice<UInt8>] {
        (0..<count).filter { self.name(at: $0).equalsIgnoringCase(name) }.map { value(at: $0) }
    }

    /// Whether names and values contain no control character except HTAB. Such a character could end a field's line.
    package var hasNoControlCharacter: Bool {
        entries.indices.allSatisfy { index in
            name(at: index).allSatisfy { $0 >= 0x20 } && value(at: index).allSatisfy { $0 >= 0x20 || $0 == 0x09 }
        }
    }

    /// Appends all field lines to `text`, each with its CR LF (RFC 9112 §5).
    package func appendLines(to text: inout [UInt8]) {
        guard hasGaps else { return text.append(copying: bytes.span) }
        for entry in entries { text.append(copying: bytes.span.extracting(entry.line)) }
    }

    /// Returns whether a field with this name has the token in its comma-separated list (RFC 9110 §5.6.1), ignoring
    /// case.
    @inlinable package func contains(_ token: Token, in name: FieldName) -> Bool {
        names.contains(name) && hasElement(in: name) { token.isSpelt($0) }
    }

    /// Returns whether a field with this name has an element in its comma-separated list (RFC 9110 §5.6.1) that
    /// satisfies `isWanted`.
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

    /// Appends a field's name and colon, and returns the offset of the name.
    private mutating func beginLine(_ name: Span<UInt8>) -> Int {
        let start = bytes.count
        bytes.append(copying: name)
        bytes.append(UInt8(ascii: ":"))
        return start
    }

    /// Appends a line end and the field's entry. If `field` is nil, looks up the name.
    private mutating func endLine(nameStart: Int, nameLength: Int, valueStart: Int, field: FieldName? = nil) {
        let nameEnd = nameStart + nameLength
        addEntry(
            nameStart: nameStart, nameEnd: nameEnd, valueStart: valueStart, valueEnd: bytes.count,
            name: field ?? FieldName.of(bytes.span.extracting(nameStart..<nameEnd)))
        bytes.append(0x0d)
        bytes.append(0x0a)
    }

    private mutating func addEntry(
        nameStart: Int, nameEnd: Int, valueStart: Int, valueEnd: Int, name: FieldName
    ) {
        names.insert(name)
        entries.append(
            Entry(
                nameStart: Int32(nameStart), nameEnd: Int32(nameEnd), valueStart: Int32(valueStart),
                valueEnd: Int32(valueEnd), name: name))
    }
}
