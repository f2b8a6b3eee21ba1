import HTTPTypes
import Testing

@testable import Gateway

@Suite("Fields of one connection (RFC 9110 §7.6.1)")
struct HopByHopTests {
    @Test(
        "Whatever Connection names is held back, its own options' names too",
        arguments: [
            ("close", "Close"), ("Keep-Alive", "keep-alive"), ("x-one", "X-One"), ("close, X-ONE", "x-one"),
            ("x-one, close", "close"),
        ])
    func named(connection: String, name: String) {
        var fields = FieldList()
        fields.append("Connection", connection)
        fields.append(name, "a")
        fields.append("X-Other", "b")
        let hopByHop = HopByHop(fields)
        #expect((0..<3).map { hopByHop.holdsBack(at: $0) } == [true, true, false])
    }
}
