// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import TestKit

/// Returns the response of a server that writes exactly these bytes and then closes or resets the connection.
private func response(
    to method: String = "GET", _ wire: String, reset: Bool = false, fragments: Int? = nil
) throws -> TestResponse {
    let server = try TestServer { connection in
        _ = try connection.readRequestHead()
        if let fragments {
            try connection.writeSlowly(wire, partSize: fragments, interval: .microseconds(50))
        } else {
            try connection.write(wire)
        }
        if reset {
            // A reset discards bytes that the peer has not read, so wait until it confirms them.
            _ = try connection.read()
            connection.reset()
        }
    }
    let connection = try TestClient.connect(port: server.port)
    try connection.send(method, "/")
    let reader = ResponseReader(connection, method: method)
    if reset {
        _ = try reader.readHead()
        try connection.write("x")
    }
    return try reader.readAll()
}

@Suite("Responses are framed as RFC 9112 specifies", .onTestThreads)
struct ResponseReaderTests {
    @Test func `a body with Content-Length is read completely, with the fields of its head`() throws {
        let response = try response("HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 5\r\n\r\nhello")

        #expect(response.status == 200)
        #expect(response.reason == "OK")
        #expect(response.version == "HTTP/1.1")
        #expect(response.fields == [TestField("X-A", "1"), TestField("x-a", "2"), TestField("Content-Length", "5")])
        #expect(response.values(of: "X-a") == ["1", "2"])
        #expect(response.text == "hello")
        #expect(response.ending == .complete)
    }

    @Test(arguments: [1, 3, 7])
    func `a chunked body with extensions and trailers is decoded`(fragments: Int) throws {
        let response = try response(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n", fragments: fragments)

        #expect(response.text == "hello0123456789")
        #expect(response.chunkSizes == [5, 10])
        #expect(response.trailers == [TestField("X-Sum", "1"), TestField("X-Sum", "2")])
        #expect(response.ending == .complete)
    }

    @Test func `a body without a length ends when the connection closes`() throws {
        let response = try response("HTTP/1.0 200 OK\r\n\r\nall of it")

        #expect(response.text == "all of it")
        #expect(response.ending == .closed)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfour",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n",
    ])
    func `each incomplete body is truncated`(wire: String) throws {
        let response = try response(wire)

        #expect(response.text == "four")
        #expect(response.ending == .truncated)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n",
    ])
    func `a reset is reported as a reset and not as the end of the body`(wire: String) throws {
        #expect(try response(wire, reset: true).ending == .reset)
    }

    @Test(arguments: [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
        ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ])
    func `each response without a body is complete after its head`(method: String, wire: String) throws {
        let response = try response(to: method, wire)

        #expect(response.body.isEmpty)
        #expect(response.ending == .complete)
    }

    @Test func `interim responses are collected with the final response`() throws {
        let response = try response(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
        )

        #expect(response.interim.map(\.status) == [100, 103])
        #expect(response.interim.last?.value(of: "link") == "</a>")
        #expect(response.status == 204)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\nx\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nName : value\r\n\r\n",
        "HTTP/1.1 200 OK\r\nFolded: a\r\n b: c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nBare: a\nLine: b\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
    ])
    func `each response with an invalid head or framing is malformed`(wire: String) throws {
        #expect {
            try response(wire)
        } throws: { error in
            if case TestKitError.malformed = error { true } else { false }
        }
    }

    @Test func `a connection that ends before the head is closed`() throws {
        #expect {
            try response("")
        } throws: { error in
            if case TestKitError.closed = error { true } else { false }
        }
    }

    @Test func `body parts are returned as they arrive`() throws {
        let next = Latch()
        let server = try TestServer { connection in
            _ = try connection.readRequest()
            try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
            try connection.writeChunk("first")
            try next.wait()
            try connection.writeChunk("second")
            try connection.writeLastChunk(trailers: [("X-End", "yes")])
        }
        let connection = try TestClient.connect(port: server.port)
        try connection.send("GET", "/")
        let reader = ResponseReader(connection)

        #expect(try reader.readBodyPart() == Array("first".utf8))
        #expect(reader.ending == nil)

        next.open()

        #expect(try reader.readBodyPart() == Array("second".utf8))
        #expect(try reader.readBodyPart() == nil)
        #expect(reader.ending == .complete)
        #expect(reader.trailers == [TestField("X-End", "yes")])
    }

    @Test func `data is returned before its chunk ends`() throws {
        let next = Latch()
        let server = try TestServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc")
            try next.wait()
            try connection.write("\r\n0\r\n\r\n")
        }
        let connection = try TestClient.connect(port: server.port)
        try connection.send("GET", "/")
        let reader = ResponseReader(connection)

        #expect(try reader.readBodyPart() == Array("abc".utf8))
        #expect(throws: TestKitError.self) { try reader.readBodyPart(within: .milliseconds(20)) }

        next.open()

        #expect(try reader.discardBody() == 0)
        #expect(reader.ending == .complete)
    }

    @Test func `bytes received before a timeout are returned by the next read`() throws {
        let next = Latch()
        let server = try TestServer { connection in
            try connection.write("half a li")
            try next.wait()
            try connection.write("ne\r\nrest")
        }
        let connection = try TestClient.connect(port: server.port)

        #expect(throws: TestKitError.timedOut(after: .milliseconds(20), waitingFor: "a line")) {
            try connection.readThrough("\r\n", within: .milliseconds(20), waitingFor: "a line")
        }

        next.open()

        #expect(try connection.readThrough("\r\n", waitingFor: "a line") == Array("half a line\r\n".utf8))
        #expect(try connection.readUntilClose() == Array("rest".utf8))
    }

    @Test func `several exchanges share one connection`() throws {
        let server = try TestServer { connection in
            while let request = try connection.readRequest() {
                try connection.respond(200, text: "\(request.method) \(request.target) \(request.text)")
            }
        }
        let connection = try TestClient.connect(port: server.port)

        #expect(try connection.exchange("GET", "/a%2Fb?c=%00").text == "GET /a%2Fb?c=%00 ")
        #expect(try connection.exchange("POST", "/", body: Array("body".utf8)).text == "POST / body")

        connection.close()
        try server.wait(forActiveConnections: 0)

        #expect(server.failures.values.isEmpty)
        #expect(server.connections.count == 1)
    }
}
