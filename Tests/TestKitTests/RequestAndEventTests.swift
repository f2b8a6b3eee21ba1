// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import TestKit

@Suite("Received requests and event streams", .onTestThreads)
struct RequestAndEventTests {
    @Test func `a chunked request is decoded, and its raw body is kept`() throws {
        let requests = Recorded<ReceivedRequest>()
        let server = try TestServer { connection in
            guard let request = try connection.readRequest() else { return }
            requests.append(request)
            try connection.respond(204, "No Content")
        }
        let connection = try TestClient.connect(port: server.port)
        let raw = "3;x=1\r\nabc\r\n1\r\nd\r\n0\r\nX-T: v\r\n\r\n"
        try connection.write("POST /p HTTP/1.1\r\nhost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(raw)")

        #expect(try ResponseReader(connection, method: "POST").readAll().status == 204)

        let request = try #require(try requests.wait(forCount: 1).first)

        #expect(request.text == "abcd")
        #expect(request.rawBody == Array(raw.utf8))
        #expect(request.chunkSizes == [3, 1])
        #expect(request.trailers == [TestField("X-T", "v")])
        #expect(request.fields.map(\.name) == ["host", "Transfer-Encoding"])
    }

    @Test func `Expect: 100-continue is answered before the body is read`() throws {
        let server = try TestServer { connection in
            let request = try connection.readRequest()
            try connection.respond(200, text: request?.text ?? "")
        }
        let connection = try TestClient.connect(port: server.port)
        try connection.send("POST", "/", headers: [("Expect", "100-continue"), ("Content-Length", "2")])

        #expect(try connection.readExactly(25) == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))

        try connection.write("ok")

        #expect(try ResponseReader(connection, method: "POST").readAll().text == "ok")
    }

    @Test func `an incomplete request is an error that names the number of bytes received`() throws {
        let server = try TestServer { _ = try $0.readRequest() }
        let connection = try TestClient.connect(port: server.port)
        try connection.write("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab")
        connection.close()

        #expect(try server.failures.wait(forCount: 1).first?.contains("after 2 bytes") == true)
    }

    @Test(
        arguments: [
            ("HTTP/1.1", [], true), ("HTTP/1.1", ["Close"], false), ("HTTP/1.1", ["x, close"], false),
            ("HTTP/1.0", [], false), ("HTTP/1.0", ["keep-alive"], true),
        ] as [(String, [String], Bool)])
    func `the connection persists according to the HTTP version and the Connection field`(
        version: String, options: [String], stays: Bool
    ) throws {
        let fields = options.map { "Connection: \($0)\r\n" }.joined()
        let head = try ReceivedRequestHead(MessageHead(Array("GET / \(version)\r\n\(fields)\r\n".utf8)))

        #expect(head.keepsAlive == stays)
    }

    @Test(arguments: [1, 2, 5, 1000])
    func `events are separated at empty lines regardless of how the stream is chunked`(fragments: Int) throws {
        let stream =
            "data: {\"a\":\"é\"}\n\n: comment\n\nevent: x\ndata: one\ndata:two\n\ndata: last\n\ndata: unfinished"
        let server = try TestServer { connection in
            _ = try connection.readRequest()
            try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
            let bytes = Array(stream.utf8)
            for start in stride(from: 0, to: bytes.count, by: fragments) {
                try connection.writeChunk(bytes[start..<min(bytes.count, start + fragments)])
            }
            try connection.writeLastChunk()
        }
        let events = try TestClient.events(port: server.port, "/event")

        #expect(try events.response.readHead().status == 200)
        #expect(try events.next() == "{\"a\":\"é\"}")
        #expect(try events.next() == "one\ntwo")
        #expect(try events.next() == "last")
        #expect(try events.next() == nil)
        #expect(events.raw == Array(stream.utf8))
        #expect(events.response.ending == .complete)
    }

    @Test func `the error of a wait for an event names the missing event`() throws {
        let server = try TestServer { connection in
            _ = try connection.readRequest()
            try connection.respond(200, text: "data: a\n\n")
        }
        let events = try TestClient.events(port: server.port, "/event")

        #expect(throws: TestKitError.closed(waitingFor: "b in the event stream")) {
            try events.first("b") { $0 == "b" }
        }
    }
}
