// SPDX-License-Identifier: Apache-2.0

internal import Locking
package import Logging

/// A log sink that stores its records.
package final class RecordedLines: LogSink {
    private let records = Locked<[LogRecord]>([])

    /// Creates a sink without records.
    package init() {}

    /// Stores a record after the records that are already stored.
    package func write(_ record: LogRecord) { records.withLock { $0.append(record) } }

    /// All records that the sink has received, oldest first.
    package var all: [LogRecord] { records.withLock { $0 } }
}

extension LogRecord {
    /// Returns the text of the field with this name, or an empty text if there is no such text field.
    package func text(of name: String) -> String {
        guard case .text(let text) = fields.first(where: { $0.name == name })?.value else { return "" }
        return text
    }
}
