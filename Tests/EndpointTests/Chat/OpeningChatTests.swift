import Access
import Testing
import WebSockets

@testable import Gateway

/// What happens between a client's being let in and its socket's opening.
@Suite struct OpeningChatTests {
    private static func keys(_ keys: [(name: String, secret: String)]) -> KeyTable {
        KeyTable(keys: keys.map { ($0.name, Array($0.secret.utf8)) })
    }

    private let before = keys([("one", "the first key is long enough"), ("two", "the second key is long")])
    /// The first has another name now, the second another key.
    private let after = keys([("uno", "the first key is long enough"), ("two", "another key that is long")])

    private func code(_ name: String?, hasRoom: Bool = true, under keys: KeyTable) -> CloseCode? {
        ChatAdmission(principal: name.map { Principal(name: $0) }, keys: before, hasRoom: hasRoom)
            .refusal(under: keys)?.code
    }

    @Test("A key that is revoked meanwhile ends its socket with 1008, and no others")
    func revoked() {
        #expect(code("two", under: after) == .policyViolation)
        for name in ["one", nil] { #expect(code(name, under: after) == nil) }
        #expect(code("two", under: before) == nil)
    }

    @Test("Without room the end comes with 1013, but whose key was revoked need not come again")
    func room() {
        #expect(code("one", hasRoom: false, under: after) == .tryAgainLater)
        #expect(code("two", hasRoom: false, under: after) == .policyViolation)
    }
}
