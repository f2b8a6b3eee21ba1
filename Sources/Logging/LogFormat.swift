/// The form in which log records are written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Lines for people at a terminal.
    case text
    /// One JSON object a line.
    case json
    /// The journal's own fields, sent to journald.
    case journal
}

/// What `--log-format` can ask for: one format, or the one that fits where the log goes.
package enum LogFormatChoice: String, Sendable, CaseIterable {
    /// The journal where stderr is the journal, text on a terminal, else JSON lines.
    case auto
    /// Always text.
    case text
    /// Always JSON lines.
    case json
    /// Always the journal.
    case journal
}

/// What the program found out about its standard error stream.
package struct StandardErrorFacts: Sendable {
    /// isatty(3) says so.
    package var isTerminal: Bool
    /// `st_dev` of fstat(2) on it; nil where that failed.
    package var device: UInt64?
    /// `st_ino` of fstat(2) on it; nil where that failed.
    package var inode: UInt64?
    /// The environment's `JOURNAL_STREAM`, `DEVICE:INODE` of the stream that systemd connected (systemd.exec(5)).
    package var journalStream: String?

    /// What was found out.
    package init(isTerminal: Bool, device: UInt64?, inode: UInt64?, journalStream: String?) {
        self.isTerminal = isTerminal
        self.device = device
        self.inode = inode
        self.journalStream = journalStream
    }

    /// Whether stderr still is the journal's stream: `JOURNAL_STREAM` alone is inherited by redirected programs too.
    package var isJournal: Bool {
        guard let device, let inode, let journalStream else { return false }
        return journalStream == "\(device):\(inode)"
    }
}

extension LogFormat {
    /// The format to write: the chosen one, or for `auto` the one that fits `standardError`.
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
