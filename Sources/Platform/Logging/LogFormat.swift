// SPDX-License-Identifier: Apache-2.0

/// The format of the written log records.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Human-readable lines, for a terminal.
    case text
    /// One JSON object for each line.
    case json
    /// Native journal entries, sent to journald.
    case journal
}

/// The values of `--log-format`: a format, or `auto` to choose one that suits the log's destination.
package enum LogFormatChoice: String, Sendable, CaseIterable {
    /// The format that suits the log's destination: the journal's format if stderr is connected to the journal, text on
    /// a terminal, and JSON lines otherwise.
    case auto
    /// Text, regardless of the log's destination.
    case text
    /// JSON lines, regardless of the log's destination.
    case json
    /// Journal entries, regardless of stderr's destination.
    case journal
}

/// The properties of the standard error stream that determine the log format.
package struct StandardErrorFacts: Sendable {
    /// Whether isatty(3) reports a terminal.
    package var isTerminal: Bool
    /// The `st_dev` of fstat(2); nil if the call failed.
    package var device: UInt64?
    /// The `st_ino` of fstat(2); nil if the call failed.
    package var inode: UInt64?
    /// The value of the environment variable `JOURNAL_STREAM`: the `DEVICE:INODE` of the stream that systemd connected
    /// to the journal (systemd.exec(5)).
    package var journalStream: String?

    /// Creates a description from the given properties.
    package init(isTerminal: Bool, device: UInt64?, inode: UInt64?, journalStream: String?) {
        self.isTerminal = isTerminal
        self.device = device
        self.inode = inode
        self.journalStream = journalStream
    }

    /// Whether stderr is still the journal's stream. `JOURNAL_STREAM` alone is not sufficient, because redirected
    /// programs inherit it as well.
    package var isJournal: Bool {
        guard let device, let inode, let journalStream else { return false }
        return journalStream == "\(device):\(inode)"
    }
}

extension LogFormat {
    /// Returns the chosen format, or for `auto` the format that suits `standardError`.
    package static func resolve(_ choice: LogFormatChoice, standardError: StandardErrorFacts) -> LogFormat {
        switch choice {
        case .text: .text
        case .json: .json
        case .journal: .journal
        case .auto where standardError.isJournal: .journal
        case .auto: standardError.isTerminal ? .text : .json
        }
    }
}
