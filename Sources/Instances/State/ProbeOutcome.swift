package import OpenCode

/// How a health check went.
package enum ProbeOutcome: Sendable, Equatable {
    /// It is healthy; OpenCode's version where it says it; whether it lets nobody in without its password: nil when that was
    /// not tried or not to be found out; where it told so; and the number under which its process sees itself, where it says
    /// that.
    case healthy(
        version: String?, enforcesPassword: Bool? = nil, path: HealthPath? = nil, processNumber: Int32? = nil)
    /// It answered, and is not; why, as one sentence.
    case unhealthy(reason: String)
    /// It does not take the password that it was given; one sentence.
    case unauthorized(reason: String)
    /// No answer came; why, as one sentence.
    case silent(reason: String)
}

/// One health check.
package struct HealthCheck: Sendable, Equatable {
    /// Its number; a later one's is greater.
    package let number: UInt64
    /// The port on 127.0.0.1 to ask.
    package let port: UInt16
    /// How long the answer may take.
    package let timeout: Duration

    /// A check.
    package init(number: UInt64, port: UInt16, timeout: Duration) {
        self.number = number
        self.port = port
        self.timeout = timeout
    }
}
