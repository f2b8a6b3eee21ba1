// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Counts the compared exchanges. If the environment variable DRIFT_TALLY is set, each exchange becomes a line of the
/// file that it names.
enum Tally {
    private static let path = getenv("DRIFT_TALLY").map { String(cString: $0) }

    static func record(_ exchange: RecordedExchange, isEqual: Bool) {
        guard let path else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        // Each line is a single write, so that concurrent writers do not mix their lines.
        let line = Array("\(exchange.version) \(isEqual ? "equal" : "different") \(exchange.name)\n".utf8)
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        _ = close(descriptor)
    }
}
