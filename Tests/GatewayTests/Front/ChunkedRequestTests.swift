// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests requests in the chunked coding. Invalid coding ends the connection, and valid content reaches the instance
/// without the framing.
@Suite(.onTestThreads) struct ChunkedRequestTests {
    private static let head = RequestText.head(
        "POST /projects/demo/api/framed HTTP/1.1", ["Transfer-Encoding: chunked"])

    @Test func `an invalid chunk size is rejected`() throws {
        let fixture = try RefusalFixture()
        for size in ["zz", "-1", "+5", "0x5", " 5", "5 ", "5 5", "5,", "5_", "", ";extension", "g", "٥"] {
            try fixture.expectRefusal(Self.head + "\(size)\r\nhello\r\n0\r\n\r\n")
        }
        try fixture.expectNothingGotThrough()
    }

    /// The connection ends after the refusal, although the kernel still holds much unread data.
    @Test func `an invalid chunk size is rejected even if much data follows it`() throws {
        let fixture = try RefusalFixture()
        try fixture.expectRefusal(Self.head + "zz\r\n" + String(repeating: "x", count: 60_000))
        try fixture.expectNothingGotThrough()
    }

    @Test func `a chunk size beyond 64 bits is rejected with 413`() throws {
        let fixture = try RefusalFixture()
        for size in ["10000000000000000", "FFFFFFFFFFFFFFFFFFFFFFFF", "10000000000000005"] {
            try fixture.expectRefusal(Self.head + "\(size)\r\nhello\r\n0\r\n\r\n", 413)
        }
        try fixture.expectNothingGotThrough()
    }

    @Test func `chunk data without its CR LF is rejected`() throws {
        let fixture = try RefusalFixture()

        for chunk in [
            "5\r\nhello0\r\n\r\n", "5\r\nhello world\r\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n", "5\rhello\r\n0\r\n\r\n",
        ] {
            try fixture.expectRefusal(Self.head + chunk)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a trailer line without a colon is rejected`() throws {
        let fixture = try RefusalFixture()
        try fixture.expectRefusal(Self.head + "5\r\nhello\r\n0\r\nno colon\r\n\r\n")
        try fixture.expectNothingGotThrough()
    }

    @Test func `an invalid chunk after a large upload aborts the upload and is rejected with 400`() throws {
        let sawEnd = Latch("the instance to see the truncated request")
        let instance = try FakeOpenCode().start { connection, head in
            do {
                _ = try connection.readBody(of: head)
                try connection.respond(200)
            } catch {
                sawEnd.open()
                throw error
            }
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.write(Self.head)
        try connection.writeChunk([UInt8](repeating: 0x61, count: 300_000))
        _ = try instance.requests.wait(forCount: 1)
        try connection.write("zz\r\nhello\r\n0\r\n\r\n" + RequestText.smuggled)
        let answer = try connection.readRawAnswer()

        #expect(answer.statuses == [400])

        try sawEnd.wait()

        #expect(instance.requests.count == 1)
    }

    @Test func `chunk extensions and trailers are not forwarded to the instance`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try FakeOpenCode().start { connection, head in
            bodies.append(try connection.readBody(of: head))
            try connection.respond(200, text: "answered")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let plain = [
            "5\r\nhello\r\n0\r\n\r\n", "00005\r\nhello\r\n000\r\n\r\n",
            "2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Trailer: 1\r\nX-Second: 2\r\n\r\n",
        ]
        let extended = ["5;name=value\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0;last\r\n\r\n"]
        for body in plain + (MessageLibrary.stumblesOverExtensions ? [] : extended) {
            let connection = try gateway.connect()
            try connection.write(Self.head + body)
            let answer = try ResponseReader(connection).readAll()
            #expect(answer.text == "answered", "\(body.debugDescription)")
        }
        let passed = bodies.values

        #expect(passed.allSatisfy { $0.text == "hello" })
        #expect(passed.count >= plain.count)
        #expect(passed.allSatisfy { $0.trailers.isEmpty && $0.values(of: "X-Trailer").isEmpty })

        // A request that the library rejects does not reach the instance.
        for body in MessageLibrary.stumblesOverExtensions ? extended : [] {
            let connection = try gateway.connect()
            try connection.write(Self.head + body)
            #expect(try connection.readRawAnswer().statuses == [400], "\(body.debugDescription)")
        }

        #expect(bodies.count == passed.count)
    }

    /// libmicrohttpd before 0.9.77 ends trailers early at a line that begins with NUL, and parses the remainder as a
    /// request.
    @Test func `bytes after a malformed trailer are never served as a request`() throws {
        let instance = try FakeOpenCode.answering()
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.write(Self.head + "5\r\nhello\r\n0\r\n\0evil\r\n" + RequestText.smuggled)
        _ = try connection.readRawAnswer()

        #expect(instance.requests.values.filter { $0.target.contains("smuggled") }.isEmpty)
        #expect(instance.requests.count <= 1)
    }

    /// libmicrohttpd 0.9.75 accepts a bare LF inside the chunked coding without reporting it (docs/security.md). The
    /// gateway frames the content again, so the instance never receives it.
    @Test func `bare line feeds in the chunked coding never reach the instance`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try FakeOpenCode().start { connection, head in
            bodies.append(try connection.readBody(of: head))
            try connection.respond(200, text: "answered")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for body in [
            "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\n", "5;a\rb\nhello\r\n0\r\n\r\n",
        ] {
            let connection = try gateway.connect()
            try connection.write(Self.head + body)
            let answer = try ResponseReader(connection).readAll()
            // Later versions of libmicrohttpd reject it.
            if answer.status == 400 { continue }
            #expect(answer.text == "answered")
            #expect(bodies.values.last?.text == "hello")
            #expect(bodies.values.last?.rawBody.contains(UInt8(ascii: "a")) == false)
        }
    }
}

extension ChunkedRequestTests {
    @Test func `a response to a chunked request has one Date field`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(
                200, headers: [("Date", "Mon, 02 Jan 2006 15:04:05 GMT")], text: "answered")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        for target in ["/projects/demo/api/x", "/projects/none/start"] {
            let connection = try gateway.connect()
            try connection.write(
                RequestText.head("POST \(target) HTTP/1.1", ["Transfer-Encoding: chunked"]) + "5\r\nhello\r\n0\r\n\r\n")

            let answer = try ResponseReader(connection).readAll()

            #expect(answer.values(of: "Date").count == 1)
            #expect(target != "/projects/demo/api/x" || answer.values(of: "Date") == ["Mon, 02 Jan 2006 15:04:05 GMT"])
        }
    }
}
