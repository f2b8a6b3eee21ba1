// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes to standard output and standard error without a buffer, for programs whose lines a test waits for.
package enum Console {
    /// The destination of a text.
    package enum Target: Sendable {
        /// The standard output stream of the process.
        case output
        /// The standard error stream of the process.
        case error
    }

    /// Writes a text unchanged. The text is lost if the target has no reader.
    package static func write(_ text: String, to target: Target = .output) {
        var remainder = Array(text.utf8)[...]
        while !remainder.isEmpty {
            let descriptor = target == .output ? STDOUT_FILENO : STDERR_FILENO
            let count = remainder.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0, errno != EINTR { return }
            remainder = remainder.dropFirst(max(0, count))
        }
    }
}
