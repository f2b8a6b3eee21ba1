/// The elements of a comma-separated field value, white space and empty elements left out (RFC 9110 §5.6.1).
package struct ListElements: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    /// Iterates over the elements of one field's value.
    package init(_ value: ArraySlice<UInt8>) { rest = value }

    /// The next element.
    package mutating func next() -> ArraySlice<UInt8>? {
        var index = 0
        guard let element = rest.span.nextListElement(from: &index) else { return nil }
        defer { rest = rest.dropFirst(index) }
        return rest[(rest.startIndex + element.lowerBound)..<(rest.startIndex + element.upperBound)]
    }
}

extension Span<UInt8> {
    /// The next element of a comma-separated field value at or after `index`, white space and empty elements left out (RFC 9110
    /// §5.6.1); nil where there is none. Commas inside quoted strings part elements, too: who reads a list that may hold such
    /// strings, and not tokens only, looks for quotes itself.
    package func nextListElement(from index: inout Int) -> Range<Int>? {
        while index < count {
            let comma = firstIndex(of: UInt8(ascii: ","), from: index)
            let element = trimmingOptionalWhiteSpace(index..<comma)
            index = comma + 1
            if !element.isEmpty { return element }
        }
        return nil
    }
}
