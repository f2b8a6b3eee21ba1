import HTTPTypes
import Testing

@Suite("Methods (RFC 9110 §9)")
struct MethodTests {
    static let known: [(String, Method, isIdempotent: Bool)] = [
        ("GET", .get, true), ("HEAD", .head, true), ("POST", .post, false), ("PUT", .put, true),
        ("DELETE", .delete, true), ("PATCH", .patch, false), ("OPTIONS", .options, true), ("CONNECT", .connect, false),
        ("TRACE", .trace, true),
    ]

    @Test("A method is known by its name, and by that spelling only")
    func names() {
        for (name, method, _) in Self.known {
            #expect(Method(name: name) == method)
            for other in [name.lowercased(), name + " ", " " + name, name + "S", String(name.dropLast())] {
                #expect(Method(name: other) == .other)
            }
        }
    }

    @Test("Any other name is another method", arguments: ["", "PROPFIND", "QUERY", "*", "G\u{c9}T"])
    func others(name: String) {
        #expect(Method(name: name) == .other)
    }

    @Test("These can be sent again without harm (RFC 9110 §9.2.2)")
    func idempotent() {
        for (_, method, isIdempotent) in Self.known { #expect(method.isIdempotent == isIdempotent) }
        #expect(!Method.other.isIdempotent)
    }
}
