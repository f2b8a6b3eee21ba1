// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests where a response's body ends for each kind of framing (RFC 9112 §6.3), and which framing the client receives.
@Suite(.onTestThreads) struct AnswerFramingTests {
    /// Performs two exchanges on one connection on each side. The next response must begin directly after any kind of
    /// body.
    private static func twice(
        _ method: String, saying bytes: String, headers: [(String, String)] = []
    ) throws -> TestResponse {
        let fixture = try ProxyFixture { connection, head in
            try connection.write(head.path == "/x" ? bytes : "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
        }
        var client = try fixture.gateway.connect()
        let headers = [GatewayUnderTest.authorization] + headers
        let answer = try client.exchange(method, ProxyFixture.target("/x"), headers: headers)
        if answer.values(of: "Connection") == ["close"] {
            #expect(try client.readUntilClose().isEmpty)
            client = try fixture.gateway.connect()
        }
        #expect(try client.exchange("GET", ProxyFixture.target("/y"), headers: headers).text == "next")
        #expect(fixture.port(of: "/x") == fixture.port(of: "/y"))
        guard method == "GET" else { return answer }
        // POST takes the other path through the gateway to an instance.
        let posted = try fixture.request("POST", "/x", headers: headers.filter { $0.0 != "Authorization" })
        #expect(posted.status == answer.status)
        #expect(posted.body == answer.body)
        #expect(posted.ending == answer.ending)
        #expect(posted.fields.filter { $0.name != "Date" } == answer.fields.filter { $0.name != "Date" })
        #expect(posted.trailers == answer.trailers)
        return answer
    }

    @Test func `the response to HEAD keeps its Content-Length`() throws {
        let answer = try Self.twice("HEAD", saying: "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 12345\r\n\r\n")

        #expect(answer.values(of: "Content-Length") == ["12345"])
        #expect(answer.values(of: "ETag") == ["\"e\""])
        #expect(answer.body.isEmpty)
    }

    @Test func `a response to HEAD without Content-Length is forwarded without it`() throws {
        let answer = try Self.twice("HEAD", saying: "HTTP/1.1 200 OK\r\nETag: \"e\"\r\n\r\n")

        #expect(answer.values(of: "Content-Length") == [])
    }

    @Test func `the response to HEAD for a chunked body has no Content-Length and no body`() throws {
        let answer = try Self.twice("HEAD", saying: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")

        #expect(answer.values(of: "Content-Length") == [])
        #expect(answer.body.isEmpty)
    }

    @Test(arguments: ["", "ETag: \"e\"\r\n"])
    func `a 204 has neither Content-Length nor Transfer-Encoding`(fields: String) throws {
        let answer = try Self.twice("GET", saying: "HTTP/1.1 204 No Content\r\n\(fields)\r\n")

        #expect(answer.status == 204)
        #expect(answer.values(of: "Content-Length") == [])
        #expect(answer.values(of: "Transfer-Encoding") == [])
    }

    @Test func `a 304 keeps its Content-Length and ETag`() throws {
        let answer = try Self.twice(
            "GET", saying: "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\nContent-Length: 12345\r\n\r\n",
            headers: [("If-None-Match", "\"e\"")])

        #expect(answer.status == 304)
        #expect(answer.values(of: "Content-Length") == ["12345"])
        #expect(answer.values(of: "ETag") == ["\"e\""])
    }

    @Test func `a 304 without Content-Length is forwarded without it`() throws {
        let answer = try Self.twice("GET", saying: "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n")

        #expect(answer.status == 304)
        #expect(answer.values(of: "Content-Length") == [])
    }

    @Test func `interim responses are not forwarded`() throws {
        let interim =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX-A: b\r\n\r\n"
            + "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        let answer = try Self.twice("GET", saying: interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        #expect(answer.interim.isEmpty)
        #expect(answer.status == 200)
        #expect(answer.values(of: "Link") == [])
        #expect(answer.text == "ok")
    }

    @Test func `an empty body is complete with Content-Length and in the chunked coding`() throws {
        #expect(try Self.twice("GET", saying: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").body.isEmpty)

        let chunked = try Self.twice("GET", saying: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")

        #expect(chunked.body.isEmpty)
        #expect(chunked.ending == .complete)
    }

    @Test func `chunk extensions are removed`() throws {
        let answer = try Self.twice(
            "GET",
            saying: "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
                + "5;name=value\r\nhello\r\n0006 ; x=\"y\"\r\n world\r\n000;last\r\n\r\n")

        #expect(answer.text == "hello world")
        #expect(answer.ending == .complete)
    }

    @Test func `trailers are forwarded to the client`() throws {
        let answer = try Self.twice(
            "GET",
            saying: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, X-More\r\n\r\n"
                + "5\r\nhello\r\n0\r\nX-Sum: 17\r\nX-More: a\r\n\r\n")

        #expect(answer.text == "hello")
        #expect(answer.trailers == [TestField("X-Sum", "17"), TestField("X-More", "a")])
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"], ProxyFixture.carriers)
    func `a body that ends with an orderly close of the connection is complete`(version: String, method: String) throws
    {
        let content = [UInt8](repeating: 7, count: 300_000)
        let fixture = try ProxyFixture { connection, _ in
            try connection.write(Array("\(version) 200 OK\r\nContent-Type: a/b\r\n\r\n".utf8) + content)
            connection.close()
        }

        for _ in 0..<2 {
            let answer = try fixture.request(method, "/x")
            #expect(isSame(answer.body, content))
            #expect(answer.ending == .complete)
            #expect(answer.version == "HTTP/1.1")
        }
    }

    @Test(arguments: ProxyFixture.carriers)
    func `a body that ends with a reset of the connection is not complete`(method: String) throws {
        let hasStart = Latch("a client that has the start")
        let fixture = try ProxyFixture { connection, _ in
            try connection.write("HTTP/1.0 200 OK\r\n\r\nhello")
            try hasStart.wait()
            connection.reset()
        }
        let client = ResponseReader(try fixture.send(method, "/x"))

        #expect(try client.readBodyPart() == Array("hello".utf8))

        hasStart.open()

        #expect(try client.readBodyPart() == nil)
        #expect(client.ending != .complete)
    }

    @Test(arguments: ProxyFixture.carriers)
    func `the connection to an HTTP/1.0 instance is not reused`(method: String) throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.write("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
            try connection.waitForEnd()
        }
        for _ in 0..<3 { #expect(try fixture.request(method, "/x").text == "ok") }

        #expect(Set(fixture.carried.values.map(\.port)).count == 3)
    }

    @Test(arguments: ["Content-Length", "chunked", "close"], [1, 65_536, 5_000_000])
    func `a body of each size arrives byte for byte in each framing`(framing: String, size: Int) throws {
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) }
        let fixture = try ProxyFixture { connection, _ in
            switch framing {
            case "chunked":
                try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
                for start in stride(from: 0, to: size, by: 70_000) {
                    try connection.writeChunk(content[start..<min(size, start + 70_000)])
                }
                try connection.writeLastChunk()
            case "close":
                try connection.writeHead(200, headers: [])
                try connection.write(content)
                connection.close()
            default: try connection.respond(200, body: content)
            }
        }

        // The second request finds a kept-alive connection.
        for method in ["GET", "GET", "POST"] {
            let answer = try fixture.request(method, "/x")
            #expect(isSame(answer.body, content))
            #expect(answer.ending == .complete)
            if framing == "Content-Length" { #expect(answer.values(of: "Content-Length") == ["\(size)"]) }
        }
    }

    @Test(arguments: ProxyFixture.carriers)
    func `a response reaches the client while the instance is still sending it`(method: String) throws {
        let steps = Recorded<Int>("a step of the client")
        let fixture = try ProxyFixture { connection, _ in
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            for (step, part) in ["one", "two", "six"].enumerated() {
                try steps.wait(forCount: step + 1)
                try connection.write(part)
            }
        }
        let client = ResponseReader(try fixture.send(method, "/x"))

        // The head arrives before any byte of the body.
        #expect(try client.readHead().status == 200)

        for (step, part) in ["one", "two", "six"].enumerated() {
            steps.append(step)
            #expect(try client.readBodyPart() == Array(part.utf8))
        }

        #expect(try client.readBodyPart() == nil)
        #expect(client.ending == .complete)
    }

    @Test func `the instance's connection is reused after a HEAD request with a body`() throws {
        let fixture = try ProxyFixture { connection, head in
            _ = try connection.readBody(of: head)
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")
        }
        for path in ["/1", "/2"] {
            let answer = try fixture.request("HEAD", path, body: Array("hello".utf8))
            #expect(answer.status == 200)
            #expect(answer.values(of: "Content-Length") == ["12345"])
        }

        #expect(fixture.port(of: "/1") == fixture.port(of: "/2"))
    }
}
