// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A handle for a process, which is not necessarily a child of this process. Signals reach exactly this process, and
/// never a process that reuses its number.
///
/// Only the loop's thread may use and release a handle.
package final class ProcessHandle: @unchecked Sendable {  // Confined to the loop's thread; every method checks this.
    /// The identity of the process.
    package let identity: ProcessIdentity
    private let loop: SystemEventLoop
    private let descriptor: Int32
    private var source: EventSource?

    /// Opens a handle for the process; returns nil if the process has ended.
    package init?(_ identity: ProcessIdentity, on loop: SystemEventLoop) {
        loop.checkIsolated()
        let descriptor = control_pidfd_open(identity.number)
        guard descriptor >= 0 else { return nil }
        self.identity = identity
        self.loop = loop
        self.descriptor = descriptor
        // Check the identity, because the number may have been reused before the descriptor was opened.
        guard ProcessTable.status(of: identity.number)?.identity == identity else { return nil }
    }

    deinit {
        // Release the source first, because it waits on the descriptor.
        source = nil
        close(descriptor)
    }

    /// Sends a signal. Returns false if the kernel denies the signal, because the process runs as another user.
    package func signal(_ number: Int32) -> Bool {
        loop.checkIsolated()
        return control_pidfd_signal(descriptor, number) == 0 || errno != EPERM
    }

    /// Calls `handler` once, when the process has ended and its ports and files are free.
    package func watchEnd(_ handler: @escaping @Sendable () -> Void) throws(SystemdError) {
        loop.checkIsolated()
        source = try loop.watch(descriptor, .readable) { [weak self] _ in
            self?.source?.cancel()
            handler()
        }
    }
}
