// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import HTTPTypes

/// The reason why a transfer has failed.
package enum UpstreamFailure: Error, Sendable, Equatable {
    /// No process accepts connections at the address.
    case refused
    /// The gateway has no descriptor left for a connection.
    case outOfDescriptors
    /// The connection was closed or reset before the response's head.
    case noAnswer(String)
    /// The response cannot be trusted: its head or framing is invalid.
    case badAnswer(String)
    /// The response ended within its body.
    case brokenBody(String)

    /// Whether the instance has received no byte of the request.
    package var reachedNobody: Bool {
        switch self {
        case .refused, .outOfDescriptors: true
        case .noAnswer, .badAnswer, .brokenBody: false
        }
    }
}

/// The delegate of one transfer. Every call is made on the loop's thread.
package protocol UpstreamDelegate: AnyObject {
    /// The final head has arrived; `framing` is how the body ends.
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming)
    /// The next bytes of the body have arrived, without their transfer coding; false asks the source to pause until
    /// ``UpstreamTransfer/resume()``.
    func answerBody(_ bytes: Span<UInt8>) -> Bool
    /// The body is complete, followed by these trailer fields.
    func answerEnded(trailers: FieldList)
    /// The transfer has failed; nothing else will come.
    func answerFailed(_ failure: UpstreamFailure)
    /// All bytes of one read from the instance were reported.
    func answerSettled()
    /// Bytes passed to ``UpstreamTransfer/upload(_:)`` were sent; more are welcome.
    func uploadHasRoom()
    /// The instance switched protocols: the delegate owns the socket, with the bytes that came after the head.
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8])
}
