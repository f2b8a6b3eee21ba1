// SPDX-License-Identifier: Apache-2.0

/// The limits for the kept events of an instance.
package struct LogLimits: Sendable, Equatable {
    /// The maximum size in bytes of a project's segments on the disk (`--event-keep-size`). If it is 0, nothing is kept
    /// on the disk, and ``memoryBytes`` are kept in memory.
    package var bytes: Int
    /// How long events are kept (`--event-keep-time`).
    package var time: Duration

    /// The size in bytes that is kept of a project in memory, if nothing can or may be kept on the disk.
    package static let memoryBytes = 4 << 20

    /// Creates limits from the settings. Only the table of settings has defaults.
    package init(bytes: Int, time: Duration) {
        self.bytes = bytes
        self.time = time
    }
}
