import EventHub

extension LogLimits {
    /// What a test does not name is more than it fills.
    init(bytes: Int = 64 << 20) { self.init(bytes: bytes, time: .seconds(7 * 86_400)) }

    /// As much as no test fills.
    init(time: Duration) { self.init(bytes: 64 << 20, time: time) }
}
