import HTTPTypes
import Testing

@testable import Gateway

@Suite("The fields that an instance gets")
struct RequestForwardingTests {
    private func forwarded(
        _ fields: KeyValuePairs<String, String>, version: Version = .http11, authorization: String? = nil,
        isUpgrade: Bool = false, isTrusted: Bool = false
    ) -> [String] {
        let head = RequestHead()
        head.version = version
        head.fields = FieldList(fields)
        return RequestForwarding.fields(
            of: head, from: Array("192.0.2.7".utf8), isTrusted: isTrusted,
            authorization: authorization.map { Array($0.utf8) },
            isUpgrade: isUpgrade
        ).lines
    }

    /// The fields that the gateway adds to a request with this Host.
    private let added = [
        "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: http", "X-Forwarded-Host: h", "Via: 1.1 viberemote-gateway",
    ]

    @Test("Order, spelling and duplicates stay; what the gateway sees itself stands at the end")
    func passedOn() {
        let fields: KeyValuePairs = [
            "accept": "*/*", "Host": "h", "Cookie": "a=1", "X-EMPTY": "", "cookie": "b=2", "Content-Type": "text/plain",
            "Accept-Encoding": "gzip", "Date": "now", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
        ]
        let passed = [
            "accept: */*", "Cookie: a=1", "X-EMPTY: ", "cookie: b=2", "Content-Type: text/plain",
            "Accept-Encoding: gzip", "Date: now", "Cache-Control: no-cache", "X-Accel-Buffering: no",
        ]
        #expect(forwarded(fields) == passed + added)
    }

    @Test(
        arguments: [
            ("vibe.secret", nil), ("chat", "chat"), ("chat, vibe.secret", "chat"), ("vibe.secret,chat,", "chat"),
            ("VIBE.secret , a ,b", "a, b"), (",", nil), ("vibe", "vibe"), ("a.vibe.secret", "a.vibe.secret"),
        ])
    func `subprotocols that can carry a key are not passed on`(offered: String, passed: String?) {
        for name in ["Sec-WebSocket-Protocol", "sec-websocket-protocol"] {
            let expected = passed.map { ["\(name): \($0)"] } ?? []
            #expect(Set(forwarded([name: offered, "Host": "h"])) == Set(expected + added))
        }
    }

    @Test(
        "These are not passed on: they are about this connection, or made anew",
        arguments: [
            "Authorization", "AUTHORIZATION", "Content-Length", "Expect", "Connection", "Keep-Alive",
            "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
            "Upgrade",
        ])
    func dropped(name: String) {
        #expect(forwarded([name: "secret", "Host": "h", "X": "y", name.lowercased(): "secret"]) == ["X: y"] + added)
    }

    @Test("What Connection names is not passed on")
    func named() {
        #expect(
            forwarded(["Host": "h", "Connection": "close, x-one", "X-One": "a", "X-Two": "b"]) == ["X-Two: b"] + added)
    }

    @Test("The client's key never reaches the instance, which gets its own credentials")
    func credentials() {
        let fields: KeyValuePairs = ["Authorization": "Bearer key", "Host": "h", "authorization": "Bearer other"]
        #expect(forwarded(fields) == added)
        #expect(forwarded(fields, authorization: "Basic YTpi") == ["Authorization: Basic YTpi"] + added)
    }

    private static let told: KeyValuePairs = [
        "X-Forwarded-For": "203.0.113.1", "Host": "h", "via": "1.0 a",
        "x-forwarded-for": "203.0.113.2, 203.0.113.3", "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "example.com", "Via": "2 b", "Forwarded": "for=203.0.113.1",
        "X-FORWARDED-Prefix": "/p", "x-real-ip": "203.0.113.1",
    ]

    @Test("What anybody says of where a request comes from is replaced; only Via goes on (RFC 9110 §7.6.3)")
    func notBelieved() {
        #expect(forwarded(Self.told) == added.dropLast() + ["Via: 1.0 a, 2 b, 1.1 viberemote-gateway"])
    }

    @Test("What a trusted proxy has said is continued (RFC 9110 §5.3)")
    func continued() {
        #expect(
            forwarded(Self.told, isTrusted: true) == [
                "Forwarded: for=203.0.113.1", "X-FORWARDED-Prefix: /p", "x-real-ip: 203.0.113.1",
                "X-Forwarded-For: 203.0.113.1, 203.0.113.2, 203.0.113.3, 192.0.2.7", "X-Forwarded-Proto: https",
                "X-Forwarded-Host: example.com", "Via: 1.0 a, 2 b, 1.1 viberemote-gateway",
            ])
    }

    @Test("A trusted proxy that has said nothing stands for its client")
    func silentProxy() {
        #expect(forwarded(["Host": "h"], isTrusted: true) == added)
    }

    @Test("Via tells the version that the client spoke (RFC 9110 §7.6.3); without Host no host is told")
    func http10() {
        #expect(
            forwarded([:], version: .http10) == [
                "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: http", "Via: 1.0 viberemote-gateway",
            ])
    }

    @Test("An upgrade is asked for anew, for WebSocket alone; its own fields are passed on")
    func upgrade() {
        let fields: KeyValuePairs = [
            "Host": "h", "Connection": "keep-alive, Upgrade", "Upgrade": "h2c, WebSocket", "Sec-WebSocket-Key": "k",
            "Sec-WebSocket-Version": "13", "HTTP2-Settings": "s",
        ]
        let own = ["Sec-WebSocket-Key: k", "Sec-WebSocket-Version: 13", "HTTP2-Settings: s"]
        #expect(forwarded(fields, isUpgrade: true) == own + ["Connection: Upgrade", "Upgrade: websocket"] + added)
        #expect(forwarded(fields) == own + added)
    }

    @Test(
        "WebSocket is asked for by Upgrade together with Connection's option, in HTTP/1.1 (RFC 9110 §7.8)",
        arguments: [
            (["Connection": "Upgrade", "Upgrade": "websocket"], true),
            (["upgrade": "WebSocket", "connection": "keep-alive,UPGRADE"], true),
            (["Connection": "keep-alive", "Connection": "upgrade", "Upgrade": "h2c", "Upgrade": "websocket"], true),
            (["Upgrade": "websocket"], false), (["Connection": "Upgrade"], false),
            (["Connection": "close", "Upgrade": "websocket"], false),
            (["Connection": "Upgrade", "Upgrade": "h2c"], false),
            (["Connection": "Upgrade", "Upgrade": "websocket/13"], false),
            (["Connection": "websocket", "Upgrade": "upgrade"], false), ([:], false),
        ] as [(KeyValuePairs<String, String>, Bool)])
    func wantsUpgrade(fields: KeyValuePairs<String, String>, wants: Bool) {
        let head = RequestHead()
        head.fields = FieldList(fields)
        #expect(RequestForwarding.wantsUpgrade(head) == wants)
        head.version = .http10
        #expect(!RequestForwarding.wantsUpgrade(head))
    }
}
