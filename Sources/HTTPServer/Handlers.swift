/// What a server serves: one object for each loop.
package protocol RequestHandler: AnyObject {
    /// The head of a request that waits for "100 Continue" before it sends its body: an answer refuses it without the
    /// body.
    func refuse(_ connection: ClientConnection) -> Answer?
    /// A request is there. Its body is whole where ``ClientConnection/isBodyComplete``, else it arrives bit by bit.
    /// The handler answers now, or keeps the connection, sets ``ClientConnection/exchange`` and answers later.
    func handle(_ connection: ClientConnection)
    /// Whether ``ended(_:_:)`` does anything: a record costs what making it costs.
    var wantsRecords: Bool { get }
    /// The request has ended, answered or not.
    func ended(_ request: RequestRecord, _ summary: RequestSummary)
    /// A client was turned away before there was a request to hand over; one sentence for the log.
    func turnedAway(_ address: String, _ reason: String)
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
