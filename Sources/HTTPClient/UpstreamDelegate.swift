package import EventLoop
package import HTTPTypes

/// Why a transfer has failed.
package enum UpstreamFailure: Error, Sendable, Equatable {
    /// Nobody accepts connections at the address.
    case refused
    /// The gateway has no descriptor left for a connection.
    case outOfDescriptors
    /// The connection was closed or reset before the answer's head.
    case noAnswer(String)
    /// The answer cannot be trusted: its head or framing is broken.
    case badAnswer(String)
    /// The answer broke off in its body.
    case brokenBody(String)

    /// Whether nobody has got a byte of the request.
    package var reachedNobody: Bool {
        switch self {
        case .refused, .outOfDescriptors: true
        case .noAnswer, .badAnswer, .brokenBody: false
        }
    }
}

/// Who follows one transfer. Every call comes on the loop's thread.
package protocol UpstreamDelegate: AnyObject {
    /// The final head is there; `framing` says how the body ends.
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming)
    /// The next bytes of the body, its transfer coding taken off; false asks the source to pause until
    /// ``UpstreamTransfer/resume()``.
    func answerBody(_ bytes: Span<UInt8>) -> Bool
    /// The body was whole.
    func answerEnded(trailers: FieldList)
    /// The transfer has failed; nothing else will come.
    func answerFailed(_ failure: UpstreamFailure)
    /// Everything that one read from the instance has brought was told.
    func answerSettled()
    /// Bytes handed to ``UpstreamTransfer/upload(_:)`` have left; more are welcome.
    func uploadHasRoom()
    /// The instance switched protocols: the socket is the follower's, with the bytes that came behind the head.
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8])
}
