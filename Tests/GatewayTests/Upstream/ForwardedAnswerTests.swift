// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a client receives an instance's response unchanged, except for the fields that concern only the
/// instance's connection.
@Suite(.onTestThreads) struct ForwardedAnswerTests {
    /// Creates a fixture whose instance sends exactly these bytes to every client and keeps its connection open.
    private static func fixture(saying bytes: [UInt8]) throws -> ProxyFixture {
        try ProxyFixture { connection, _ in try connection.write(bytes) }
    }

    private static func fixture(saying text: String) throws -> ProxyFixture { try fixture(saying: Array(text.utf8)) }

    @Test func `fields keep their order, spelling and duplicates`() throws {
        let fixture = try Self.fixture(
            saying: "HTTP/1.1 200 OK\r\nSERVER: x\r\nSet-Cookie: a=1; Path=/\r\nX-One: 1\r\nset-cookie: b=2\r\n"
                + "Content-Type: text/plain\r\nx-ONE: 2\r\nSet-Cookie: c=3\r\nDate: Sat, 21 Nov 2026 02:47:15 GMT\r\n"
                + "Content-Length: 2\r\n\r\nok")
        let answer = try fixture.request("GET", "/x")

        #expect(
            answer.fields.map(\.description) == [
                "SERVER: x", "Set-Cookie: a=1; Path=/", "X-One: 1", "set-cookie: b=2", "Content-Type: text/plain",
                "x-ONE: 2", "Set-Cookie: c=3", "Date: Sat, 21 Nov 2026 02:47:15 GMT", "Content-Length: 2",
            ])
    }

    @Test func `the instance's address in Link and Location is replaced by the client's base URL`() throws {
        let fixture = try ProxyFixture(flags: ["--trust-proxy", "127.0.0.1"]) { connection, head in
            _ = try connection.readBody(of: head)
            let own = "http://\(try #require(head.value(of: "Host")))"
            try connection.respond(
                head.path == "/moved" ? 302 : 200,
                headers: [
                    ("link", "<\(own)/session/ses_1/message?limit=1&before=x>; rel=\"next\", </y>; rel=up"),
                    ("Location", "\(own)/session"), ("Location", "https://example.com/elsewhere"),
                    ("X-Next-Cursor", "x"),
                ], text: "[]")
        }

        for method in ProxyFixture.carriers {
            for path in ["/session/ses_1/message?limit=1", "/moved"] {
                let plain = "http://127.0.0.1:\(fixture.gateway.port)/projects/demo/api"
                let proxied = "https://gateway.example.com/projects/demo/api"
                for (base, headers) in [
                    (plain, []),
                    (proxied, [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "gateway.example.com")]),
                ] {
                    let answer = try fixture.request(method, path, headers: headers)
                    let next = "<\(base)/session/ses_1/message?limit=1&before=x>; rel=\"next\", </y>; rel=up"
                    #expect(answer.values(of: "Link") == [next])
                    #expect(answer.values(of: "Location") == ["\(base)/session", "https://example.com/elsewhere"])
                }
            }
        }
    }

    @Test func `hop-by-hop fields of the instance are not forwarded`() throws {
        let fixture = try Self.fixture(
            saying: "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Named\r\nKeep-Alive: timeout=5\r\n"
                + "Proxy-Connection: keep-alive\r\nTE: trailers\r\nTrailer: X-Sum\r\nUpgrade: h2c\r\nX-Named: 1\r\n"
                + "X-Stays: 2\r\nContent-Length: 2\r\n\r\nok")
        let answer = try fixture.request("GET", "/x")

        #expect(Set(answer.fields.map { $0.name.lowercased() }) == ["x-stays", "content-length", "date"])
        #expect(answer.text == "ok")
    }

    @Test func `an instance that closes its connection does not close the client's connection`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(200, headers: [("Connection", "close")], text: "ok")
            connection.close()
        }
        let client = try fixture.gateway.connect()

        for _ in 0..<3 {
            let answer = try client.exchange(
                "GET", ProxyFixture.target("/x"), headers: [GatewayUnderTest.authorization])
            #expect(answer.text == "ok")
            #expect(answer.values(of: "Connection") == [])
        }
    }

    @Test(arguments: [true, false])
    func `encoded content is forwarded unchanged`(isChunked: Bool) throws {
        // The content is not even valid gzip, because the gateway must not decode it.
        let content: [UInt8] = [0x1f, 0x8b, 0x08, 0x00] + (0...255).map { UInt8($0) } + [0x0d, 0x0a, 0x00]
        let fixture = try ProxyFixture { connection, _ in
            var headers = [("Content-Type", "application/json"), ("Content-Encoding", "gzip"), ("ETag", "\"x\"")]
            if isChunked {
                headers.append(("Transfer-Encoding", "chunked"))
                try connection.writeHead(200, headers: headers)
                try connection.writeChunk(content)
                try connection.writeLastChunk()
            } else {
                try connection.respond(200, headers: headers, body: content)
            }
        }
        let answer = try fixture.request("GET", "/x", headers: [("Accept-Encoding", "gzip")])

        #expect(isSame(answer.body, content))
        #expect(answer.values(of: "Content-Encoding") == ["gzip"])
        #expect(answer.values(of: "ETag") == ["\"x\""])
        #expect(answer.ending == .complete)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is forwarded and not followed`(status: Int) throws {
        let elsewhere = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "elsewhere") }
        let location = "http://127.0.0.1:\(elsewhere.port)/y"
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(status, headers: [("Location", location)], text: "there")
        }
        let answer = try fixture.request("GET", "/x")

        #expect(answer.status == status)
        #expect(answer.values(of: "Location") == [location])
        #expect(answer.text == "there")
        #expect(elsewhere.server.connections.count == 0)
    }

    @Test func `a 401 of an instance that requires no password reaches the client`() throws {
        let fixture = try Self.fixture(
            saying:
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"Secure Area\"\r\nContent-Length: 0\r\n\r\n"
        )
        let answer = try fixture.request("GET", "/x")

        #expect(answer.status == 401)
        #expect(answer.values(of: "WWW-Authenticate") == ["Basic realm=\"Secure Area\""])
        #expect(fixture.deliveries(of: "/x") == 1)
    }

    @Test func `bytes above 127 in a field value reach the client`() throws {
        let fixture = try Self.fixture(
            saying: Array("HTTP/1.1 200 OK\r\nX-Text: caf".utf8) + [0xe9, 0xff, 0x80]
                + Array("\r\nContent-Length: 2\r\n\r\nok".utf8))
        let answer = try fixture.request("GET", "/x")
        let line = Array("X-Text: caf".utf8) + [0xe9, 0xff, 0x80, 0x0d, 0x0a]

        #expect(answer.head.raw.firstRange(of: line) != nil)
    }

    @Test func `empty field values and tabs reach the client`() throws {
        let fixture = try Self.fixture(
            saying: "HTTP/1.1 200 OK\r\nX-Empty:\r\nX-Tab: a\tb\r\nX-Blank: \t \r\nContent-Length: 2\r\n\r\nok")
        let answer = try fixture.request("GET", "/x")

        #expect(answer.values(of: "X-Empty") == [""])
        #expect(answer.values(of: "X-Blank") == [""])
        #expect(answer.values(of: "X-Tab") == ["a\tb"])
        #expect(answer.text == "ok")
        #expect(answer.ending == .complete)
    }

    @Test(arguments: ["HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 200 All is well, or is it?", "HTTP/1.1 200 \u{e9}"])
    func `the reason phrase of the instance is ignored`(line: String) throws {
        let fixture = try Self.fixture(saying: "\(line)\r\nContent-Length: 2\r\n\r\nok")
        let answer = try fixture.request("GET", "/x")

        #expect(answer.status == 200)
        #expect(answer.text == "ok")
        #expect(answer.reason == "OK")
    }

    @Test(arguments: [1_000, 20_000, 60_000])
    func `many and long fields reach the client`(length: Int) throws {
        let fields = (0..<length / 100).map { "X-Field-\($0): \(String(repeating: "v", count: 20))" }
        let long = "X-Long: \(String(repeating: "l", count: length / 2))"
        let fixture = try Self.fixture(
            saying: "HTTP/1.1 200 OK\r\n\((fields + [long]).joined(separator: "\r\n"))\r\nContent-Length: 2\r\n\r\nok")
        // The request's head also uses the connection's memory.
        let answer = try fixture.request("GET", "/x", headers: [("X-Long", String(repeating: "r", count: 15_000))])

        #expect(answer.status == 200)
        #expect(answer.fields.filter { $0.name.hasPrefix("X-") }.map(\.description) == fields + [long])
        #expect(answer.text == "ok")
    }
}
