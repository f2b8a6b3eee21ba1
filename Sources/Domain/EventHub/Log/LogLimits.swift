// SPDX-License-Identifier: Apache-2.0

/// The limits for the events of an instance that are kept.
package struct LogLimits: Sendable, Equatable {
    /// The bytes of a project's segments on the disk (`--event-keep-size`); 0 means `memoryBytes` in memory and nothing
    /// on the disk.
    package var bytes: Int
    /// The time for which events are kept (`--event-keep-time`).
    package var time: Duration

    /// The bytes that are kept of a project in memory if nothing can be, or may be, kept on the disk.
    package static let memoryBytes = 4 << 20

    /// Creates limits from the settings; only the table of the settings has defaults.
    package init(bytes: Int, time: Duration) {
        self.bytes = bytes
        self.time = time
    }
}
