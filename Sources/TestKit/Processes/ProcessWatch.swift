import CSpawn
import Glibc

/// Waits for the end of a process that is somebody else's child.
package final class ProcessWatch: Sendable {
    private let descriptor: Int32

    /// Begins to watch. Throws `system(…, ESRCH)` when there is no such process; one that is merely not reaped has ended.
    package init(_ pid: Int32) throws {
        descriptor = try SystemCall.check("pidfd_open of process \(pid)") { spawn_watch_process(pid) }
    }

    deinit { _ = close(descriptor) }

    /// Whether it has ended, as soon as it has or when the time is over.
    package func hasEnded(within limit: Duration = .seconds(10)) throws -> Bool {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return try SystemCall.wait(&descriptors, until: Deadline(after: limit))
    }
}
