// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import HTTPTypes

/// The handler of a server's requests: one object for each loop.
package protocol RequestHandler: AnyObject {
    /// Returns the response that refuses a request before its body has arrived; nil lets the client send the body. It
    /// is called where the client waits for "100 Continue", and where no valid key was seen on its connection
    /// (``ClientConnection/vouch()``).
    func refusal(of connection: ClientConnection) -> GatewayAnswer?
    /// Handles a request. Its body is complete where ``ClientConnection/isBodyComplete``, else it arrives in parts. The
    /// handler responds immediately, or keeps the connection, sets ``ClientConnection/exchange`` and responds later.
    func handle(_ connection: ClientConnection)
    /// Receives the head of a response that libmicrohttpd has copied: its memory may be used again.
    func sent(_ head: consuming ResponseHead)
    /// Receives the summary of a request that has ended, with or without a response. `record` creates the values for
    /// the access log. It is expensive, so it is called only where the log needs it.
    func ended(_ summary: RequestSummary, record: () -> RequestRecord)
    /// Receives the reason why a client was rejected before the handler had a request, or in the middle of its
    /// response. `address` is empty where no client was accepted.
    func turnedAway(_ address: String, _ reason: RejectedClient)
}

extension RequestHandler {
    /// Releases the memory of the head.
    package func sent(_ head: consuming ResponseHead) {}
}

/// The reason why a client was rejected.
package enum RejectedClient: Sendable, Equatable {
    /// Its request did not arrive in time (408).
    case lateRequest
    /// It did not read a byte of its response in time.
    case lateReader
    /// It has not read a byte of its event stream for this long.
    case stalledReader(Duration)
    /// It read its event stream so slowly that this many bytes were waiting.
    case slowReader(waiting: Int)
    /// It read its chat so slowly that this many bytes were waiting.
    case slowChat(waiting: Int)
    /// It has not answered a ping of its chat for this long.
    case silentChat(Duration)
    /// Its request's head was refused with this status.
    case refusedHead(status: Int)
    /// A line of its chunked body is too long (413).
    case longChunkLine
    /// libmicrohttpd could not parse its head, or its memory was too small for the head.
    case malformedHead
    /// Its connection had no valid key and was the oldest such one when the connection limit was reached.
    case madeRoom
    /// This many connections are open on the loop; further ones have to wait.
    case noRoom(limit: Int)
    /// accept(2) failed with this `errno`.
    case notAccepted(code: Int32)
}

/// The delegate of one request after the handler has received it.
package protocol ServerExchange: AnyObject {
    /// More of the request's body, or its end, has arrived.
    func requestBodyArrived()
    /// The client has received enough of the response that its source may continue.
    func resumeResponse()
    /// The client has gone or was disconnected: no response is possible any more. This may be called before a call
    /// returns that sends the response (``ClientConnection/respond(_:)``, `begin`, `upgrade`): where libmicrohttpd has
    /// no room for its head.
    func clientGone()
}

/// The object that a handler stores with a client's connection (``ClientConnection/context``). The server carries it
/// without looking at it. It belongs to the connection, whichever object of the server represents that, and serves one
/// request after the other.
package protocol ConnectionContext: AnyObject {
    /// The current request has ended, after ``RequestHandler/ended(_:record:)``: the context discards what it recorded
    /// of the request.
    func requestEnded()
}

/// The properties of a request that has ended, for the access log.
package struct RequestRecord {
    /// The method as the client spelled it.
    package var methodName: String
    /// The request target as received; its query can contain secrets.
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

/// The outcome of a request.
package struct RequestSummary: Sendable {
    /// The status that was sent, or 0 where none was.
    package var status = 0
    /// The number of bytes of the response's body that were written to the client's socket.
    package var bodyBytes: UInt64 = 0
    /// Whether the response was sent completely.
    package var isComplete = false
}
