// SPDX-License-Identifier: Apache-2.0

/// A message from the control plane to a waiting request.
enum CallMessage: Sendable {
    /// The complete response, or the beginning of a streamed response.
    case respond(ControlResponse)
    /// The next bytes of the stream. The loop calls `resume` as soon as the source may send further bytes, or with
    /// false if the client no longer exists.
    case write([UInt8], resume: @Sendable (Bool) -> Void)
    /// A pause of the stream. The loop calls `resume` with true after the pause, or with false as soon
    /// as the client disconnects.
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
