import HTTPTypes
import Testing

@Suite("Comma-separated lists (RFC 9110 §5.6.1)")
struct ListElementsTests {
    @Test(
        "Elements come in order, without white space around them; empty ones are none",
        arguments: [
            ("", []), (" ", []), (",", []), (", \t,,", []), ("a", ["a"]), (" a ", ["a"]), ("a,b", ["a", "b"]),
            ("a , b\t,\tc", ["a", "b", "c"]), (",a,,b,", ["a", "b"]), ("a b", ["a b"]), ("a;q=1, b", ["a;q=1", "b"]),
            ("\"a,b\"", ["\"a", "b\""]), ("A,a", ["A", "a"]),
        ])
    func elements(value: String, expected: [String]) {
        #expect(ListElements(value.bytes[...]).map(\.text) == expected)
        // A slice from the middle of other bytes has the same elements.
        let inside = "x,\(value),x".bytes
        #expect(ListElements(inside[2..<(inside.count - 2)]).map(\.text) == expected)
    }
}
