// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import HTTPTypes

/// The handler of a server's requests. Each loop has one handler.
package protocol RequestHandler: AnyObject {
    /// Returns the response that rejects a request before its body has arrived, or nil to let the client send the body.
    /// The server calls this method if the client waits for "100 Continue", and if the client has presented no valid
    /// key on its connection (``ClientConnection/vouch()``).
    func refusal(of connection: ClientConnection) -> GatewayAnswer?
    /// Handles a request. If ``ClientConnection/isBodyComplete`` is false, the request's body arrives in parts. The
    /// handler responds immediately, or keeps the connection, sets ``ClientConnection/exchange`` and responds later.
    func handle(_ connection: ClientConnection)
    /// Receives the head of a response after libmicrohttpd has copied it, so that the handler can reuse the head's
    /// memory.
    func sent(_ head: consuming ResponseHead)
    /// Receives the summary of a request that has ended, with or without a response.
    ///
    /// - Parameter record: Creates the values for the access log. Call this closure only if the log needs the values,
    ///   because the call is expensive.
    func ended(_ summary: RequestSummary, record: () -> RequestRecord)
    /// Receives the reason why a client was rejected before the handler received a request, or during its response.
    ///
    /// - Parameter address: The client's address; empty if no client was accepted.
    func rejected(_ address: String, _ reason: RejectedClient)
}

extension RequestHandler {
    /// Releases the memory of the head.
    package func sent(_ head: consuming ResponseHead) {}
}

/// The reason why a client was rejected.
package enum RejectedClient: Sendable, Equatable {
    /// The client's request did not arrive in time (408).
    case lateRequest
    /// The client read no byte of its response in time.
    case lateReader
    /// The client has not read a byte of its event stream for this duration.
    case stalledReader(Duration)
    /// The client read its event stream so slowly that this many bytes were waiting.
    case slowReader(waiting: Int)
    /// The client read its chat so slowly that this many bytes were waiting.
    case slowChat(waiting: Int)
    /// The client has not replied to a ping in its chat for this duration.
    case silentChat(Duration)
    /// The head of the client's request was rejected with this status.
    case refusedHead(status: Int)
    /// A line of the client's chunked body is too long (413).
    case longChunkLine
    /// libmicrohttpd could not parse the client's head, or libmicrohttpd's memory was too small for the head.
    case malformedHead
    /// The connection limit was reached, and this connection was the oldest one without a valid key.
    case madeRoom
    /// The loop has this many open connections, so further connections must wait.
    case noRoom(limit: Int)
    /// accept(2) failed with this `errno`.
    case notAccepted(code: Int32)
}

/// The delegate of one request after the handler has received it.
package protocol ServerExchange: AnyObject {
    /// Handles the arrival of a further part of the request's body, or of the body's end.
    func requestBodyArrived()
    /// Resumes the source of the response, because the client has received enough of the response.
    func resumeResponse()
    /// Handles the disconnection of the client, after which no response is possible any more. The server may call this
    /// method during a call that sends the response (``ClientConnection/respond(_:)``, `startResponse`, `upgrade`), if
    /// libmicrohttpd has no room for the response's head.
    func clientDisconnected()
}

/// The object that a handler stores with a client's connection (``ClientConnection/context``). The server itself does
/// not use the object. The object stays with the connection even if another object of the server represents the
/// connection later. A context serves one request after the other.
package protocol ConnectionContext: AnyObject {
    /// Discards the context's records about the current request, which has ended with this result. The server calls this
    /// method after ``RequestHandler/ended(_:record:)``.
    func requestEnded(_ summary: RequestSummary)
}

/// The properties of a request that has ended, for the access log.
package struct RequestRecord {
    /// The method as the client spelled it.
    package var methodName: String
    /// The request target as received, whose query can contain secrets.
    package var target: [UInt8]
    /// The client's address, without the port.
    package var peer: String
    /// The object that the handler stores with the connection.
    package var context: (any ConnectionContext)?
    /// The request's number on its loop.
    package var number: UInt64
    /// The time when the request line was read.
    package var startTime: MonotonicTime

    init(_ connection: ClientConnection) {
        methodName = connection.head.methodName
        target = connection.head.target
        peer = connection.peer
        context = connection.context
        number = connection.number
        startTime = connection.startTime
    }
}

/// The result of a request.
package struct RequestSummary: Sendable {
    /// The status that was sent; 0 if none was sent.
    package var status = 0
    /// The number of bytes of the response's body that were written to the client's socket.
    package var bodyBytes: UInt64 = 0
    /// Whether the response was sent completely.
    package var isComplete = false

    /// Creates the summary of a request.
    package init(status: Int = 0, bodyBytes: UInt64 = 0, isComplete: Bool = false) {
        self.status = status
        self.bodyBytes = bodyBytes
        self.isComplete = isComplete
    }
}
