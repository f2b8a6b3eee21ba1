// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

/// The program's own output and error stream.
enum StandardStreams {
    /// Opens /dev/null for each of the standard descriptors that is closed. The next file that is opened, a database or
    /// its lock, would otherwise get its number, and every log line. Call it first of all; the C library does this only
    /// for setuid programs.
    static func openClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number (open(2)), which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    /// Writes a line to standard output immediately, also where that is a pipe or a file.
    static func writeLine(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func writeError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// Returns what standard error is connected to.
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
