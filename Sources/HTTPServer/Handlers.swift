package import EventLoop
package import HTTPTypes

/// What a server serves: one object for each loop.
package protocol RequestHandler: AnyObject {
    /// What refuses a request before its body has come; nil lets the client send it. Asked where the client waits for "100 Continue",
    /// and where no valid key was seen on its connection (``ClientConnection/vouch()``).
    func refusal(of connection: ClientConnection) -> Answer?
    /// A request is there. Its body is whole where ``ClientConnection/isBodyComplete``, else it arrives bit by bit.
    /// The handler answers now, or keeps the connection, sets ``ClientConnection/exchange`` and answers later.
    func handle(_ connection: ClientConnection)
    /// An answer's head was handed to libmicrohttpd, which has copied it: its memory may be used again.
    func sent(_ head: consuming ResponseHead)
    /// The request has ended, answered or not. `record` makes what the access log wants to know of it, which costs
    /// something: it is called only where somebody wants that.
    func ended(_ summary: RequestSummary, record: () -> RequestRecord)
    /// A client was turned away before there was a request to hand over, or in the middle of its answer. `address` is
    /// empty where nobody has been accepted.
    func turnedAway(_ address: String, _ reason: RejectedClient)
}

extension RequestHandler {
    /// The memory is given up.
    package func sent(_ head: consuming ResponseHead) {}
}

/// Why a client was turned away.
package enum RejectedClient: Sendable, Equatable {
    /// Its request did not arrive in time (408).
    case lateRequest
    /// It took no byte of its answer in time.
    case lateReader
    /// It has taken no byte of its event stream for so long.
    case stalledReader(Duration)
    /// It read its event stream so slowly that this many bytes were waiting.
    case slowReader(waiting: Int)
    /// It read its chat so slowly that this many bytes were waiting.
    case slowChat(waiting: Int)
    /// It has answered no ping of its chat for so long.
    case silentChat(Duration)
    /// Its request's head was refused with this status.
    case refusedHead(status: Int)
    /// A line of its chunked body is too long (413).
    case longChunkLine
    /// libmicrohttpd could not make sense of its head, or had no room for it.
    case malformedHead
    /// No valid key had come on its connection, which was the oldest such one when no other was allowed.
    case madeRoom
    /// This many connections are open on the loop: further ones have to wait.
    case noRoom(limit: Int)
    /// accept(2) has failed with this `errno`.
    case notAccepted(code: Int32)
}

/// Who follows one request after it was handed over.
package protocol ServerExchange: AnyObject {
    /// More of the request's body, or its end, is there.
    func requestBodyArrived()
    /// The client has taken enough of the answer that its source may go on.
    func resumeResponse()
    /// The client is gone or was cut off: nothing can be answered any more. It may come before a call returns that gives the answer
    /// (``ClientConnection/respond(_:)``, `begin`, `upgrade`): where libmicrohttpd has no room for its head.
    func clientGone()
}

/// What a handler keeps with a client's connection (``ClientConnection/context``): the server carries it and does not look at
/// it. It belongs to the connection, whichever object of the server's stands for that, and serves one request after the other.
package protocol ConnectionContext: AnyObject {
    /// The current request has ended, after ``RequestHandler/ended(_:record:)``: what was noted of it is forgotten.
    func requestEnded()
}

/// What is known of a request when it has ended, for the access log.
package struct RequestRecord {
    /// The method's own spelling.
    package var methodName: String
    /// The request target as it came; its query can hold secrets.
    package var target: [UInt8]
    /// The client's address.
    package var peer: String
    /// What the handler keeps with the connection.
    package var context: (any ConnectionContext)?
    /// The request's number on its loop.
    package var number: UInt64
    /// When the request line was read.
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

/// What became of a request.
package struct RequestSummary: Sendable {
    /// The status that was sent, or 0 where none was.
    package var status = 0
    /// Bytes of the answer's body that were handed to the client's socket.
    package var bodyBytes: UInt64 = 0
    /// Whether the answer reached its end.
    package var isComplete = false
}
