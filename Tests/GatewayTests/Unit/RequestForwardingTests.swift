// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestThreads
import Testing

@testable import Proxying

@Suite("The fields of a forwarded request", .onTestThreads)
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

    @Test func `fields keep their order, spelling and duplicates, and the gateway's own fields follow`() {
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
        arguments: [
            "Authorization", "AUTHORIZATION", "Content-Length", "Expect", "Connection", "Keep-Alive",
            "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding",
            "Upgrade",
        ])
    func `Authorization, framing and hop-by-hop fields are not forwarded`(name: String) {
        #expect(forwarded([name: "secret", "Host": "h", "X": "y", name.lowercased(): "secret"]) == ["X: y"] + added)
    }

    @Test func `fields that Connection names are not forwarded`() {
        #expect(
            forwarded(["Host": "h", "Connection": "close, x-one", "X-One": "a", "X-Two": "b"]) == ["X-Two: b"] + added)
    }

    @Test func `the client's key is replaced by the instance's credentials`() {
        let fields: KeyValuePairs = ["Authorization": "Bearer key", "Host": "h", "authorization": "Bearer other"]

        #expect(forwarded(fields) == added)
        #expect(forwarded(fields, authorization: "Basic YTpi") == ["Authorization: Basic YTpi"] + added)
    }

    private static let reported: KeyValuePairs = [
        "X-Forwarded-For": "203.0.113.1", "Host": "h", "via": "1.0 a",
        "x-forwarded-for": "203.0.113.2, 203.0.113.3", "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "example.com", "Via": "2 b", "Forwarded": "for=203.0.113.1",
        "X-FORWARDED-Prefix": "/p", "x-real-ip": "203.0.113.1",
    ]

    @Test func `forwarding fields of an untrusted client are replaced, and only Via is extended`() {
        #expect(forwarded(Self.reported) == added.dropLast() + ["Via: 1.0 a, 2 b, 1.1 viberemote-gateway"])
    }

    @Test func `forwarding fields of a trusted proxy are extended`() {
        #expect(
            forwarded(Self.reported, isTrusted: true) == [
                "Forwarded: for=203.0.113.1", "X-FORWARDED-Prefix: /p", "x-real-ip: 203.0.113.1",
                "X-Forwarded-For: 203.0.113.1, 203.0.113.2, 203.0.113.3, 192.0.2.7", "X-Forwarded-Proto: https",
                "X-Forwarded-Host: example.com", "Via: 1.0 a, 2 b, 1.1 viberemote-gateway",
            ])
    }

    @Test func `a trusted proxy without forwarding fields is treated as the client`() {
        #expect(forwarded(["Host": "h"], isTrusted: true) == added)
    }

    @Test func `Via has the client's HTTP version, and without Host there is no X-Forwarded-Host`() {
        #expect(
            forwarded([:], version: .http10) == [
                "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: http", "Via: 1.0 viberemote-gateway",
            ])
    }

    @Test func `an upgrade is requested for WebSocket only, and its other fields are forwarded`() {
        let fields: KeyValuePairs = [
            "Host": "h", "Connection": "keep-alive, Upgrade", "Upgrade": "h2c, WebSocket", "Sec-WebSocket-Key": "k",
            "Sec-WebSocket-Version": "13", "HTTP2-Settings": "s",
        ]
        let own = ["Sec-WebSocket-Key: k", "Sec-WebSocket-Version: 13", "HTTP2-Settings: s"]

        #expect(forwarded(fields, isUpgrade: true) == own + ["Connection: Upgrade", "Upgrade: websocket"] + added)
        #expect(forwarded(fields) == own + added)
    }

    @Test(
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
    func `a WebSocket upgrade needs Upgrade, the Connection option and HTTP/1.1`(
        fields: KeyValuePairs<String, String>, wants: Bool
    ) {
        let head = RequestHead()
        head.fields = FieldList(fields)

        #expect(RequestForwarding.wantsUpgrade(head) == wants)

        head.version = .http10

        #expect(!RequestForwarding.wantsUpgrade(head))
    }
}
