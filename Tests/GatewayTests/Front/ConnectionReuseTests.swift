// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the lifetime of a client's connection, the order of responses, and the service for HTTP/1.0 clients (RFC 9112
/// §9).
@Suite(.onTestThreads) struct ConnectionReuseTests {
    private static let key = GatewayUnderTest.authorization

    /// Starts an instance that responds with the request's path. The body is chunked for `/chunked` and ends by closing
    /// for `/open`.
    private static func answering() throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            switch head.path {
            case "/chunked":
                try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
                try connection.writeChunk("chunked ")
                try connection.writeChunk("body")
                try connection.writeLastChunk()
            case "/open":
                try connection.writeHead(200, headers: [("Connection", "close")])
                try connection.write("open body")
                connection.close()
            default:
                try connection.respond(200, text: head.path)
            }
        }
    }

    @Test func `one connection serves many requests`() throws {
        let instance = try Self.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        for number in 0..<50 {
            let path = number % 5 == 4 ? "/chunked" : "/\(number)"
            let answer = try connection.exchange(
                number % 3 == 0 ? "POST" : "GET", "/projects/demo/api" + path, headers: [Self.key],
                body: number % 3 == 0 ? Bytes.pattern(number * 3000) : nil)
            #expect(answer.text == (path == "/chunked" ? "chunked body" : path))
            #expect(answer.ending == .complete)
            #expect(answer.values(of: "Connection") == [] || answer.values(of: "Connection") == ["Keep-Alive"])
        }

        #expect(instance.requests.count == 50)
    }

    @Test func `pipelined requests are answered in order`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            let request = try connection.readBody(of: head)
            try connection.respond(200, text: "\(head.path) \(request.body.count)")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        var text = ""
        for number in 0..<20 {
            let body = String(repeating: "b", count: number * 10)
            text +=
                RequestText.head("POST /projects/demo/api/\(number) HTTP/1.1", ["Content-Length: \(body.count)"]) + body
            if number % 4 == 0 { text += "GET /health HTTP/1.1\r\nHost: h\r\n\r\n" }
        }
        try connection.write(text)
        for number in 0..<20 {
            #expect(try ResponseReader(connection).readAll().text == "/\(number) \(number * 10)")
            if number % 4 == 0 { #expect(try ResponseReader(connection).readAll().text.contains("\"ok\"")) }
        }

        #expect(instance.requests.values.map(\.path) == (0..<20).map { "/\($0)" })
    }

    @Test func `a request pipelined after a large upload is answered after the upload`() throws {
        let instance = try Self.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        let body = Bytes.pattern(400_000)
        try connection.send("POST", "/projects/demo/api/upload", headers: [Self.key], body: body)
        try connection.send("GET", "/projects/demo/api/next", headers: [Self.key])

        #expect(try ResponseReader(connection).readAll().text == "/upload")
        #expect(try ResponseReader(connection).readAll().text == "/next")
    }

    @Test func `the response to Connection: close announces the close, and the connection closes`() throws {
        let instance = try Self.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        for target in ["/projects/demo/api/x", "/projects/demo/api/chunked", "/health", "/nothing"] {
            let connection = try gateway.connect()
            let answer = try connection.exchange("GET", target, headers: [Self.key, ("Connection", "close")])
            #expect(answer.ending == .complete, "\(target)")
            #expect(answer.values(of: "Connection").map { $0.lowercased() } == ["close"], "\(target)")
            #expect(try connection.waitForEnd() == .closed)
        }

        #expect(instance.requests.values.allSatisfy { $0.values(of: "Connection").isEmpty })
    }

    @Test(arguments: ["/x", "/chunked", "/open"])
    func `an HTTP/1.0 client receives no chunked coding, and its connection is closed`(path: String) throws {
        let instance = try Self.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let answer = try gateway.raw(RequestText.head("GET /projects/demo/api\(path) HTTP/1.0"))
        let body = ["/x": "/x", "/chunked": "chunked body", "/open": "open body"][path] ?? ""

        #expect(answer.statuses == [200])
        #expect(answer.text.hasSuffix("\r\n\r\n" + body))
        #expect(!answer.text.lowercased().contains("transfer-encoding"))
        #expect(answer.ending == .closed)
        #expect(instance.requests.values.last?.version == "HTTP/1.1")
    }

    @Test func `an HTTP/1.0 client can keep its connection with Connection: keep-alive`() throws {
        let instance = try Self.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()

        for number in 0..<3 {
            try connection.write(
                RequestText.head("GET /projects/demo/api/\(number) HTTP/1.0", ["Connection: keep-alive"], host: false))
            let answer = try ResponseReader(connection).readAll()
            #expect(answer.text == "/\(number)")
            #expect(answer.values(of: "Connection").map { $0.lowercased() } == ["keep-alive"])
        }
    }

    @Test func `a body of unknown length to an HTTP/1.0 keep-alive client ends with the connection`() throws {
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
            try connection.writeChunk("first ")
            // The body is so long that its length is not known when the head is sent.
            try connection.writeChunk(String(repeating: "a", count: 700_000))
            try connection.writeLastChunk()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let answer = try gateway.raw(
            RequestText.head("GET /projects/demo/api/chunked HTTP/1.0", ["Connection: keep-alive"]))

        #expect(answer.text.hasSuffix("\r\n\r\nfirst " + String(repeating: "a", count: 700_000)))
        #expect(!answer.text.lowercased().contains("transfer-encoding"))
        #expect(answer.ending == .closed)
    }
}
