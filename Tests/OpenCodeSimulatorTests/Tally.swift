// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Counts the compared exchanges. If the environment contains DRIFT_TALLY, each exchange becomes a line of that file.
enum Tally {
    private static let path = getenv("DRIFT_TALLY").map { String(cString: $0) }

    static func note(_ exchange: RecordedExchange, isEqual: Bool) {
        guard let path else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        // One write is one line, even with concurrent writers.
        let line = Array("\(exchange.version) \(isEqual ? "equal" : "different") \(exchange.name)\n".utf8)
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        _ = close(descriptor)
    }
}
