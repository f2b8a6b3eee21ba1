import HTTPTypes
import Testing

@Suite("A head's fields (RFC 9110 §5)")
struct FieldListTests {
    @Test("Fields keep their order, their spelling and their number")
    func orderSpellingNumber() {
        let fields = FieldList([
            "Set-Cookie": "a=1", "x-UPPER": "B", "SET-COOKIE": "a=2", "Host": "h", "set-cookie": "a=1",
        ])
        #expect(fields.count == 5)
        #expect(fields.lines == ["Set-Cookie: a=1", "x-UPPER: B", "SET-COOKIE: a=2", "Host: h", "set-cookie: a=1"])
        #expect(fields.byteCount == fields.lines.joined().utf8.count + 5 * "\r\n".utf8.count)
    }

    @Test(
        "White space around a value is no part of it, white space inside is (RFC 9110 §5.5)",
        arguments: [
            ("a", "a"), (" a", "a"), ("a ", "a"), (" \t a\t \t", "a"), ("a b\tc", "a b\tc"), ("", ""), (" ", ""),
            ("\t \t", ""), ("\u{a0}a\u{a0}", "\u{a0}a\u{a0}"),
        ])
    func trimming(value: String, kept: String) {
        #expect(FieldList(["X": value, "Y": "y"]).lines == ["X: \(kept)", "Y: y"])
    }

    @Test("Bytes above 0x7F are kept as they are: they need not be UTF-8")
    func bytesAboveASCII() {
        var fields = FieldList()
        let value: [UInt8] = [0xff, 0x80, 0xfe]
        fields.append(name: "X".bytes.span, value: value.span)
        #expect(fields.value(at: 0).elementsEqual(value))
    }

