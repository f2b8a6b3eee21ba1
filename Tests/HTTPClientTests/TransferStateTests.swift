// SPDX-License-Identifier: Apache-2.0

import Addresses
internal import Encodings
import HTTPTypes
import Testing

@testable import HTTPClient

/// Tests the decisions of one transfer without a socket. Each case has the events of the connection and the expected
/// action.
@Suite("The decisions of a transfer") struct TransferStateTests {
    /// The events of a connection, in order.
    enum Event: Sendable {
        /// One read returns this text.
        case reads(String)
        /// The whole request was sent.
        case sent
        case ends(TransferState.ConnectionEnd)
    }

    /// The kind of request in a test.
    enum Kind: Sendable {
        case get, head, post, put, upload, grantedUpload, upgrade, alone

        var request: UpstreamRequest {
            let (method, body): (Method, UpstreamRequest.Body) =
                switch self {
                case .get, .upgrade, .alone: (.get, .none)
                case .head: (.head, .none)
                case .post: (.post, .whole([1]))
                case .put: (.put, .whole([1]))
                case .upload: (.put, .streamed(length: nil))
                case .grantedUpload: (.post, .streamed(length: 1_000_000))
                }
            return UpstreamRequest(
                instance: InstanceAddress(ip: .loopback, port: 1), method: method, methodName: "any",
                target: [UInt8(ascii: "/")], fields: FieldList(), body: body, mayUpgrade: self == .upgrade,
                isAlone: self == .alone)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var kind = Kind.get
        var isReused = false
        let events: [Event]
        /// The expected action after the last event. The action after all earlier events is `.wait`.
        let action: TransferState.Action
        var content = ""
        var status = 200
        var testDescription: String { name }
    }

    static let ok = "HTTP/1.1 200 OK\r\n"
    static let five = ok + "Content-Length: 5\r\n\r\n"
    static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    static let stream = ok + "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    static let excess = "the body is longer than the head announced"
    static let truncated = "the connection was closed before the body's end"
    static let closed = UpstreamFailure.noAnswer("the connection was closed")

    static let whole = [
        Row(name: "an answer in one read", events: [.sent, .reads(five + "hello")], action: reuse, content: "hello"),
        Row(
            name: "an answer in many reads", events: [.sent] + (five + "hello").map { .reads("\($0)") }, action: reuse,
            content: "hello"),
        Row(name: "no body", events: [.sent, .reads("HTTP/1.1 204 \r\n\r\n")], action: reuse, status: 204),
        Row(name: "an answer to HEAD", kind: .head, events: [.sent, .reads(five)], action: reuse),
        Row(
            name: "chunks", events: [.sent, .reads(chunked), .reads("5\r\nhel"), .reads("lo\r\n0\r\n\r\n")],
            action: reuse, content: "hello"),
        Row(
            name: "interim answers before the answer",
            events: [
                .sent, .reads("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"),
                .reads(five + "hello"),
            ], action: reuse, content: "hello"),
        Row(
            name: "an answer that ends with the connection",
            events: [.sent, .reads(ok + "\r\nhel"), .reads("lo"), .ends(.closed)],
            action: close, content: "hello"),
        Row(
            name: "an answer with Connection: close",
            events: [.sent, .reads(ok + "Connection: close\r\nContent-Length: 0\r\n\r\n")], action: close),
        Row(name: "HTTP/1.0", events: [.sent, .reads("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")], action: close),
        Row(
            name: "an answer on an exclusive connection", kind: .alone, events: [.sent, .reads(five + "hello")],
            action: close,
            content: "hello"),
        Row(
            name: "an answer before the end of the request", kind: .put, events: [.reads(five + "hello")],
            action: close,
            content: "hello"),
    ]

