// SPDX-License-Identifier: Apache-2.0

/// The non-empty elements of a comma-separated field value, without surrounding white space (RFC 9110 §5.6.1).
package struct ListElements: Sequence, IteratorProtocol {
    private var remainder: ArraySlice<UInt8>

    /// Creates a sequence of the elements of one field's value.
    package init(_ value: ArraySlice<UInt8>) { remainder = value }

    /// Returns the next element, or nil at the end of the value.
    package mutating func next() -> ArraySlice<UInt8>? {
        var index = 0
        guard let element = remainder.span.nextListElement(from: &index) else { return nil }
        defer { remainder = remainder.dropFirst(index) }
        return remainder[(remainder.startIndex + element.lowerBound)..<(remainder.startIndex + element.upperBound)]
    }
}

extension Span<UInt8> {
    /// Returns the range of the next element of a comma-separated field value at or after `index`, or nil at the end.
    /// Skips white space and empty elements (RFC 9110 §5.6.1).
    ///
    /// Commas inside quoted strings also separate elements. A caller whose list may contain quoted strings must check
    /// for quotes.
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
