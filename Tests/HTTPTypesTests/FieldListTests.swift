import HTTPTypes
import Testing

/// Fields stay in the order, spelling and number in which they came.
@Suite struct FieldListTests {
    private static func list(_ fields: [(String, String)]) -> FieldList {
        var list = FieldList()
        for (name, value) in fields { list.append(name, value) }
        return list
    }

    private static func text(_ bytes: ArraySlice<UInt8>?) -> String? {
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func orderSpellingAndDuplicatesStay() {
        let list = Self.list([("Set-Cookie", "a"), ("X-One", ""), ("set-cookie", "b")])
        #expect(list.count == 3)
        #expect((0..<3).map { Self.text(list.name(at: $0)) } == ["Set-Cookie", "X-One", "set-cookie"])
        #expect((0..<3).map { Self.text(list.value(at: $0)) } == ["a", "", "b"])
    }

    @Test func namesAreKnownInAnySpelling() {
        let list = Self.list([("hOST", "a"), ("Hosts", "b"), ("Host", "c")])
        #expect(list.firstIndex(of: .host) == 0)
        #expect(list.firstIndex(of: .host, from: 1) == 2)
        #expect(list.firstIndex(of: .host, from: 3) == nil)
        #expect(Self.text(list.first(.host)) == "a")
        #expect(list.first(.via) == nil)
        #expect(list.knownName(at: 1) == .other)
    }

    @Test func everyKnownNameIsRecognised() {
        let names = [
            "Accept", "Authorization", "Cache-Control", "Connection", "Content-Length", "Content-Type", "Date",
            "Expect",
            "Host", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer",
            "Transfer-Encoding", "Upgrade", "Via", "X-Accel-Buffering", "X-Forwarded-For", "X-Forwarded-Host",
            "X-Forwarded-Proto",
        ]
        for spelling in [names, names.map { $0.lowercased() }, names.map { $0.uppercased() }] {
            let list = Self.list(spelling.map { ($0, "x") })
            #expect(Set((0..<list.count).map { list.knownName(at: $0) }).count == names.count)
            #expect(!(0..<list.count).contains { list.knownName(at: $0) == .other })
        }
        for name in names {
            for other in ["\(name)x", "x\(name)", String(name.dropLast()), name.replacing("-", with: "_") + "_"] {
                #expect(Self.list([(other, "x")]).knownName(at: 0) == .other, "\(other)")
            }
        }
    }

    @Test func whiteSpaceAroundABorrowedValueIsLeftOut() {
        var list = FieldList()
        let name = Array("X".utf8)
        for value in [" a b \t", "\t", "", "a"] {
            let value = Array(value.utf8)
            list.append(name: name.span, value: value.span)
        }
        #expect((0..<4).map { Self.text(list.value(at: $0)) } == ["a b", "", "", "a"])
    }

    @Test func aFieldIsCopiedFromAnotherList() {
        let source = Self.list([("A", "1"), ("Host", ""), ("Via", "2")])
        var list = Self.list([("First", "0")])
        for index in [2, 1] { list.append(fieldAt: index, of: source) }
        #expect((0..<3).map { Self.text(list.name(at: $0)) } == ["First", "Via", "Host"])
        #expect((0..<3).map { Self.text(list.value(at: $0)) } == ["0", "2", ""])
        #expect(list.knownName(at: 1) == .via)
        #expect(list.firstIndex(of: .host) == 2)
    }

    @Test func aListFieldIsContinued() {
        let source = Self.list([("via", "a"), ("X", "y"), ("Via", "b, c")])
        var list = FieldList()
        list.append(name: Array("Via".utf8), continuing: source, .via, with: Array("own".utf8))
        list.append(name: Array("Via".utf8), continuing: FieldList(), .via, with: Array("own".utf8))
        #expect(Self.text(list.value(at: 0)) == "a, b, c, own")
        #expect(Self.text(list.value(at: 1)) == "own")
    }

    @Test func linesAreWrittenAsTheyStandOnTheWire() {
        var text: [UInt8] = []
        Self.list([("A", "1"), ("Empty", ""), ("b", "2 3")]).appendLines(to: &text)
        #expect(String(decoding: text, as: UTF8.self) == "A: 1\r\nEmpty:\r\nb: 2 3\r\n")
    }

    @Test func anEmptiedListBeginsAgain() {
        var list = Self.list([("A", "1")])
        list.removeAll()
        #expect(list.count == 0)
        #expect(list.byteCount == 0)
        list.append("B", "2")
        #expect(Self.text(list.name(at: 0)) == "B")
    }

    @Test(arguments: [
        ("a, b ,c", ["a", "b", "c"]), ("", []), (",,", []), (" , a,, \t", ["a"]), ("one", ["one"]),
        ("a b,c", ["a b", "c"]),
    ])
    func theElementsOfAList(value: String, elements: [String]) {
        #expect(ListElements(Array(value.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } == elements)
    }
}
