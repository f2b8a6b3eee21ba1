// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that the fields of a client's head reach the instance unchanged.
@Suite(.onTestThreads) struct RequestHeadTests {
    @Test func `the target reaches the instance without being decoded`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        let targets = [
            "/a%2Fb", "/%00", "/a%00b", "/%2e%2e/%2e%2e/x", "/../../beta/api/x", "/./a", "//", "//a//b", "/", "/%",
            "/%zz", "/a?b=%26&c=%3D", "/a??b", "/?", "/a?", "/a?b=/../c", "/a;b=c", "/a:b@c", "/%C3%BC", "/ü",
            "/a+b%20c", "/a\\b", "/a|b", "/a\"b", "/<a>", "/{a}", "/a?folder=/home/vibe&x=%2e",
        ]
        for target in targets {
            let answer = try connection.exchange(
                "GET", "/projects/demo/api" + target, headers: [GatewayUnderTest.authorization])
            #expect(answer.status == 200, "\(target)")
            #expect(instance.requests.values.last?.target == target)
        }

        #expect(instance.requests.count == targets.count)
    }

    @Test func `the path /projects/NAME/api is forwarded as the root path`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for (target, expected) in [("/projects/demo/api", "/"), ("/projects/demo/api?q=1", "/?q=1")] {
            #expect(try gateway.request("GET", target).status == 200)
            #expect(instance.requests.values.last?.target == expected)
        }
    }

    @Test func `the absolute form of a target is served like the origin form`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        for scheme in ["http://gateway.example.com:4000", "HTTP://u:p@h", "https://h"] {
            #expect(try gateway.request("GET", "\(scheme)/projects/demo/api/a%2Fb?c=%26").status == 200)
            #expect(instance.requests.values.last?.target == "/a%2Fb?c=%26")
        }
        for target in ["ftp://h/projects/demo/api/x", "http:///projects/demo/api/x", "http://h", "projects/demo/api/x"]
        {
            #expect(try gateway.request("GET", target).status == 404, "\(target)")
        }

        #expect(instance.requests.count == 3)
    }

    @Test func `a target with a fragment is answered with 404`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        for target in ["/projects/demo/api/a#b", "/projects/demo/api/a?b#c", "/health#"] {
            #expect(try gateway.request("GET", target).status == 404, "\(target)")
        }

        #expect(instance.requests.count == 0)
    }

    @Test func `fields keep their order, spelling, duplicates and empty values`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let lines = [
            "X-B: 1", "x-a: 2", "X-b: 3", "X-Empty:", "X-B: 1", "X-Inner: a  \t b", "X-LONG-NAME: ,;=\"\\()", "x: :",
            "Accept: a", "accept: b", "Cookie: a=b; c=d", "User-Agent: own", "Content-Type: application/json",
            "Range: bytes=0-1",
        ]
        let answer = try gateway.exchange(RequestText.head("GET /projects/demo/api/x HTTP/1.1", lines))

        #expect(answer.status == 200)

        let received = String(decoding: try #require(instance.requests.values.last).raw, as: UTF8.self)
        let kept = received.split(separator: "\r\n").map(String.init).filter(lines.contains)

        #expect(kept == lines)
    }

    @Test func `white space around a field value is not part of it`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let head = RequestText.head(
            "GET /projects/demo/api/x HTTP/1.1", ["X-Own: \t a b \t", "X-Tight:c", "X-Blank: \t"])

        #expect(try gateway.exchange(head).status == 200)

        let fields = try #require(instance.requests.values.last).fields.filter { $0.name.hasPrefix("X-") }

        #expect(fields.prefix(3) == [TestField("X-Own", "a b"), TestField("X-Tight", "c"), TestField("X-Blank", "")])
    }

    @Test func `bytes above 127 in a field value reach the instance`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let value = (UInt8(0x80)...0xff).map { $0 } + [0x41, 0xc3, 0x28]
        let connection = try gateway.connect()
        let head = RequestText.head("GET /projects/demo/api/x HTTP/1.1").utf8.dropLast(2)
        try connection.write(Array(head) + Array("X-Text: ".utf8) + value + [13, 10, 13, 10])

        #expect(try ResponseReader(connection).readAll().status == 200)

        let raw = try #require(instance.requests.values.last).raw

        #expect(raw.firstRange(of: Array("X-Text: ".utf8) + value + [13, 10]) != nil)
    }

    @Test func `empty lines before the request line are skipped`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()

        // A server skips at least one empty line (RFC 9112 §2.2). A strict libmicrohttpd skips no more than one.
        for before in ["\r\n", MessageLibrary.isStrict ? "\r\n" : "\r\n\r\n", ""] {
            try connection.write(before + RequestText.head("GET /projects/demo/api/x HTTP/1.1"))
            #expect(try ResponseReader(connection).readAll().text == "answered")
        }
    }
}

extension GatewayUnderTest {
    /// Sends this text on a new connection and reads one response.
    func exchange(_ request: String, method: String = "GET") throws -> TestResponse {
        let connection = try connect()
        defer { connection.close() }
        try connection.write(request)
        return try ResponseReader(connection, method: method).readAll()
    }
}