    static let uploads = [
        Row(
            name: "an early grant, after which the instance may continue to read", kind: .grantedUpload,
            events: [.reads(five + "hello"), .sent], action: reuse, content: "hello"),
        Row(
            name: "an early grant, after which the upload fails", kind: .grantedUpload,
            events: [.reads(five + "hello"), .ends(.broken("Broken pipe"))], action: close, content: "hello"),
        Row(
            name: "an early grant, after which the instance closes the connection", kind: .grantedUpload,
            events: [.reads(five + "hello"), .ends(.closed)], action: close, content: "hello"),
        Row(
            name: "an early refusal", kind: .upload,
            events: [.reads("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")], action: close, status: 413),
        Row(
            name: "an early answer in chunks", kind: .upload, events: [.reads(chunked), .reads("0\r\n\r\n")],
            action: close),
        Row(
            name: "an early event stream", kind: .upload, events: [.reads(stream), .reads("0\r\n\r\n")],
            action: close),
        Row(
            name: "100 Continue before the answer", kind: .upload,
            events: [.reads("HTTP/1.1 100 Continue\r\n\r\n"), .sent, .reads(five + "hello")], action: reuse,
            content: "hello"),
        Row(
            name: "an upload that fails without an answer", kind: .upload, events: [.ends(.broken("Broken pipe"))],
            action: .fail(.noAnswer("Broken pipe")), status: 0),
    ]

