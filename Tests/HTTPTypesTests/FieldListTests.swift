// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import HTTPTypes
import Testing

@Suite("A head's fields (RFC 9110 §5)")
struct FieldListTests {
    @Test func `fields keep their order, spelling and number`() {
        let fields = FieldList([
            "Set-Cookie": "a=1", "x-UPPER": "B", "SET-COOKIE": "a=2", "Host": "h", "set-cookie": "a=1",
        ])

        #expect(fields.count == 5)
        #expect(fields.lines == ["Set-Cookie: a=1", "x-UPPER: B", "SET-COOKIE: a=2", "Host: h", "set-cookie: a=1"])
        #expect(fields.byteCount == fields.lines.joined().utf8.count + 5 * "\r\n".utf8.count)
    }

    @Test(
        arguments: [
            ("a", "a"), (" a", "a"), ("a ", "a"), (" \t a\t \t", "a"), ("a b\tc", "a b\tc"), ("", ""), (" ", ""),
            ("\t \t", ""), ("\u{a0}a\u{a0}", "\u{a0}a\u{a0}"),
        ])
    func `white space around a value is removed, and white space inside the value is kept (RFC 9110, section 5.5)`(
        value: String, kept: String
    ) {
        #expect(FieldList(["X": value, "Y": "y"]).lines == ["X: \(kept)", "Y: y"])
    }

    @Test func `value bytes above 0x7F are kept even if they are not UTF-8`() {
        var fields = FieldList()
        let value: [UInt8] = [0xff, 0x80, 0xfe]
        fields.append(name: "X".bytes.span, value: value.span)

        #expect(fields.value(at: 0).elementsEqual(value))
    }

    @Test func `all ways to append a field produce the same field`() {
        var fields = FieldList(fields: 3, bytes: 30)
        fields.append("Content-Length", "5")
        fields.append(name: "Content-Length".bytes, value: "x5x".bytes[1..<2])
        fields.append(name: "Content-Length".bytes.span, value: "5".bytes.span)
        fields.append(nameAndValue: "Content-Length\0\t5".bytes.span, nameLength: 14)
        let name = KnownName(.contentLength, "Content-Length")
        fields.append(name, "5".bytes.span)
        fields.append(KnownLine(name, "5"))

        #expect(fields.lines == Array(repeating: "Content-Length: 5", count: 6))
        #expect(fields.wire == String(repeating: "Content-Length: 5\r\n", count: 6))
        #expect((0..<6).allSatisfy { fields.knownName(at: $0) == .contentLength })
    }

    @Test func `a field without a value has no space after its colon`() {
        var fields = FieldList()
        fields.append(KnownName(.via, "Via"), [UInt8]().span)
        fields.append("X", "")

        #expect(fields.wire == "Via:\r\nX:\r\n")
        #expect(fields.lines == ["Via: ", "X: "])
    }

    @Test(
        arguments: ["a", " a", "\ta", "a ", "a\t", "", " ", "a b", "0123456789"])
    func `a joined name and value produce the same field as their parts`(value: String) {
        for name in ["X", "Content-Length", "date"] {
            var together = FieldList(["Before": "b"])
            var byParts = together
            for between in ["\0 ", ": ", "\0\0"] {
                together.append(
                    nameAndValue: "\(name)\(between)\(value)".bytes.span, nameLength: name.utf8.count)
                byParts.append(name: name.bytes.span, value: value.bytes.span)
            }
            #expect(together.wire == byParts.wire)
            #expect(together.lines == byParts.lines)
            #expect(together.knownName(at: 1) == byParts.knownName(at: 1))
        }
    }

    @Test func `a field is found regardless of how it was added, and is not found after its removal`() {
        var fields = FieldList(["Via": "1"])
        fields.append(fieldsOf: FieldList(["Host": "h", "Upgrade": "x"])) { name, _ in name != .upgrade }

        #expect(fields.firstIndex(of: .host) == 1)
        #expect(fields.firstIndex(of: .upgrade) == nil)

        fields.keep { name, _ in name != .via }

        #expect(fields.firstIndex(of: .via) == nil)
        #expect(fields.firstIndex(of: .host) == 0)

        fields.makeRoom(fields: 1, bytes: 1)

        #expect(fields.firstIndex(of: .host) == nil)
        #expect(!fields.contains(.close, in: .connection))

        fields.append("Connection", "close")

        #expect(fields.firstIndex(of: .connection) == 0)
        #expect(fields.contains(.close, in: .connection))
    }

    @Test func `elements are visited in order across all fields of a name until one matches`() {
        let fields = FieldList(["Connection": "a, b", "Other": "x", "connection": ",c,, d"])

        for (wanted, expected) in [("c", ["a", "b", "c"]), ("a", ["a"]), ("z", ["a", "b", "c", "d"])] {
            var elements: [String] = []
            let isThere = fields.hasElement(in: .connection) { element in
                var copy: [UInt8] = []
                copy.append(copying: element)
                elements.append(copy.text)
                return copy.text == wanted
            }
            #expect(isThere == (wanted != "z"))
            #expect(elements == expected)
        }
    }

    @Test(
        arguments: [
            "a", " a", "  a", "\ta", " \ta", "a ", " a ", " a\t", "", " ", "  ", "\t", "a b", " a b", " a:b", " a: b",
            " \u{a0}",
        ])
    func `a field appended as a line equals the field of its parts`(value: String) {
        for name in ["X", "Content-Length", "date"] {
            var byLine = FieldList()
            var byParts = FieldList()
            for fields in 1...2 {
                byLine.append(line: "\(name):\(value)\r\n".bytes.span, colon: name.utf8.count)
                byParts.append(name: name.bytes.span, value: value.bytes.span)
                #expect(byLine.wire == byParts.wire)
                #expect(byLine.lines == byParts.lines)
                #expect(byLine.count == fields)
                #expect(byLine.knownName(at: fields - 1) == byParts.knownName(at: fields - 1))
            }
        }
    }

