/// Reads one response incrementally: its head first, then its body as it comes. Used by one thread.
package final class ResponseReader {
    private let connection: TestConnection
    private let method: String
    private let mayClose: Bool
    private var body: BodyReader?
    private var bodyFraming = BodyFraming.none
    /// The 1xx heads that came before the final one.
    package private(set) var interim: [TestResponseHead] = []
    /// The final head, once `readHead` has returned it.
    package private(set) var head: TestResponseHead?

    /// A reader of the answer to a request with that method, which decides whether there is a body. `mayClose`: whether an event
    /// stream may say `Connection: close`, because no request can follow this one.
    package init(_ connection: TestConnection, method: String = "GET", mayClose: Bool = false) {
        self.connection = connection
        self.method = method
        self.mayClose = mayClose
    }

    /// The final head. A `101 Switching Protocols` is final: what follows is read from the connection itself.
    ///
    /// Throws `closed` or `reset` when the peer ends before it is whole.
    package func readHead(within limit: Duration = TestConnection.defaultLimit) throws -> TestResponseHead {
        if let head { return head }
        let deadline = Deadline(after: limit)
        while true {
            let what = "the head of the answer to \(method)"
            guard let raw = try connection.readThrough("\r\n\r\n", within: deadline.remaining, waitingFor: what) else {
                throw TestKitError.closed(waitingFor: what)
            }
            let next = try TestResponseHead(MessageHead(raw))
            if next.status < 200, next.status != 101 {
                interim.append(next)
                continue
            }
            bodyFraming = try framing(of: next)
            if !mayClose, bodyFraming.tellsEnd, next.isEventStream, next.endsConnection {
                throw TestKitError.malformed(
                    "Connection: close on an event stream: Node 20 takes its cut for a clean end")
            }
            body = BodyReader(connection, bodyFraming)
            head = next
            return next
        }
    }

    /// The next bytes of the body as soon as some are there, never across a chunk's end; nil when it has ended.
    package func readBodyPart(within limit: Duration = TestConnection.defaultLimit) throws -> [UInt8]? {
        _ = try readHead(within: limit)
        return try body?.next(within: limit)
    }

    /// How the body ended; nil while it goes on.
    package var ending: TestResponse.Ending? { body?.ending }

    /// How the body ended for the fetch of Node 20 and 22: its client (undici 6) takes a chunked body for whole, wherever the
    /// connection was closed or reset, when the head says that the connection ends with it.
    package var endingInNode20: TestResponse.Ending? {
        guard let ending, ending == .truncated || ending == .reset else { return ending }
        return bodyFraming == .chunked && head?.endsConnection == true ? .complete : ending
    }
    /// The trailer fields, after the end.
    package var trailers: [TestField] { body?.trailers ?? [] }
    /// The sizes of the chunks so far.
    package var chunkSizes: [Int] { body?.chunkSizes ?? [] }
    /// What stood behind chunk sizes so far, with the semicolon.
    package var chunkExtensions: [String] { body?.chunkExtensions ?? [] }

    /// The whole response. The limit is for all of it; a body cut short is told by `ending`, not thrown.
    package func readAll(within limit: Duration = TestConnection.defaultLimit) throws -> TestResponse {
        let deadline = Deadline(after: limit)
        let head = try readHead(within: limit)
        var bytes: [UInt8] = []
        while let part = try readBodyPart(within: deadline.remaining) { bytes += part }
        return TestResponse(
            head: head, interim: interim, body: bytes, ending: ending ?? .complete, trailers: trailers,
            chunkSizes: chunkSizes)
    }

    /// Reads the rest of the body without keeping it; how many bytes that were. The limit is for all of it.
    package func discardBody(within limit: Duration = TestConnection.defaultLimit) throws -> Int {
        let deadline = Deadline(after: limit)
        var count = 0
        while let part = try readBodyPart(within: deadline.remaining) { count += part.count }
        return count
    }

    private func framing(of head: TestResponseHead) throws -> BodyFraming {
        if method == "HEAD" || head.status == 204 || head.status == 304 || head.status == 101 { return .none }
        let framing = try BodyFraming(head.fields)
        if framing == .chunked, head.version == "HTTP/1.0" {
            throw TestKitError.malformed("a chunked body in an HTTP/1.0 response")
        }
        return framing ?? .untilClose
    }
}

extension TestConnection {
    /// The head of the answer that comes next, interim ones skipped; its body is left unread on the connection.
    package func readResponseHead(within limit: Duration = TestConnection.defaultLimit) throws -> TestResponseHead {
        try ResponseReader(self).readHead(within: limit)
    }
}
