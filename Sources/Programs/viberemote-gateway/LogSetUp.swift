// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Settings
import Systemd

/// The selection of the destination and the format of log lines.
enum LogSetUp {
    /// The error for a journal that cannot be reached.
    struct NoJournal: Error, CustomStringConvertible {
        let description =
            "This machine has no journal for --log-format journal. Use --log-format text or json."
    }

    /// Returns a log writer for this configuration. The writer's thread is already running.
    static func writer(_ configuration: Configuration) throws -> LogWriter {
        let facts = StandardStreams.errorFacts(journalStream: Environment.variables["JOURNAL_STREAM"])
        let format = LogFormat.resolve(configuration.logFormat, standardError: facts)
        return try LogWriter(
            encoder: LogEncoder(format, identifier: GatewayVersion.program), output: try output(format))
    }

    private static func output(_ format: LogFormat) throws -> LogOutput {
        guard format == .journal else { return .stream(descriptor: STDERR_FILENO) }
        guard access(JournalSocket.systemPath, F_OK) == 0, let journal = JournalSocket() else { throw NoJournal() }
        return .datagrams { journal.send($0) }
    }
}
