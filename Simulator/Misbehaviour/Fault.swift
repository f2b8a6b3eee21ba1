// SPDX-License-Identifier: Apache-2.0

/// A way to break the response to a request.
struct Fault: Sendable, Equatable {
    /// The kind of failure. Event streams support only the kinds that apply to them.
    enum Kind: String, Sendable, CaseIterable {
        case hangBeforeHead = "hang-before-head"
        case closeBeforeHead = "close-before-head"
        case hangAfterHead = "hang-after-head"
        /// The server sends half of the body, or the first event of a stream, and then closes the connection (FIN).
        case closeInBody = "close-in-body"
        /// The server sends half of the body, or the first event of a stream, and then resets the connection (RST).
        case resetInBody = "reset-in-body"
        /// The body is shorter than announced.
        case bodyTooShort = "body-too-short"
        /// The body is longer than announced.
        case bodyTooLong = "body-too-long"

        var help: String {
            switch self {
            case .hangBeforeHead: "accept the request and never answer"
            case .closeBeforeHead: "accept the request and close the connection without an answer"
            case .hangAfterHead: "send the head of the answer and nothing more"
            case .closeInBody: "close the connection in the middle of the body, or after a stream's first event"
            case .resetInBody: "reset the connection in the middle of the body, or after a stream's first event"
            case .bodyTooShort: "announce ten bytes more than are sent"
            case .bodyTooLong: "send ten bytes more than are announced"
            }
        }
    }

    let kind: Kind
    /// The prefix of the affected paths.
    let path: String

    /// The paths of the health check.
    private static let healthPaths = ["/global/health", "/api/info"]

    /// Returns whether the fault applies to a path. A fault with the prefix `/` does not apply to the health check.
    func applies(to path: String) -> Bool {
        path.hasPrefix(self.path) && (self.path != "/" || !Fault.healthPaths.contains(path))
    }
}
