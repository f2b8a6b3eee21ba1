// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

/// Tests that decoding JSON of a known shape succeeds or fails as a whole.
@Suite struct JSONReadableTests {
    private struct Server: JSONReadable, Equatable {
        var name: String
        var port: UInt16? = nil
        var tags: [String]? = nil

        init(name: String, port: UInt16? = nil, tags: [String]? = nil) {
            self.name = name
            self.port = port
            self.tags = tags
        }

        init(json: JSON) throws(JSONMismatch) {
            name = try json.required("name")
            port = try json.optional("port")
            tags = try json.optional("tags")
        }
    }

    private func decode<Value: JSONReadable>(_ text: String) -> Value? { Value(jsonText: Array(text.utf8)) }

    @Test func `known members are read and unknown members are ignored`() {
        let text = #" {"other":[{}],"name":"aé","port":80,"tags":["x",""]} "#
        let server = Server(name: "aé", port: 80, tags: ["x", ""])

        #expect(decode(text) == server)
        #expect(decode("[\(text),{\"name\":\"b\"}]") == [server, Server(name: "b")])
    }

    @Test(arguments: [#"{"name":"a"}"#, #"{"name":"a","port":null,"tags":null}"#])
    func `an optional member may be missing or null`(text: String) {
        #expect(decode(text) == Server(name: "a"))
    }

    @Test(arguments: [
        "", "null", "[]", #""a""#, "{}", #"{"name":null}"#, #"{"name":1}"#, #"{"name":"\ud83d"}"#,
        #"{"name":"a","port":"80"}"#, #"{"name":"a","port":65536}"#, #"{"name":"a","port":-1}"#,
        #"{"name":"a","port":1.5}"#, #"{"name":"a","port":true}"#, #"{"name":"a","tags":"x"}"#,
        #"{"name":"a","tags":["x",1]}"#, #"{"name":"a","tags":[null]}"#, #"{"name":"a"} x"#,
    ])
    func `a member of the wrong type rejects the whole value`(text: String) {
        #expect(decode(text) == Server?.none)
        #expect(decode("[\(text)]") == [Server]?.none || text.isEmpty)
    }

    @Test func `JSON that is not UTF-8 is rejected`() {
        let text = Array(#"{"name":"a"}"#.utf8)

        #expect(Server(jsonText: text) == Server(name: "a"))
        #expect(Server(jsonText: text.map { $0 == UInt8(ascii: "a") ? 0xFF : $0 }) == nil)
        #expect(Server(jsonText: Array(#"{"name":"a","other":""#.utf8) + [0xC3, 0x22, 0x7D]) == nil)
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("58", 58), ("58.0", 58), ("5.8e1", 58), ("-2147483648", Int32.min), ("2147483647", .max),
        ("2147483648", nil), ("1e400", nil), ("0.5", nil), ("\"58\"", nil), ("true", nil), ("null", nil),
    ])
    func `a number is read only if its type can represent it`(text: String, number: Int32?) {
        #expect(decode(text) == number)
        #expect(decode(text) == number.map { Int($0) } || text.hasPrefix("2147483648"))
    }

    @Test func `a large integer keeps its digits, and one out of range is rejected`() {
        #expect(decode("9223372036854775807") == Int.max)
        #expect(decode("9223372036854775808") == Int?.none)
    }

    @Test func `only the literals true and false are read as Booleans`() {
        #expect(decode("true") == true)
        #expect(decode("false") == false)

        for text in ["1", "0", "\"true\"", "null"] { #expect(decode(text) == Bool?.none, "\(text)") }
    }
}
