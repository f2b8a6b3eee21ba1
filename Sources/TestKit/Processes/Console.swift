import Glibc

/// Writing to standard output and standard error at once, without a buffer: for programs whose lines are waited for.
package enum Console {
    /// Where a text goes.
    package enum Target: Sendable {
        /// Standard output.
        case output
        /// Standard error.
        case error
    }

    /// Writes a text as it is. A target that nobody reads any more loses it.
    package static func write(_ text: String, to target: Target = .output) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let descriptor = target == .output ? STDOUT_FILENO : STDERR_FILENO
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0, errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
