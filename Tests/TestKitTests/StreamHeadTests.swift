// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import TestKit

/// Tests how a reader handles `Connection: close` with a self-delimiting body, and how Node 20 reads such a body.
@Suite("A stream with Connection: close in its head", .onTestThreads)
struct StreamHeadTests {
    private static let chunked = "Transfer-Encoding: chunked\r\n"
    private static let stream = "Content-Type: text/event-stream\r\n"
    private static let close = "Connection: x, Close\r\n"

    /// Returns a reader of a response after which the server ends the connection.
    private func reader(_ head: String, _ body: String, reset: Bool = false, mayClose: Bool = false) throws
        -> ResponseReader
    {
        let server = try TestServer { connection in
            _ = try connection.readRequestHead()
            try connection.write("HTTP/1.1 200 OK\r\n\(head)\r\n\(body)")
            if reset {
                _ = try connection.read()
                connection.reset()
            }
        }
        let connection = try TestClient.connect(port: server.port)
        try connection.send("GET", "/")
        let reader = ResponseReader(connection, mayClose: mayClose)
        if reset {
            _ = try reader.readHead()
            try connection.write("x")
        }
        _ = try reader.discardBody()
        return reader
    }

    @Test func `a delimited event stream with Connection: close is an error unless closing is allowed`() throws {
        for framing in [Self.chunked, "Content-Length: 5\r\n"] {
            let head = Self.stream + framing + Self.close
            let body = framing == Self.chunked ? "0\r\n\r\n" : "hello"
            #expect(throws: TestKitError.self) { try reader(head, body) }
            #expect(try reader(head, body, mayClose: true).ending == .complete)
        }

        #expect(try reader(Self.stream + Self.chunked, "0\r\n\r\n").ending == .complete)
        // The first body is delimited by the end of the connection, and the second response is not a stream.
        #expect(try reader(Self.stream + Self.close, "hello").ending == .closed)
        #expect(try reader("Content-Type: text/plain\r\n" + Self.chunked + Self.close, "0\r\n\r\n").ending == .complete)
    }

    @Test(arguments: [false, true])
    func `Node 20 treats a truncated chunked body with Connection: close as complete`(reset: Bool) throws {
        let cut = try reader(Self.chunked + Self.close, "5\r\nhello\r\n", reset: reset)

        #expect(cut.ending == (reset ? .reset : .truncated))
        #expect(cut.endingInNode20 == .complete)

        let plain = try reader(Self.chunked, "5\r\nhello\r\n", reset: reset)

        #expect(plain.ending == plain.endingInNode20)
        #expect(plain.endingInNode20 != .complete)

        let length = try reader("Content-Length: 9\r\n" + Self.close, "hello", reset: reset)

        #expect(length.ending == length.endingInNode20)
        #expect(length.endingInNode20 != .complete)
    }
}
