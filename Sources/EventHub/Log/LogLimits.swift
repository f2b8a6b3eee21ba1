/// How much of what an instance has said is kept.
package struct LogLimits: Sendable, Equatable {
    /// Bytes of a project's segments on the disk (`--event-keep-size`); 0: `memoryBytes` in memory, nothing on the disk.
    package var bytes: Int
    /// How long (`--event-keep-time`).
    package var time: Duration

    /// What is kept of a project in memory where nothing can be, or shall be, kept on the disk.
    package static let memoryBytes = 4 << 20

    /// What the settings say; their table alone has defaults.
    package init(bytes: Int, time: Duration) {
        self.bytes = bytes
        self.time = time
    }
}
