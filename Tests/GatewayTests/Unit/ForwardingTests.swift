import HTTPServer
import HTTPTypes
import Testing

@testable import Gateway

/// The heads that are passed on, made out of those that came.
@Suite struct ForwardingTests {
    private static func fields(_ pairs: [(String, String)]) -> FieldList {
        var list = FieldList()
        for (name, value) in pairs { list.append(name, value) }
        return list
    }

    private static func text(_ fields: FieldList) -> [String] {
        (0..<fields.count).map {
            "\(String(decoding: fields.name(at: $0), as: UTF8.self)): \(String(decoding: fields.value(at: $0), as: UTF8.self))"
        }
    }

    private static func request(
        _ pairs: [(String, String)], version: Version = .http11, isUpgrade: Bool = false,
        authorization: String? = "Basic x"
    ) -> [String] {
        var head = RequestHead()
        head.version = version
        head.fields = fields(pairs)
        return text(
            RequestForwarding.fields(
                of: head, from: Array("192.0.2.1".utf8), authorization: authorization.map { Array($0.utf8) },
                isUpgrade: isUpgrade))
    }

    @Test func aRequestsFieldsArePassedOnInOrder() {
        let got = Self.request([
            ("Host", "h"), ("aCcept", "*/*"), ("Authorization", "Bearer secret"), ("X", "1"), ("Content-Length", "5"),
            ("Expect", "100-continue"), ("x", "2"), ("Connection", "keep-alive, Y"), ("y", "3"), ("TE", "trailers"),
        ])
        #expect(
            got == [
                "aCcept: */*", "X: 1", "x: 2", "Authorization: Basic x", "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Proto: http", "X-Forwarded-Host: h", "Via: 1.1 viberemote-gateway",
            ])
    }

    @Test func forwardingFieldsAreContinued() {
        let got = Self.request(
            [
                ("X-Forwarded-For", "a"), ("x-forwarded-for", "b"), ("Host", "h"), ("X-Forwarded-Host", "outer"),
                ("X-Forwarded-Proto", "https"), ("Via", "2 edge"),
            ], version: .http10, authorization: nil)
        #expect(
            got == [
                "X-Forwarded-For: a, b, 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: outer",
                "Via: 2 edge, 1.0 viberemote-gateway",
            ])
    }

    @Test func anUpgradeIsOfferedAnew() {
        let got = Self.request(
            [("Connection", "Upgrade, X"), ("Upgrade", "h2c, websocket"), ("X", "1")], isUpgrade: true)
        #expect(got.prefix(2) == ["Connection: Upgrade", "Upgrade: websocket"])
        #expect(!got.contains("X: 1"))
    }

    @Test func theClientsCredentialsNeverGoThrough() {
        let got = Self.request(
            [
                ("Authorization", "Bearer secret"), ("authorization", "Bearer secret"),
                ("Proxy-Authorization", "Basic secret"),
            ],
            authorization: nil)
        #expect(!got.contains { $0.contains("secret") })
    }

    @Test func anAnswersFieldsArePassedOnInOrder() {
        var head = ResponseHead(status: 200)
        head.fields = Self.fields([
            ("Set-Cookie", "a"), ("Connection", "X-Named"), ("Content-Length", "5"), ("x-named", "1"),
            ("set-cookie", "b"),
            ("Keep-Alive", "x"), ("Content-Encoding", "gzip"), ("Trailer", "T"), ("Cache-Control", "no-store"),
        ])
        let got = ResponseForwarding.head(head)
        #expect(got.status == 200)
        #expect(
            Self.text(got.fields) == [
                "Set-Cookie: a", "set-cookie: b", "Content-Encoding: gzip", "Cache-Control: no-store",
            ])
    }

    @Test func aStreamsWordsAboutCachingAreReplaced() {
        var head = ResponseHead(status: 200)
        head.fields = Self.fields([
            ("Cache-Control", "private"), ("Content-Type", "text/event-stream"), ("cache-control", "x"),
            ("x-accel-buffering", "yes"), ("Vary", "Origin"),
        ])
        #expect(
            Self.text(ResponseForwarding.head(head).fields) == [
                "Content-Type: text/event-stream", "Vary: Origin", "Cache-Control: no-cache, no-transform",
                "X-Accel-Buffering: no",
            ])
    }

    @Test func theBodysLengthIsToldAsFarAsItIsKnown() {
        var head = ResponseHead(status: 200)
        #expect(ResponseForwarding.length(.chunked, head) == .unknown)
        #expect(ResponseForwarding.length(.untilClose, head) == .unknown)
        #expect(ResponseForwarding.length(.none, head) == .none(announced: nil))
        head.fields.append("Content-Length", "17")
        #expect(ResponseForwarding.length(.length(17), head) == .known(17))
        #expect(ResponseForwarding.length(.none, head) == .none(announced: 17))
    }
}
