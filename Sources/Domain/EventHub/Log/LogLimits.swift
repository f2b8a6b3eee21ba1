// SPDX-License-Identifier: Apache-2.0

/// The limits of a log.
package struct LogLimits: Sendable, Equatable {
    /// The maximum size in bytes of a project's segments on the disk (`--event-keep-size`). If the size is 0, nothing
    /// is stored on the disk, and ``memoryBytes`` are kept in memory.
    package var bytes: Int
    /// The retention time of events (`--event-keep-time`).
    package var time: Duration

    /// The size in bytes of a project's events in memory if the disk cannot or must not be used.
    package static let memoryBytes = 4 << 20

    /// Creates limits from the settings. The table of settings defines the defaults.
    package init(bytes: Int, time: Duration) {
        self.bytes = bytes
        self.time = time
    }
}
