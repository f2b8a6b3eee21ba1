// SPDX-License-Identifier: Apache-2.0

/// Reads one response incrementally: first its head, and then its body as it arrives. A reader must be used by only one
/// thread.
package final class ResponseReader {
    private let connection: TestConnection
    private let method: String
    private let mayClose: Bool
    private var body: BodyReader?
    private var bodyFraming = BodyFraming.none
    /// The 1xx heads before the final head.
    package private(set) var interim: [TestResponseHead] = []
    /// The final head; nil until `readHead` has returned it.
    package private(set) var head: TestResponseHead?

    /// Creates a reader for the response to a request.
    ///
    /// - Parameters:
    ///   - method: The request's method, which determines whether there is a body.
    ///   - mayClose: Whether an event stream may have the field `Connection: close`, because no further request can
    ///     follow.
    package init(_ connection: TestConnection, method: String = "GET", mayClose: Bool = false) {
        self.connection = connection
        self.method = method
        self.mayClose = mayClose
    }

    /// Reads the final head. `101 Switching Protocols` is a final head; the bytes after it are read from the connection
    /// itself.
    ///
    /// - Throws: `closed` or `reset` if the connection ends before the head is complete.
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
            if !mayClose, bodyFraming.delimitsBody, next.isEventStream, next.endsConnection {
                throw TestKitError.malformed(
                    "Connection: close on an event stream: Node 20 takes its cut for a clean end")
            }
            body = BodyReader(connection, bodyFraming)
            head = next
            return next
        }
    }

    /// Returns the next bytes of the body as soon as they arrive, or nil at the end of the body. The bytes never span
    /// two chunks.
    package func readBodyPart(within limit: Duration = TestConnection.defaultLimit) throws -> [UInt8]? {
        _ = try readHead(within: limit)
        return try body?.next(within: limit)
    }

    /// How the body ended; nil while it is incomplete.
    package var ending: TestResponse.Ending? { body?.ending }

    /// How the body ended according to fetch in Node 20 and 22. Its client (undici 6) treats a chunked body as complete
    /// if the head announces the end of the connection, regardless of where the connection was closed or reset.
    package var endingInNode20: TestResponse.Ending? {
        guard let ending, ending == .truncated || ending == .reset else { return ending }
        return bodyFraming == .chunked && head?.endsConnection == true ? .complete : ending
    }
    /// The trailer fields. They are complete after the end of the body.
    package var trailers: [TestField] { body?.trailers ?? [] }
    /// The sizes of the chunks received so far.
    package var chunkSizes: [Int] { body?.chunkSizes ?? [] }
    /// The chunk extensions received so far, including the semicolon.
    package var chunkExtensions: [String] { body?.chunkExtensions ?? [] }

    /// Reads the whole response within the limit. If the body is incomplete, `ending` reports this, and no error is
    /// thrown.
    package func readAll(within limit: Duration = TestConnection.defaultLimit) throws -> TestResponse {
        let deadline = Deadline(after: limit)
        let head = try readHead(within: limit)
        var bytes: [UInt8] = []
        while let part = try readBodyPart(within: deadline.remaining) { bytes += part }
        return TestResponse(
            head: head, interim: interim, body: bytes, ending: ending ?? .complete, trailers: trailers,
            chunkSizes: chunkSizes)
    }

    /// Reads the rest of the body without storing it, and returns the number of bytes. The limit applies to the whole
    /// rest of the body.
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
    /// Reads the head of the next response, and skips interim heads. The body remains unread on the connection.
    package func readResponseHead(within limit: Duration = TestConnection.defaultLimit) throws -> TestResponseHead {
        try ResponseReader(self).readHead(within: limit)
    }
}
