// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@Suite struct JSONTests {
    @Test(arguments: [
        #"{"b":1,"a":[true,false,null],"c":{}}"#, "[1.50,-0,1e+9,12345678901234567890]", #""a\"b\\c\n""#, "[]", "{}",
        #"{"a":1,"a":2}"#, #""naïve 日本語 🚀""#, #"["\ud83d","x\udc00y"]"#,
    ])
    func `JSON is written as it was read`(_ text: String) throws {
        let json = try #require(JSONParser.parse(Array(text.utf8)))

        #expect(json.shown == text)
    }

    @Test(arguments: [
        "", "{", "[1,]", #"{"a"}"#, "01", "1.", "tru", #""a"#, "\"\u{1}\"", #""\x""#, "1 2", #""\u12g4""#, "{a:1}",
        String(repeating: "[", count: 129) + String(repeating: "]", count: 129),
    ])
    func `each invalid JSON text is rejected`(_ text: String) {
        #expect(JSONParser.parse(Array(text.utf8)) == nil)
    }

    @Test func `JSON text keeps the order of members and escapes strings`() {
        let value: JSON = ["b": [1, true, .null, "\"\n"], "a": [:], "c": []]

        #expect(String(decoding: value.bytes, as: UTF8.self) == #"{"b":[1,true,null,"\"\n"],"a":{},"c":[]}"#)
    }

    @Test func `the escapes of a string are decoded`() throws {
        let json = try #require(JSONParser.parse(Array(#""\u00e9\ud83d\ude80\/\t""#.utf8)))

        #expect(json == .string("é🚀/\t"))
    }

    @Test func `an unpaired surrogate keeps its bytes and is read as U+FFFD`() throws {
        let json = try #require(JSONParser.parse(Array(#""a\ud83d""#.utf8)))

        #expect(json.text == "a\u{FFFD}")
        #expect(json.shown == #""a\ud83d""#)
    }

    @Test(arguments: [
        (#"\ud83d\n"#, "\u{FFFD}\n"), (#"\ud83dx"#, "\u{FFFD}x"), (#"x\ud83d\ud83d\ude00y"#, "x\u{FFFD}😀y"),
        (#"\ude00\ud83d"#, "\u{FFFD}\u{FFFD}"), (#"\ud83d\u0041"#, "\u{FFFD}A"),
    ])
    func `a surrogate forms a pair only with the next escape`(escaped: String, text: String) throws {
        let json = try #require(JSONParser.parse(Array("[\"\(escaped)\"]".utf8)))

        #expect(json.array?.first?.text == text)
        #expect(json.shown == "[\"\(escaped)\"]")
    }

    @Test func `the text between escapes is kept`() throws {
        let long = String(repeating: "naïve 日本語 ", count: 1_000)
        let json = try #require(JSONParser.parse(Array(#"{"a":"\t\#(long)\n\#(long)\\"}"#.utf8)))

        #expect(json["a"] == .string("\t\(long)\n\(long)\\"))
    }

    @Test func `the last of several members with the same name applies`() throws {
        var object = try #require(JSONParser.parse(Array(#"{"a":1,"b":2,"a":"x"}"#.utf8))?.object)

        #expect(object["a"] == "x")
        #expect(object.text("a") == "x")
        #expect(object.number("b") == 2)
        #expect(object.text("a") == nil)
        #expect(JSON.object(object).shown == "{}")
    }
}

extension JSON {
    /// The JSON as text for failure messages.
    fileprivate var shown: String { String(decoding: bytes, as: UTF8.self) }
}
