// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import HTTPTypes

/// The reason for the failure of a transfer.
package enum UpstreamFailure: Error, Sendable, Equatable {
    /// No process accepts connections at the address.
    case refused
    /// The gateway has no descriptor left for a connection.
    case outOfDescriptors
    /// The connection was closed or reset before the response's head.
    case noAnswer(String)
    /// The response is invalid: its head or framing cannot be trusted.
    case badAnswer(String)
    /// The response's body is incomplete or malformed.
    case brokenBody(String)

    /// Whether the instance has received no byte of the request.
    package var reachedNoServer: Bool {
        switch self {
        case .refused, .outOfDescriptors: true
        case .noAnswer, .badAnswer, .brokenBody: false
        }
    }
}

/// The delegate of one transfer. Every call is made on the loop's thread.
package protocol UpstreamDelegate: AnyObject {
    /// Receives the final head of the response.
    ///
    /// - Parameter framing: The way in which the body ends.
    func answerHead(_ head: consuming ResponseHead, _ framing: ResponseFraming)
    /// Receives the next bytes of the body, without their transfer coding. Return false to pause reading until
    /// ``UpstreamTransfer/resume()`` is called.
    func answerBody(_ bytes: Span<UInt8>) -> Bool
    /// Receives the end of the body, with the trailer fields.
    func answerEnded(trailers: FieldList)
    /// Receives the failure of the transfer. No further call follows.
    func answerFailed(_ failure: UpstreamFailure)
    /// Handles the end of one read from the instance, after all bytes of the read were reported.
    func answerSettled()
    /// Resumes the upload after bytes that were passed to ``UpstreamTransfer/upload(_:)`` have been sent, so that there
    /// is room for more bytes.
    func uploadHasRoom()
    /// Receives the socket after the instance has switched protocols. The delegate then owns the socket.
    ///
    /// - Parameter early: The bytes that followed the head.
    func switched(_ head: ResponseHead, _ socket: Socket, early: [UInt8])
}
