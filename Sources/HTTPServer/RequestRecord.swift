package import EventLoop
import HTTPTypes

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
