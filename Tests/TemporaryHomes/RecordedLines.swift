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

extension LogRecord {
    /// Returns the text of the field with this name; empty if there is none.
    package func text(of name: String) -> String {
        guard case .text(let text) = fields.first(where: { $0.name == name })?.value else { return "" }
        return text
    }
}