    static let broken = [
        Row(
            name: "more bytes than announced", events: [.sent, .reads(five + "hello!")],
            action: .fail(.brokenBody(excess)),
            content: "hello"),
        Row(
            name: "more than no body", events: [.sent, .reads("HTTP/1.1 304 \r\n\r\nx")],
            action: .fail(.badAnswer(excess)), status: 0),
        Row(
            name: "bytes after the last chunk", events: [.sent, .reads(chunked + "0\r\n\r\nHTTP")],
            action: .fail(.brokenBody(excess))),
        Row(
            name: "fewer bytes than announced", events: [.sent, .reads(five + "hel"), .ends(.closed)],
            action: .fail(.brokenBody(truncated)), content: "hel"),
        Row(
            name: "no last chunk", events: [.sent, .reads(chunked + "1\r\nx\r\n"), .ends(.closed)],
            action: .fail(.brokenBody(truncated)), content: "x"),
        Row(
            name: "a reset within the body", events: [.sent, .reads(five), .ends(.broken("reset"))],
            action: .fail(.brokenBody("reset"))),
        Row(
            name: "a reset of an answer that ends with the connection",
            events: [.sent, .reads(ok + "\r\nhel"), .ends(.broken("reset"))], action: .fail(.brokenBody("reset")),
            content: "hel"),
        Row(
            name: "an answer that is not HTTP", events: [.sent, .reads("220 mail.example.com\r\n")],
            action: .fail(.badAnswer("the status line is malformed")), status: 0),
        Row(
            name: "an end within the head", events: [.sent, .reads(ok), .ends(.closed)], action: .fail(closed),
            status: 0),
        Row(
            name: "two Content-Length fields",
            events: [.sent, .reads(ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n")],
            action: .fail(.badAnswer("the framing is ambiguous (severalLengths)")), status: 0),
        Row(
            name: "a switch of protocols without a request", events: [.sent, .reads("HTTP/1.1 101 \r\n\r\n")],
            action: .fail(.badAnswer("the response switches protocols, but the client did not request this")), status: 0
        ),
        Row(
            name: "the same on a connection of its own", kind: .alone, events: [.reads("HTTP/1.1 101 \r\n\r\n")],
            action: .fail(.badAnswer("the response switches protocols, but the client did not request this")), status: 0
        ),
        Row(
            name: "a switch", kind: .upgrade, events: [.sent, .reads("HTTP/1.1 101 \r\n\r\nx")], action: .handOver,
            status: 101),
        Row(
            name: "a refused switch of protocols", kind: .upgrade, events: [.sent, .reads(five + "hello")],
            action: close,
            content: "hello"),
    ]

    static let ends: [Row] =
        [TransferState.ConnectionEnd.closed, .broken("reset")].flatMap { end in
            let failure = end == .closed ? closed : .noAnswer("reset")
            return [
                Row(
                    name: "a new connection is not replaced", events: [.sent, .ends(end)], action: .fail(failure),
                    status: 0),
                Row(
                    name: "a kept connection is replaced", isReused: true, events: [.sent, .ends(end)],
                    action: .sendAgain, status: 0),
                Row(
                    name: "an unsent request is sent on another connection", kind: .put, isReused: true,
                    events: [.ends(end)], action: .sendAgain, status: 0
                ),
                Row(
                    name: "a POST is not sent again", kind: .post, isReused: true, events: [.ends(end)],
                    action: .fail(failure),
                    status: 0),
                Row(
                    name: "an upload is not sent again", kind: .upload, isReused: true, events: [.sent, .ends(end)],
                    action: .fail(failure),
                    status: 0),
                Row(
                    name: "a request is not sent again after a byte of the answer", isReused: true,
                    events: [.sent, .reads("H"), .ends(end)],
                    action: .fail(failure), status: 0),
                Row(
                    name: "a request is not sent again after an interim answer", isReused: true,
                    events: [.sent, .reads("HTTP/1.1 103 \r\n\r\n"), .ends(end)], action: .fail(failure), status: 0),
            ]
        } + [
            Row(name: "a refused connection", events: [.ends(.refused)], action: .fail(.refused), status: 0),
            Row(
                name: "no free descriptor", kind: .post, events: [.ends(.outOfDescriptors)],
                action: .fail(.outOfDescriptors),
                status: 0),
        ]

    static let reuse = TransferState.Action.finish(keepsConnection: true)
    static let close = TransferState.Action.finish(keepsConnection: false)

    @Test(arguments: whole) func `each complete response finishes the transfer and keeps or closes the connection`(
        _ row: Row
    ) { check(row) }
    @Test(arguments: uploads) func `an upload with an early response finishes, and one without any response fails`(
        _ row: Row
    ) { check(row) }
    @Test(arguments: broken) func `each broken response fails the transfer, and only a requested switch is handed over`(
        _ row: Row
    ) { check(row) }
    @Test(arguments: ends) func `a request on a kept connection that ends is resent only if repeatable and unanswered`(
        _ row: Row
    ) { check(row) }

    private func check(_ row: Row) {
        var state = TransferState(row.kind.request, onKeptConnection: row.isReused)
        var content = ""
        for (number, event) in row.events.enumerated() {
            let action: TransferState.Action
            switch event {
            case .reads(let text): action = Self.feed(text, &state, &content)
            case .sent: action = state.requestSent()
            case .ends(let end): action = state.ended(end)
            }
            #expect(action == (number == row.events.count - 1 ? row.action : .wait), "event \(number)")
        }
        #expect(content == row.content)
        #expect(state.status == row.status)
    }

    /// Performs the caller's steps for one read.
    private static func feed(
        _ text: String, _ state: inout TransferState, _ content: inout String
    ) -> TransferState.Action {
        let bytes = Array(text.utf8)
        var index = 0
        var heads = 0
        while index < bytes.count {
            var fragment: [UInt8] = []
            let head = state.parse(bytes.span, from: &index) { fragment.append(copying: $0) }
            content += String(decoding: fragment, as: UTF8.self)
            guard head != nil else { break }
            heads += 1
        }
        #expect(heads < 2)
        return state.readEnded()
    }

    @Test func `a request is resent at most once`() {
        var state = TransferState(Kind.get.request, onKeptConnection: true)

        #expect(state.requestSent() == .wait)
        #expect(state.ended(.closed) == .sendAgain)
        #expect(!state.isRequestSent)
        #expect(state.requestSent() == .wait)
        #expect(state.ended(.closed) == .fail(Self.closed))
    }

    @Test func `a finished transfer reports the response's Keep-Alive limit and trailers`() {
        var state = TransferState(Kind.get.request, onKeptConnection: false)
        var content = ""
        let head = Self.ok + "Keep-Alive: timeout=3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: 1\r\n\r\n"

        #expect(state.requestSent() == .wait)
        #expect(Self.feed(head, &state, &content) == Self.reuse)
        #expect(state.idleLimit == .seconds(2))
        #expect(state.trailers().count == 1)
    }

    @Test func `bytes after a 101 are not read as a body`() {
        var state = TransferState(Kind.upgrade.request, onKeptConnection: false)
        let bytes = Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nearly".utf8)
        var index = 0

        #expect(state.parse(bytes.span, from: &index) { _ in Issue.record("a body") } == nil)
        #expect(String(decoding: bytes[index...], as: UTF8.self) == "early")
        #expect(state.switching?.fields.count == 1)
    }
}
