import Glibc

/// Counts the exchanges that were compared, for whoever wants to know: with DRIFT_TALLY in the environment each of them
/// becomes a line of that file.
enum Tally {
    private static let path = getenv("DRIFT_TALLY").map { String(cString: $0) }

    static func note(_ exchange: RecordedExchange, isEqual: Bool) {
        guard let path else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        // One write is one line, whoever else writes.
        let line = Array("\(exchange.version) \(isEqual ? "equal" : "different") \(exchange.name)\n".utf8)
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        _ = close(descriptor)
    }
}
