package import EventLoop
package import HTTPTypes

/// Why an exchange with an instance has failed.
package enum UpstreamFailure: Error, Sendable, Equatable {
    /// Nobody accepts connections on the port.
    case refused
    /// The gateway has no descriptor left for a connection.
    case outOfDescriptors
    /// The connection was closed or reset before the answer's head.
    case noAnswer(String)
    /// The answer cannot be trusted: its head or framing is broken.
    case badAnswer(String)
    /// The answer broke off in its body.
    case brokenBody(String)
}

/// libcurl could not be set up.
package struct SetUpFailure: Error, CustomStringConvertible {
    /// What failed.
    package let description: String
}

/// Who follows one exchange. Every call comes on the loop's thread, some from inside libcurl's callbacks.
package protocol UpstreamFollower: AnyObject {
    /// The final head is there; `framing` says how the body ends.
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming)
    /// The next bytes of the body, its transfer coding taken off; false asks the source to pause until
    /// ``UpstreamExchange/resume()``.
    func answerBody(_ bytes: Span<UInt8>) -> Bool
    /// The body was whole.
    func answerEnded(trailers: FieldList)
    /// The exchange has failed; nothing else will come.
    func answerFailed(_ failure: UpstreamFailure)
    /// Everything that one read from the instance has brought was told.
    func answerSettled()
    /// Bytes handed to ``UpstreamExchange/upload(_:)`` have left; more are welcome.
    func uploadDrained()
    /// The instance switched protocols: the socket is the follower's, with the bytes that came behind the head.
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8])
}
