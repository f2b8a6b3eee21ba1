/// What instances run with, and how they are watched and restarted. Durations are measured on the monotonic clock.
package struct InstanceSettings: Sendable, Equatable {
    /// Whether each run of an instance gets a random password.
    package internal(set) var givesPasswords = false
    /// For an answer to the callers of a start; the start goes on.
    package internal(set) var startAnswerTimeout = Duration.zero
    /// Before the first restart after a crash; then twice as long each time.
    package internal(set) var restartDelay = Duration.zero
    /// Before a restart at most.
    package internal(set) var maxRestartDelay = Duration.zero
    /// Quick failures in a row after which an instance is not restarted.
    package internal(set) var maxQuickFailures = 0
    /// Between two health checks of a ready instance.
    package internal(set) var healthInterval = Duration.zero
    /// Without a health answer and without a byte: unhealthy.
    package internal(set) var unhealthyAfter = Duration.zero
    /// Whether an unhealthy instance is restarted.
    package internal(set) var restartUnhealthy = false
}
