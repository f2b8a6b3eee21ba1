// SPDX-License-Identifier: Apache-2.0

import CSpawn
import Glibc

/// Waits for the end of a process that is not a child of this process.
package final class ProcessWatch: Sendable {
    private let descriptor: Int32

    /// Starts to watch a process. A process that was not reaped yet counts as ended.
    ///
    /// - Throws: `system(…, ESRCH)` if the process does not exist.
    package init(_ pid: Int32) throws {
        descriptor = try SystemCall.check("pidfd_open of process \(pid)") { spawn_watch_process(pid) }
    }

    deinit { _ = close(descriptor) }

    /// Waits for the end of the process, and returns whether it has ended within the limit.
    package func hasEnded(within limit: Duration = .seconds(10)) throws -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return try SystemCall.wait(&descriptors, until: Deadline(after: limit))
    }
}
