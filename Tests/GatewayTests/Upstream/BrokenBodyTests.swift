// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests responses that fail in their body. The gateway delivers the bytes that arrived, and then aborts the client's
/// connection instead of ending it cleanly. It never reuses the instance's connection.
@Suite(.onTestThreads) struct BrokenBodyTests {
    /// A kind of failure of an instance's response.
    private struct Break: Sendable {
        let name: String
        /// The framing field of the head.
        let framing: String
        /// The bytes that are sent first.
        let start: String
        /// The bytes that are sent after the client has received all of `start`.
        let remainder: String
        /// How the instance ends the connection afterwards; nil if the gateway ends it.
        let end: End?
        /// The content that the client must receive.
        let content: String

        enum End { case close, reset }
    }

    private static let chunked = "Transfer-Encoding: chunked"

    private static let breaks: [Break] = [
        Break(
            name: "length-cut", framing: "Content-Length: 10", start: "hello", remainder: "", end: .close,
            content: "hello"),
        Break(
            name: "length-cut-late", framing: "Content-Length: 10", start: "hello", remainder: "!!", end: .close,
            content: "hello!!"),
        Break(
            name: "length-reset", framing: "Content-Length: 10", start: "hello", remainder: "", end: .reset,
            content: "hello"
        ),
        Break(
            name: "chunk-cut", framing: chunked, start: "5\r\nhello\r\n", remainder: "", end: .close, content: "hello"),
        Break(
            name: "chunk-cut-inside", framing: chunked, start: "a\r\nhello", remainder: "", end: .close,
            content: "hello"),
        Break(
            name: "chunk-cut-in-size", framing: chunked, start: "5\r\nhello\r\n", remainder: "1", end: .close,
            content: "hello"),
        Break(
            name: "chunk-cut-in-last", framing: chunked, start: "5\r\nhello\r\n", remainder: "0\r\n", end: .close,
            content: "hello"),
        Break(
            name: "chunk-reset", framing: chunked, start: "5\r\nhello\r\n", remainder: "", end: .reset, content: "hello"
        ),
        Break(
            name: "size-no-number", framing: chunked, start: "5\r\nhello\r\n", remainder: "zz\r\n", end: nil,
            content: "hello"),
        Break(
            name: "size-negative", framing: chunked, start: "5\r\nhello\r\n", remainder: "-1\r\n", end: nil,
            content: "hello"
        ),
        Break(
            name: "size-empty", framing: chunked, start: "5\r\nhello\r\n", remainder: "\r\n", end: nil, content: "hello"
        ),
        Break(
            name: "size-prefix", framing: chunked, start: "5\r\nhello\r\n", remainder: "0x5\r\n", end: nil,
            content: "hello"),
        Break(
            name: "size-too-large", framing: chunked, start: "5\r\nhello\r\n", remainder: "11111111111111111\r\n",
            end: nil,
            content: "hello"),
        Break(
            name: "size-bare-LF", framing: chunked, start: "5\r\nhello\r\n", remainder: "5\nhello\r\n", end: nil,
            content: "hello"),
        Break(
            name: "data-too-long", framing: chunked, start: "5\r\nhello", remainder: "!\r\n0\r\n\r\n", end: nil,
            content: "hello"),
        Break(
            name: "data-bare-LF", framing: chunked, start: "5\r\nhello", remainder: "\n0\r\n\r\n", end: nil,
            content: "hello"
        ),
        Break(
            name: "trailer-no-field", framing: chunked, start: "5\r\nhello\r\n", remainder: "0\r\nnonsense\r\n\r\n",
            end: nil, content: "hello"),
        Break(
            name: "after-last-chunk", framing: chunked, start: "5\r\nhello\r\n", remainder: "0\r\n\r\nmore", end: nil,
            content: "hello"),
    ]

    /// A gateway whose instance fails in one of these ways at the path with the way's name. The instance responds
    /// normally for all other paths.
    private struct Fixture {
        let proxy: ProxyFixture
        let endings = Recorded<String>("a connection closed by the gateway")
        let resume = Recorded<String>("a client that has the start")

