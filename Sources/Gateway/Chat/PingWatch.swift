/// Whether a chat's client is there: at each tick it is asked, and has until the next one to say anything. What it takes of
/// what waits for it is a sign of life, too: a ping would stand behind that. Pure.
struct PingWatch: Sendable, Equatable {
    /// What is to be done at a tick.
    enum Move: Equatable {
        case ping
        case wait
        case cut
    }

    private var isAsked = false
    private var hasHeard = false
    private var hasMoved = false

    /// Anything has come.
    mutating func heard() { hasHeard = true }

    /// The client has taken bytes.
    mutating func moved() { hasMoved = true }

    /// A ping's time has come; `isBlocked`: bytes wait that the client has not taken.
    mutating func tick(isBlocked: Bool) -> Move {
        defer { (hasHeard, hasMoved) = (false, false) }
        if isBlocked { return hasHeard || hasMoved ? .wait : .cut }
        guard !isAsked || hasHeard else { return .cut }
        isAsked = true
        return .ping
    }
}
