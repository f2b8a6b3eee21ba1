import HTTPClient

/// What a client is told whose instance has not answered. Pure.
enum LostInstance {
    /// Status and sentence for a request to a project's instance on that port. `isSentOnceOnly`: nobody knows whether it was
    /// taken, and the gateway does not send it again.
    static func sentence(
        _ failure: UpstreamFailure, _ port: UInt16, _ project: String, isSentOnceOnly: Bool
    ) -> (Int, String) {
        switch failure {
        case .refused: return (503, "Cannot connect to OpenCode instance on port \(port)")
        case .outOfDescriptors:
            return (
                503,
                "The gateway has no file descriptor left for a connection to OpenCode. Try again in a moment, or raise its limit (LimitNOFILE=, ulimit -n)."
            )
        case .noAnswer(let reason):
            let doubt =
                isSentOnceOnly
                ? " The OpenCode of project \(project) may have taken the request, a prompt for example, before that: look at the session before you send it again."
                : ""
            return (502, "Proxy error: OpenCode ended the connection without an answer (\(reason)).\(doubt)")
        case .badAnswer(let reason): return (502, "Proxy error: OpenCode's answer cannot be trusted: \(reason).")
        case .brokenBody(let reason): return (502, "Proxy error: OpenCode's answer broke off: \(reason).")
        }
    }

    /// The sentence where it did not answer within that time, which that setting says.
    static func late(_ project: String, _ time: Duration, _ setting: String) -> String {
        "OpenCode instance for \(project) did not answer within \(time.plainText) (\(setting)). Its turn may still be running: look at the session before you send it again."
    }
}
