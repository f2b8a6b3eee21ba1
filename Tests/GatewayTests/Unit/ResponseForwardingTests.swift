// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import TestThreads
import Testing

@testable import GatewayCore
@testable import Proxying

@Suite("The fields of a forwarded response", .onTestThreads)
struct ResponseForwardingTests {
    private func forwarded(_ fields: KeyValuePairs<String, String>, status: Int = 200) -> [String] {
        ResponseForwarding.head(ResponseHead(status: status, fields: FieldList(fields))).fields.lines
    }

    @Test(arguments: [200, 204, 302, 404, 500, 599])
    func `the status and the order, spelling and duplicates of fields are kept`(status: Int) {
        let fields: KeyValuePairs = [
            "Set-Cookie": "a=1", "content-TYPE": "application/json", "Set-Cookie": "b=2", "X-Empty": "",
            "Content-Encoding": "gzip", "Cache-Control": "max-age=5", "X-Accel-Buffering": "yes", "Date": "now",
            "Via": "1.1 a",
        ]
        let head = ResponseForwarding.head(ResponseHead(status: status, fields: FieldList(fields)))

        #expect(head.status == status)
        #expect(head.fields.lines == FieldList(fields).lines)
    }

    @Test(
        arguments: [
            "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Authenticate",
            "Proxy-Connection", "TE", "Trailer", "Upgrade",
        ])
    func `hop-by-hop and framing fields of the instance are not forwarded`(name: String) {
        #expect(forwarded(["A": "1", name: "x", name.lowercased(): "x", "B": "2"]) == ["A: 1", "B: 2"])
    }

    @Test func `fields that Connection names are not forwarded`() {
        #expect(forwarded(["X-One": "a", "Connection": "x-one", "X-Two": "b"]) == ["X-Two: b"])
    }

    @Test func `the fields of an event stream disable caching and buffering, once each`() {
        let fields: KeyValuePairs = [
            "Content-Type": "text/event-stream", "Cache-Control": "max-age=5", "x-accel-buffering": "yes", "X": "y",
            "cache-control": "public",
        ]

        #expect(
            forwarded(fields) == [
                "Content-Type: text/event-stream", "X: y", "Cache-Control: no-cache, no-transform",
                "X-Accel-Buffering: no",
            ])
        // An error is never a stream, regardless of its declared type.
        #expect(forwarded(fields, status: 500) == FieldList(fields).lines)
    }

    @Test func `Origin appears only once in Vary`() {
        let terms = AllowedOrigins(["https://app.example.com"]).terms(for: FieldList())

        for (received, expected) in [
            ("Origin", ["Origin"]), ("Accept-Encoding, origin", ["Accept-Encoding, origin"]),
            ("Accept-Encoding", ["Accept-Encoding", "Origin"]), ("X-Origin", ["X-Origin", "Origin"]),
        ] {
            let head = ResponseForwarding.head(ResponseHead(status: 200, fields: FieldList(["Vary": received])), terms)
            #expect(head.fields.lines == expected.map { "Vary: \($0)" })
        }
    }

    @Test func `a 101 keeps Upgrade, but no other hop-by-hop or framing field`() {
        let fields: KeyValuePairs = [
            "Upgrade": "websocket", "Connection": "Upgrade, x-one", "Sec-WebSocket-Accept": "a", "X-One": "b",
            "Content-Length": "0", "Keep-Alive": "timeout=5", "Transfer-Encoding": "chunked",
        ]
        let head = ResponseForwarding.upgradeHead(ResponseHead(status: 101, fields: FieldList(fields)))

        #expect(head.status == 101)
        #expect(head.fields.lines == ["Upgrade: websocket", "Sec-WebSocket-Accept: a"])
    }

    @Test func `trailers are forwarded, except for fields that the gateway interprets`() {
        let trailers = FieldList([
            "X-Sum": "1", "Content-Length": "5", "x-sum": "2", "Transfer-Encoding": "chunked", "Host": "h",
            "Authorization": "a", "Connection": "close", "Content-Type": "b", "Server-Timing": "c",
        ])

        #expect(ResponseForwarding.trailers(trailers).lines == ["X-Sum: 1", "x-sum: 2", "Server-Timing: c"])
        #expect(ResponseForwarding.trailers(FieldList()).count == 0)
    }

    private func length(_ framing: ResponseFraming, _ fields: KeyValuePairs<String, String> = [:]) -> BodyLength {
        ResponseForwarding.length(framing, ResponseHead(status: 200, fields: FieldList(fields)))
    }

    @Test func `the body's length is announced only if the instance has announced it`() {
        #expect(length(.length(5), ["Content-Length": "5"]) == .known(5))
        #expect(length(.length(0), ["Content-Length": "0"]) == .known(0))
        #expect(length(.chunked) == .unknown)
        #expect(length(.untilClose) == .unknown)
        // A response to HEAD and a 304 contain the length of the corresponding response to GET (RFC 9110 §8.6).
        #expect(length(.none, ["Content-Length": "5"]) == .none(announced: 5))
        #expect(length(.none) == .none(announced: nil))
    }

    @Test(
        arguments: [
            ("Basic realm=\"Secure Area\"", true), ("basic", true), ("BASIC realm=x", true),
            ("Bearer realm=\"x\", Basic realm=\"y\"", true), ("Negotiate, Basic", true),
            ("Bearer", false), ("Bearer realm=\"x\"", false), ("Digest realm=\"Basic\", qop=\"auth\"", false),
            ("Basically realm=x", false), ("", false), ("Bearer realm=\"a, Basic b\"", false),
            (#"Bearer realm="a\", Basic b""#, false), (#"Bearer realm="a\\", Basic"#, true),
        ])
    func `only a 401 with a Basic challenge is a rejection of the instance's password`(value: String, isRefusal: Bool) {
        var head = ResponseHead(status: 401)

        #expect(!ResponseForwarding.refusesCredentials(head))

        head.fields.append("Www-Authenticate", value)

        #expect(ResponseForwarding.refusesCredentials(head) == isRefusal)

        head.status = 403

        #expect(!ResponseForwarding.refusesCredentials(head))
    }
}