    @Test("All ways to add a field give the same field")
    func waysToAdd() {
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

    @Test("A known name without a value has no space behind its colon, as any other field")
    func knownNameAlone() {
        var fields = FieldList()
        fields.append(KnownName(.via, "Via"), [UInt8]().span)
        fields.append("X", "")
        #expect(fields.wire == "Via:\r\nX:\r\n")
        #expect(fields.lines == ["Via: ", "X: "])
    }

    @Test(
        "A name and a value with two bytes between give the field that their parts give",
        arguments: ["a", " a", "\ta", "a ", "a\t", "", " ", "a b", "0123456789"])
    func nameAndValue(value: String) {
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

    @Test("What is looked for is found however it came, and not where the list was emptied or it was taken out")
    func findingAfterChanges() {
        var fields = FieldList(["Via": "1"])
        fields.append(fieldsOf: FieldList(["Host": "h", "Upgrade": "x"])) { name, _ in name != .upgrade }
        #expect(fields.firstIndex(of: .host) == 1 && fields.firstIndex(of: .upgrade) == nil)
        fields.keep { name, _ in name != .via }
        #expect(fields.firstIndex(of: .via) == nil && fields.firstIndex(of: .host) == 0)
        fields.makeRoom(fields: 1, bytes: 1)
        #expect(fields.firstIndex(of: .host) == nil && !fields.contains(.close, in: .connection))
        fields.append("Connection", "close")
        #expect(fields.firstIndex(of: .connection) == 0 && fields.contains(.close, in: .connection))
    }

    @Test("Elements are asked about in order, of all fields of the name, until one is wanted")
    func elements() {
        let fields = FieldList(["Connection": "a, b", "Other": "x", "connection": ",c,, d"])
        for (wanted, asked) in [("c", ["a", "b", "c"]), ("a", ["a"]), ("z", ["a", "b", "c", "d"])] {
            var heard: [String] = []
            let isThere = fields.hasElement(in: .connection) { element in
                var copy: [UInt8] = []
                copy.append(element)
                heard.append(copy.text)
                return copy.text == wanted
            }
            #expect(isThere == (wanted != "z"))
            #expect(heard == asked)
        }
    }

    @Test(
        "A field added by its line is the field that its parts give",
        arguments: [
            "a", " a", "  a", "\ta", " \ta", "a ", " a ", " a\t", "", " ", "  ", "\t", "a b", " a b", " a:b", " a: b",
            " \u{a0}",
        ])
    func lines(value: String) {
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

    @Test("Fields copied from another list keep order, spelling, value and meaning")
    func copies() {
        let other = FieldList(["X": "1", "hOST": "example.com", "Empty": ""])
        var fields = FieldList(["Before": "b"])
        fields.append(fieldsOf: other) { _, spelling in spelling.count != 1 }
        fields.append("After", "a")
        #expect(fields.lines == ["Before: b", "hOST: example.com", "Empty: ", "After: a"])
        #expect(fields.first(.host).map(\.text) == "example.com")
        #expect(fields.knownName(at: 1) == .host)
        #expect(fields.knownName(at: 3) == .other)
    }

    @Test("A list field is continued: all values of that name in order, then the new element (RFC 9110 §5.3)")
    func continuing() {
        let other = FieldList(["Via": "1.0 a, 1.1 b", "X-Via": "no", "VIA": "1.1 c", "via": "1.1 d"])
        var fields = FieldList(["Before": "b"])
        fields.append(KnownName(.via, "Via"), continuing: other, with: "1.1 e".bytes)
        fields.append(KnownName(.forwardedFor, "X-Forwarded-For"), continuing: other, with: "127.0.0.1".bytes)
        #expect(fields.lines == ["Before: b", "Via: 1.0 a, 1.1 b, 1.1 c, 1.1 d, 1.1 e", "X-Forwarded-For: 127.0.0.1"])
        #expect(fields.knownName(at: 1) == .via)
    }

    @Test("The first field of a name is found, and the next one behind it")
    func finding() {
        let fields = FieldList(["A": "1", "Upgrade": "x", "upgrade": "y", "Host": "h"])
        #expect(fields.firstIndex(of: .upgrade) == 1)
        #expect(fields.firstIndex(of: .upgrade, from: 2) == 2)
        #expect(fields.firstIndex(of: .upgrade, from: 3) == nil)
        #expect(fields.first(.upgrade).map(\.text) == "x")
        #expect(fields.firstIndex(of: .via) == nil)
        #expect(fields.first(.via) == nil)
    }

    @Test(
        "A token is found in any spelling, at any place of any field of that name (RFC 9110 §5.6.1)",
        arguments: [
            (["close"], true), (["Close"], true), (["keep-alive, CLOSE"], true), (["close,keep-alive"], true),
            ([" ,, close\t, ,"], true), (["keep-alive", "x,close"], true), ([], false), ([""], false),
            (["closed"], false), (["x-close"], false), (["clos"], false), (["close;q=1"], false), (["close x"], false),
            (["\"close\""], false), (["keep-alive", "upgrade"], false),
        ])
    func tokens(values: [String], isFound: Bool) {
        var fields = FieldList(["Upgrade": "close", "X-Connection": "close"])
        for value in values { fields.append("Connection", value) }
        #expect(fields.contains(.close, in: .connection) == isFound)
    }

    @Test("An emptied list holds nothing of what it held, and is filled as a new one")
    func removeAll() {
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

    @Test("Fields that are taken out leave the others as they were, also on the wire")
    func keeping() {
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

    @Test("The value of a name's first field is lent, and nothing where there is none")
    func lending() {
        let fields = FieldList(["A": "1", "Host": "h", "host": "i"])
        #expect(fields.withFirst(.host) { $0.count == 1 && $0[0] == UInt8(ascii: "h") } == true)
        #expect(fields.withFirst(.via) { _ in true } == nil)
    }

    @Test("Fields are written as lines behind what stands there; an empty value has no space before it")
    func lines() {
        var text = "GET / HTTP/1.1\r\n".bytes
        FieldList(["Host": "example.com", "X-Empty": "", "x": " y "]).appendLines(to: &text)
        #expect(text.text == "GET / HTTP/1.1\r\nHost: example.com\r\nX-Empty:\r\nx: y\r\n")
    }

    @Test("A control character in a name or a value is told, HTAB is none")
    func controlCharacters() {
        #expect(FieldList().holdsNoControlCharacter)
        #expect(FieldList(["A": "b\tc\u{e9}\u{7f}", "": ""]).holdsNoControlCharacter)
        for character in ["\0", "\u{1}", "\n", "\r", "\u{1f}"] {
            #expect(!FieldList(["A": "b", "C": "d\(character)e"]).holdsNoControlCharacter)
            #expect(!FieldList(["A\(character)": "b", "C": "d"]).holdsNoControlCharacter)
        }
    }

    @Test("A copy of a list does not follow the original")
    func values() {
        var fields = FieldList(["A": "1"])
        let copy = fields
        fields.append("B", "2")
        #expect(copy.lines == ["A: 1"])
    }
}
