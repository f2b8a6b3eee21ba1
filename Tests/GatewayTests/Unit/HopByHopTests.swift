import HTTPTypes
import Testing

@testable import Gateway

@Suite("Fields of one connection (RFC 9110 §7.6.1)")
struct HopByHopTests {
    private func heldBack(_ fields: FieldList) -> [Bool] {
        let hopByHop = HopByHop(fields)
        return (0..<fields.count).map { hopByHop.holdsBack(fields.knownName(at: $0), fields.name(at: $0).span) }
    }

    @Test(
        "These stay on their connection, whether Connection names them or not",
        arguments: [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE",
            "Trailer", "Transfer-Encoding", "Upgrade",
        ])
    func always(name: String) {
        #expect(heldBack(FieldList([name: "a", "X": "b"])) == [true, false])
        #expect(heldBack(FieldList([name.lowercased(): "a", name.uppercased(): "b"])) == [true, true])
    }

    @Test(
        "Any other field is passed on",
        arguments: ["Close", "Host", "X", "Cookie", "Content-Length", "Via", "Connections"])
    func passedOn(name: String) {
        #expect(heldBack(FieldList([name: "a"])) == [false])
    }

    @Test(
        "Whatever Connection names is held back, its own options' names too",
        arguments: [
            ("close", "Close"), ("Keep-Alive", "keep-alive"), ("x-one", "X-One"), ("close, X-ONE", "x-one"),
            ("x-one, close", "close"), (" ,x-one\t,", "X-One"), ("cookie", "Cookie"), ("host", "Host"),
        ])
    func named(connection: String, name: String) {
        #expect(heldBack(FieldList(["Connection": connection, name: "a", "X-Other": "b"])) == [true, true, false])
        // The field also applies to the fields before it.
        #expect(heldBack(FieldList(["X-Other": "b", name: "a", "Connection": connection])) == [false, true, true])
    }

    @Test("Several Connection fields add up")
    func severalFields() {
        let fields = FieldList([
            "Connection": "x-one", "X-One": "a", "X-Two": "b", "connection": "x-two", "X-Three": "c",
        ])
        #expect(heldBack(fields) == [true, true, true, true, false])
    }

    @Test("A name is held back as a whole, not by its beginning")
    func wholeNames() {
        let fields = FieldList(["Connection": "x-one", "X-On": "a", "X-One-More": "b", "XX-One": "c"])
        #expect(heldBack(fields) == [true, false, false, false])
    }

    @Test("32 options count, keep-alive not among them: a head that names more names them in vain")
    func mostOptions() {
        let options = (1...33).map { "x-\($0)" }
        let fields = FieldList([
            "Connection": "keep-alive, " + options.joined(separator: ", "), "X-1": "a", "X-32": "b", "X-33": "c",
            "Keep-Alive": "d",
        ])
        #expect(heldBack(fields) == [true, true, true, false, true])
    }
}
