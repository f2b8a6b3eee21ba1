// SPDX-License-Identifier: Apache-2.0

/// A message from the control plane to the request that waits for it.
enum CallMessage: Sendable {
    /// The answer, or the beginning of one.
    case respond(ControlResponse)
    /// The next bytes of the stream. `goesOn` is called after they were sent, and reports whether the client still
    /// reads.
    case write([UInt8], goesOn: @Sendable (Bool) -> Void)
    /// A pause of the stream. `goesOn` is called after it, or as soon as the client disconnects, and reports whether
    /// the client still reads.
    case pause(Duration, goesOn: @Sendable (Bool) -> Void)
    /// The end of a complete stream.
    case finish
    /// The end of an aborted stream.
    case abort

    /// Reports to the sender that there is no longer a client.
    func reject() {
        switch self {
        case .write(_, let goesOn), .pause(_, let goesOn): goesOn(false)
        case .respond, .finish, .abort: break
        }
    }
}