    @Test func `copied fields keep their order, spelling, value and known name`() {
        let other = FieldList(["X": "1", "hOST": "example.com", "Empty": ""])
        var fields = FieldList(["Before": "b"])
        fields.append(fieldsOf: other) { _, spelling in spelling.count != 1 }
        fields.append("After", "a")

        #expect(fields.lines == ["Before: b", "hOST: example.com", "Empty: ", "After: a"])
        #expect(fields.first(.host).map(\.text) == "example.com")
        #expect(fields.knownName(at: 1) == .host)
        #expect(fields.knownName(at: 3) == .other)
    }

    @Test func `a continued list field has all earlier values, then the new one (RFC 9110, section 5.3)`() {
        let other = FieldList(["Via": "1.0 a, 1.1 b", "X-Via": "no", "VIA": "1.1 c", "via": "1.1 d"])
        var fields = FieldList(["Before": "b"])
        fields.append(KnownName(.via, "Via"), continuing: other, with: "1.1 e".bytes)
        fields.append(KnownName(.forwardedFor, "X-Forwarded-For"), continuing: other, with: "127.0.0.1".bytes)

        #expect(fields.lines == ["Before: b", "Via: 1.0 a, 1.1 b, 1.1 c, 1.1 d, 1.1 e", "X-Forwarded-For: 127.0.0.1"])
        #expect(fields.knownName(at: 1) == .via)
    }

    @Test func `the first field of a name is found, and the next one after it`() {
        let fields = FieldList(["A": "1", "Upgrade": "x", "upgrade": "y", "Host": "h"])

        #expect(fields.firstIndex(of: .upgrade) == 1)
        #expect(fields.firstIndex(of: .upgrade, from: 2) == 2)
        #expect(fields.firstIndex(of: .upgrade, from: 3) == nil)
        #expect(fields.first(.upgrade).map(\.text) == "x")
        #expect(fields.firstIndex(of: .via) == nil)
        #expect(fields.first(.via) == nil)
    }

    @Test(
        arguments: [
            (["close"], true), (["Close"], true), (["keep-alive, CLOSE"], true), (["close,keep-alive"], true),
            ([" ,, close\t, ,"], true), (["keep-alive", "x,close"], true), ([], false), ([""], false),
            (["closed"], false), (["x-close"], false), (["clos"], false), (["close;q=1"], false), (["close x"], false),
            (["\"close\""], false), (["keep-alive", "upgrade"], false),
        ])
    func `a token is found in any case and at any place of a name's fields (RFC 9110, section 5.6.1)`(
        values: [String], isFound: Bool
    ) {
        var fields = FieldList(["Upgrade": "close", "X-Connection": "close"])
        for value in values { fields.append("Connection", value) }

        #expect(fields.contains(.close, in: .connection) == isFound)
    }

    @Test func `an emptied list has no old fields and accepts new ones`() {
        var fields = FieldList(["Host": "old", "Connection": "close"])
        fields.removeAll()

        #expect(fields.count == 0)
        #expect(fields.byteCount == 0)
        #expect(fields.first(.host) == nil)
        #expect(!fields.contains(.close, in: .connection))
        #expect(fields.wire == "")

        fields.append("A", "b")

        #expect(fields.wire == "A: b\r\n")
    }

    @Test func `removed fields leave the others unchanged, also on the wire`() {
        var fields = FieldList(["A": "1", "Connection": "close", "Host": "h", "connection": "x", "B": "2"])
        fields.keep { field, _ in field != .connection }

        #expect(fields.lines == ["A: 1", "Host: h", "B: 2"])
        #expect(fields.wire == "A: 1\r\nHost: h\r\nB: 2\r\n")

        fields.append("C", "3")
        fields.keep { _, spelling in spelling.count == 1 }

        #expect(fields.wire == "A: 1\r\nB: 2\r\nC: 3\r\n")

        fields.removeAll()
        fields.append("D", "4")

        #expect(fields.wire == "D: 4\r\n")
    }

    @Test func `withFirst passes the value of a name's first field, or returns nil if there is no such field`() {
        let fields = FieldList(["A": "1", "Host": "h", "host": "i"])

        #expect(fields.withFirst(.host) { $0.count == 1 && $0[0] == UInt8(ascii: "h") } == true)
        #expect(fields.withFirst(.via) { _ in true } == nil)
    }

    @Test func `fields are appended as lines, without a space before an empty value`() {
        var text = "GET / HTTP/1.1\r\n".bytes
        FieldList(["Host": "example.com", "X-Empty": "", "x": " y "]).appendLines(to: &text)

        #expect(text.text == "GET / HTTP/1.1\r\nHost: example.com\r\nX-Empty:\r\nx: y\r\n")
    }

    @Test func `control characters other than HTAB and DEL are detected in names and values`() {
        #expect(FieldList().hasNoControlCharacter)
        #expect(FieldList(["A": "b\tc\u{e9}\u{7f}", "": ""]).hasNoControlCharacter)

        for character in ["\0", "\u{1}", "\n", "\r", "\u{1f}"] {
            #expect(!FieldList(["A": "b", "C": "d\(character)e"]).hasNoControlCharacter)
            #expect(!FieldList(["A\(character)": "b", "C": "d"]).hasNoControlCharacter)
        }
    }

    @Test func `a copy of a list does not change with the original`() {
        var fields = FieldList(["A": "1"])
        let copy = fields
        fields.append("B", "2")

        #expect(copy.lines == ["A: 1"])
    }
}