        init() throws {
            let (endings, resume) = (endings, resume)
            let opencode = BrokenBodyTests.breaks.reduce(FakeOpenCode()) { opencode, broken in
                opencode.route("/\(broken.name)") { connection, head in
                    let start = "HTTP/1.1 200 OK\r\n\(broken.framing)\r\n\r\n\(broken.start)"
                    if head.target.hasSuffix("?at-once") {
                        try connection.write(start + broken.remainder)
                    } else {
                        try connection.write(start)
                        _ = try resume.first { $0 == broken.name }
                        if !broken.remainder.isEmpty { try connection.write(broken.remainder) }
                    }
                    switch broken.end {
                    case .close: connection.close()
                    case .reset: connection.reset()
                    case nil:
                        try connection.waitForEnd()
                        endings.append(broken.name)
                        connection.close()
                    }
                }
            }
            proxy = try ProxyFixture(opencode) { connection, _ in try connection.respond(200, text: "fine") }
        }
    }

    @Test(arguments: ProxyFixture.carriers)
    func `bytes that arrived before a failure are delivered, then the client's connection is aborted`(method: String)
        throws
    {
        let fixture = try Fixture()

        for broken in Self.breaks {
            let client = ResponseReader(try fixture.proxy.send(method, "/\(broken.name)"))
            var body = try client.readBodyPart() ?? []
            #expect(client.head?.status == 200, "\(broken.name)")
            #expect(String(decoding: body, as: UTF8.self) == "hello", "\(broken.name)")
            fixture.resume.append(broken.name)
            while let part = try client.readBodyPart() { body += part }
            #expect(String(decoding: body, as: UTF8.self) == broken.content, "\(broken.name)")
            #expect(client.ending == .truncated || client.ending == .reset, "\(broken.name)")
            #expect(try fixture.proxy.request("GET", "/after-\(broken.name)").status == 200, "\(broken.name)")
            #expect(
                fixture.proxy.port(of: "/after-\(broken.name)") != fixture.proxy.port(of: "/\(broken.name)"),
                "\(broken.name)")
        }

        try fixture.endings.wait(forCount: Self.breaks.count { $0.end == nil })
    }

    @Test(arguments: ProxyFixture.carriers)
    func `a broken response in a single write never appears complete to the client`(method: String) throws {
        let fixture = try Fixture()

        for broken in Self.breaks {
            let answer = try fixture.proxy.request(method, "/\(broken.name)?at-once")
            if broken.end == .close {
                // The response failed after its head, so the gateway delivers the bytes that arrived.
                #expect(answer.status == 200, "\(broken.name)")
                #expect(answer.text == broken.content, "\(broken.name)")
            }
            if answer.status == 200 {
                #expect(answer.ending == .truncated || answer.ending == .reset, "\(broken.name)")
            } else {
                #expect(answer.status == 502, "\(broken.name)")
            }
            #expect(try fixture.proxy.request("GET", "/after-\(broken.name)").status == 200, "\(broken.name)")
            #expect(
                fixture.proxy.port(of: "/after-\(broken.name)") != fixture.proxy.port(of: "/\(broken.name)?at-once"),
                "\(broken.name)")
        }

        try fixture.endings.wait(forCount: Self.breaks.count { $0.end == nil })
    }

    @Test func `the connection of an HTTP/1.0 client is reset if a body without a length fails`() throws {
        let hasStart = Latch("a client that has the start")
        let fixture = try ProxyFixture { connection, _ in
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            try hasStart.wait()
            connection.close()
        }
        let client = try fixture.gateway.connect()
        try client.write(
            "GET \(ProxyFixture.target("/x")) HTTP/1.0\r\nAuthorization: Bearer \(GatewayUnderTest.key)\r\n\r\n")
        let reader = ResponseReader(client)

        #expect(try reader.readHead().values(of: "Transfer-Encoding") == [])
        #expect(try reader.readBodyPart() == Array("hello".utf8))

        hasStart.open()

        #expect(try reader.readBodyPart() == nil)
        #expect(reader.ending == .reset)
    }
}
