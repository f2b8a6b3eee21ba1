import EventHub

extension LogLimits {
    /// For so long as no run takes.
    init(bytes: Int = 64 << 20) { self.init(bytes: bytes, time: .seconds(7 * 86_400)) }
}
