/// What a server serves: one object for each loop.
package protocol RequestHandler: AnyObject {
    /// The head of a request that waits for "100 Continue" before it sends its body: an answer refuses it without the
    /// body.
    func refusal(of connection: ClientConnection) -> Answer?
    /// A request is there. Its body is whole where ``ClientConnection/isBodyComplete``, else it arrives bit by bit.
    /// The handler answers now, or keeps the connection, sets ``ClientConnection/exchange`` and answers later.
    func handle(_ connection: ClientConnection)
    /// The request has ended, answered or not. `record` makes what the access log wants to know of it, which costs
    /// something: it is called only where somebody wants that.
    func ended(_ summary: RequestSummary, record: () -> RequestRecord)
    /// A client was turned away before there was a request to hand over, or in the middle of its answer. `address` is
    /// empty where nobody has been accepted.
    func turnedAway(_ address: String, _ reason: TurnedAway)
}

/// Why a client was turned away.
package enum TurnedAway: Sendable, Equatable {
    /// Its request did not arrive in time (408).
    case lateRequest
    /// It took no byte of its answer in time.
    case lateReader
    /// It read its event stream so slowly that this many bytes were waiting.
    case slowReader(waiting: Int)
    /// Its request's head was refused with this status.
    case refusedHead(status: Int)
    /// libmicrohttpd could not make sense of its head, or had no room for it.
    case malformedHead
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
    func responseDrained()
    /// The client is gone or was cut off: nothing can be answered any more.
    func clientGone()
}

/// What a handler keeps with a client's connection (``ClientConnection/context``): the server carries it and does not look at
/// it. It belongs to the connection, whichever object of the server's stands for that, and serves one request after the other.
package protocol ConnectionContext: AnyObject {
    /// The current request has ended, after ``RequestHandler/ended(_:_:)``: what was noted of it is forgotten.
    func requestEnded()
}
