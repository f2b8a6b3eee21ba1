// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("Comma-separated lists (RFC 9110 §5.6.1)")
struct ListElementsTests {
    @Test(
        arguments: [
            ("", []), (" ", []), (",", []), (", \t,,", []), ("a", ["a"]), (" a ", ["a"]), ("a,b", ["a", "b"]),
            ("a , b\t,\tc", ["a", "b", "c"]), (",a,,b,", ["a", "b"]), ("a b", ["a b"]), ("a;q=1, b", ["a;q=1", "b"]),
            ("\"a,b\"", ["\"a", "b\""]), ("A,a", ["A", "a"]),
        ])
    func `list elements are read in order, without surrounding white space or empty elements`(
        value: String, expected: [String]
    ) {
        #expect(ListElements(value.bytes[...]).map(\.text) == expected)

        // A slice from the middle of other bytes has the same elements.
        let inside = "x,\(value),x".bytes

        #expect(ListElements(inside[2..<(inside.count - 2)]).map(\.text) == expected)
    }
}
