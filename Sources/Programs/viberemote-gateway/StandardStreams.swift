// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging

/// The program's own output and error streams.
enum StandardStreams {
    /// Opens /dev/null for each closed standard descriptor. Call this method before the program opens any other file.
    /// Another file, such as a database, could get the number of a closed standard descriptor. The gateway would then
    /// write every log line to this file. The C library opens /dev/null only for setuid programs.
    static func openClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // open(2) returns the lowest free number, which is the number of this descriptor.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    /// Writes a line to standard output immediately, even if that is a pipe or a file. Returns whether the line was
    /// written.
    @discardableResult
    static func writeLine(_ text: String) -> Bool { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func writeError(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// Returns the properties of standard error.
    static func errorFacts(journalStream: String?) -> StandardErrorFacts {
        var status = stat()
        let isKnown = fstat(STDERR_FILENO, &status) == 0
        return StandardErrorFacts(
            isTerminal: isatty(STDERR_FILENO) == 1, device: isKnown ? UInt64(status.st_dev) : nil,
            inode: isKnown ? UInt64(status.st_ino) : nil, journalStream: journalStream)
    }

    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var remaining = Array(text.utf8)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return false }
            remaining = remaining.dropFirst(max(0, count))
        }
        return true
    }
}
