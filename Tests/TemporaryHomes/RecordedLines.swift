// SPDX-License-Identifier: Apache-2.0

internal import Locking
package import Logging

/// Keeps what was logged.
package final class RecordedLines: LogSink {
    private let records = Locked<[LogRecord]>([])

    /// Keeps nothing so far.
    package init() {}

    /// Keeps a line.
    package func write(_ record: LogRecord) { records.withLock { $0.append(record) } }

    /// All lines, the oldest first.
    package var all: [LogRecord] { records.withLock { $0 } }
}
