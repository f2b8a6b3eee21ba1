import HTTPTypes

/// The part of an answer's body that waits for libmicrohttpd to fetch it.
struct OutgoingBody {
    var queue = ByteQueue()
    /// Whether the source was told to pause and must be told to go on.
    var isSourcePaused = false
    /// Whether libmicrohttpd waits for bytes.
    var isReaderWaiting = false
    /// The body's length, where it was announced.
    var promised: UInt64?
    /// What follows the last chunk (RFC 9110 §6.5).
    var trailers = FieldList()
    /// libmicrohttpd's response, which it keeps until it has read the body's end.
    var response: OpaquePointer?

    /// Prepares for another answer; the queue's memory is kept.
    mutating func reset() {
        queue.removeAll()
        isSourcePaused = false
        isReaderWaiting = false
        promised = nil
        if trailers.count > 0 { trailers = FieldList() }
        response = nil
    }
}

/// An answer that libmicrohttpd has not been given yet.
enum PendingAnswer {
    case whole(Answer)
    case begun(ResponseHead, BodyLength)
    case upgrade(ResponseHead)
}
