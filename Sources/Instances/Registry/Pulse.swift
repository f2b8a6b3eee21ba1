/// Signs of life of one instance: healthy answers, and bytes of proxied answers, which the loops count.
struct Pulse {
    private var lastSign = SuspendingClock.now
    private var count: UInt64?

    /// A health check goes out: bytes count from the next look on.
    mutating func checkBegins() { count = nil }

    /// It was found healthy.
    mutating func answered(now: SuspendingClock.Instant = .now) { lastSign = now }

    /// The loops have counted to `newCount`. For how long there was no sign of life, and whether bytes came since the
    /// last look at the present health check.
    mutating func look(_ newCount: UInt64, now: SuspendingClock.Instant = .now) -> (quiet: Duration, progressed: Bool) {
        let progressed = count.map { $0 != newCount } ?? false
        count = newCount
        if progressed { lastSign = now }
        return (lastSign.duration(to: now), progressed)
    }
}
