// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@Suite struct JSONScannerTests {
    private static let text = Array(
        #" { "a" : "x\"y" , "b":[1,{"c":"]"}],"d\n":-1.5E+3, "e" : { "f" : null } } "#.utf8)

    private static func string(_ range: Range<Int>?) -> String? {
        range.map { String(decoding: text[$0], as: UTF8.self) }
    }

    @Test func `the members of an object are found in order with the ranges of their values`() {
        var scanner = JSONScanner()
        var members: [String?] = []
        let isObject = scanner.enterObject(Self.text.span)
        while let name = scanner.name(Self.text.span) {
            members += [Self.string(name), Self.string(scanner.value(Self.text.span))]
        }

        #expect(isObject)
        #expect(
            members == ["a", #""x\"y""#, "b", #"[1,{"c":"]"}]"#, #"d\n"#, "-1.5E+3", "e", #"{ "f" : null }"#])
        #expect(scanner.index == Self.text.count - 1)
    }

    @Test func `an object within an object can be entered`() {
        var scanner = JSONScanner()
        _ = scanner.enterObject(Self.text.span)
        while let name = scanner.name(Self.text.span), Self.string(name) != "e" { _ = scanner.value(Self.text.span) }

        let isObject = scanner.enterObject(Self.text.span)
        let name = Self.string(scanner.name(Self.text.span))
        let value = Self.string(scanner.value(Self.text.span))
        let ends = [scanner.name(Self.text.span), scanner.name(Self.text.span)]

        #expect(isObject)
        #expect(name == "f")
        #expect(value == "null")
        #expect(ends == [nil, nil])
    }

    @Test(arguments: ["", "[", "1", #"{"a"#, #"{"a"}"#, #"{"a":"#, #"{"a":"x"#, #"{"a":[{"b":1}"#, #"{"a":12"#])
    func `a truncated or malformed text has no further member`(text: String) {
        let bytes = Array(text.utf8)
        var scanner = JSONScanner()
        var values = 0
        if scanner.enterObject(bytes.span) {
            while scanner.name(bytes.span) != nil, scanner.value(bytes.span) != nil { values += 1 }
        }

        #expect(values == 0)
        #expect(scanner.index <= bytes.count)
    }

    @Test func `values are found at paths whose keys are escaped`() {
        let bytes = Array(#"{"\u0061":{"b":["x"]},"c":{"b":"\ud83d"},"a":1}"#.utf8)
        var found: [String] = []
        JSONValueFinder.find(JSONPaths("a.b", "c.b", "a"), in: bytes.span) {
            found.append("\($0.pathIndex) \(String(decoding: bytes[$0.range], as: UTF8.self)) \($0.isEscaped)")
            return true
        }

        #expect(found == [#"0 ["x"] false"#, #"2 {"b":["x"]} false"#, #"1 "\ud83d" true"#, "2 1 false"])
    }

    @Test func `strings are found in a text that arrives byte by byte`() {
        let bytes = Array(#"{"data":[{"id":"a\u0062"},{"x":{"id":"no"}},{"id":"c"}]}"#.utf8)
        var reader = JSONStringReader(JSONPaths("data[].id"))
        var found: [String] = []
        for byte in bytes {
            let part = [byte]
            var index = 0
            while let finding = reader.next(part.span, &index) {
                found.append(String(decoding: finding.text ?? [], as: UTF8.self))
            }
        }

        #expect(found == ["ab", "c"])
        #expect(reader.hasEnded)
    }
}
