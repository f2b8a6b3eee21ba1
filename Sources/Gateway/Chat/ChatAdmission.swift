import Access
import WebSockets

/// With what a client was let in whose socket opens a moment later: the policy may be another one by then.
struct ChatAdmission: Sendable {
    /// Whose key it has; nil: it was let in without one.
    let principal: Principal?
    /// Whether there was room for another socket.
    let hasRoom: Bool

    /// Why its socket ends as soon as it opens, where these are the keys by then; nil: it may talk.
    func refusal(under keys: KeyTable) -> CloseStatus? {
        if let principal, !keys.holdsKey(of: principal) { return .revoked }
        return hasRoom ? nil : CloseStatus(.tryAgainLater, "too many chats are open: try again later")
    }
}

extension CloseStatus {
    /// The key by which the socket was opened opens nothing any more.
    static let revoked = CloseStatus(.policyViolation, "the key was revoked")
}
