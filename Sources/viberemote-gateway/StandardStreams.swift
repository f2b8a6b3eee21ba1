import Glibc
import Logging

/// The program's own output and error stream.
enum StandardStreams {
    /// Writes a line to standard output at once, also where that is a pipe or a file.
    static func writeLine(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func writeError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// What standard error is connected to.
    static func errorFacts(journalStream: String?) -> StandardErrorFacts {
        var status = stat()
        let isKnown = fstat(STDERR_FILENO, &status) == 0
        return StandardErrorFacts(
            isTerminal: isatty(STDERR_FILENO) == 1, device: isKnown ? UInt64(status.st_dev) : nil,
            inode: isKnown ? UInt64(status.st_ino) : nil, journalStream: journalStream)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
