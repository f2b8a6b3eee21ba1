import Glibc
import Logging
import Settings
import Systemd

/// Chooses where log lines go and in which form.
enum LogSetUp {
    /// The journal could not be reached.
    struct NoJournal: Error, CustomStringConvertible {
        let description =
            "No socket for the journal could be opened (--log-format journal). Use --log-format text or json."
    }

    /// The writer for this configuration, its thread running.
    static func writer(_ configuration: Configuration) throws -> LogWriter {
        let facts = StandardStreams.errorFacts(journalStream: Environment.variables["JOURNAL_STREAM"])
        let format = LogFormat.resolve(configuration.logFormat, standardError: facts)
        return try LogWriter(
            encoder: LogEncoder(format, identifier: GatewayVersion.program), output: try output(format))
    }

    private static func output(_ format: LogFormat) throws -> LogOutput {
        guard format == .journal else { return .stream(descriptor: STDERR_FILENO) }
        guard let journal = JournalSocket() else { throw NoJournal() }
        return .datagrams { journal.send($0) }
    }
}
