// SPDX-License-Identifier: Apache-2.0

/// A message from the control plane to a waiting request.
enum CallMessage: Sendable {
    /// The complete response, or its beginning.
    case respond(ControlResponse)
    /// The next bytes of the stream. `resume` is called after the bytes were sent. The argument of `resume` states
    /// whether the client still reads.
    case write([UInt8], resume: @Sendable (Bool) -> Void)
    /// A pause of the stream. `resume` is called after the pause, or as soon as the client disconnects. The argument of
    /// `resume` states whether the client still reads.
    case pause(Duration, resume: @Sendable (Bool) -> Void)
    /// The end of a complete stream.
    case finish
    /// The end of an aborted stream.
    case abort

    /// Reports to the sender that the client no longer exists.
    func reject() {
        switch self {
        case .write(_, let resume), .pause(_, let resume): resume(false)
        case .respond, .finish, .abort: break
        }
    }
}
