internal import CSystemd
internal import Glibc

/// A hold on one process, whosever child it is: signals reach it and never another one that was given its number.
///
/// Only the loop's thread may use it, its end included.
package final class ProcessHandle: @unchecked Sendable {  // confined to the loop's thread, which every entry checks
    /// Which process.
    package let identity: ProcessIdentity
    private let loop: SystemEventLoop
    private let descriptor: Int32
    private var source: EventSource?

    /// Nil when that process has gone.
    package init?(_ identity: ProcessIdentity, on loop: SystemEventLoop) {
        loop.checkIsolated()
        let descriptor = control_pidfd_open(identity.number)
        guard descriptor >= 0 else { return nil }
        self.identity = identity
        self.loop = loop
        self.descriptor = descriptor
        // The number could have been given to another one before the descriptor held it.
        guard ProcessTable.status(of: identity.number)?.identity == identity else { return nil }
    }

    deinit {
        // First the source, which waits on the descriptor.
        source = nil
        close(descriptor)
    }

    /// Sends a signal; false when that is not allowed, because the process runs as another user.
    package func signal(_ number: Int32) -> Bool {
        loop.checkIsolated()
        return control_pidfd_signal(descriptor, number) == 0 || errno != EPERM
    }

    /// Calls `handler` once, when the process has ended: its ports and files are free then.
    package func watchEnd(_ handler: @escaping @Sendable () -> Void) throws(SystemdError) {
        loop.checkIsolated()
        source = try loop.watch(descriptor, .readable) { [weak self] _ in
            self?.source?.cancel()
            handler()
        }
    }
}
