/// How long an instance may take.
package struct InstanceLimits: Sendable {
    /// From the start until it is ready.
    package var start: Duration
    /// From SIGTERM until SIGKILL.
    package var stop: Duration
    /// From SIGKILL until the stop is given up: the kernel holds the process.
    package var kill: Duration = .seconds(5)
    /// Between the first two health checks; then twice as long each time.
    package var firstProbeDelay: Duration = .milliseconds(50)
    /// Between two health checks at most.
    package var longestProbeDelay: Duration = .milliseconds(500)

    /// The defaults: 30 s to start, 10 s to stop.
    package init(start: Duration = .seconds(30), stop: Duration = .seconds(10)) {
        self.start = start
        self.stop = stop
    }
}
