// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An operating-system thread that runs one closure and is joined at the end.
///
/// All signals are blocked in the thread. The control plane's event loop handles signals on another thread. A write to
/// a closed pipe must return an error instead of terminating the process.
package final class WorkerThread: Sendable {
    /// The error for a thread that the kernel refused to create (pthread_create(3)).
    package struct StartError: Error {
        /// The error number of pthread_create, such as `EAGAIN`.
        package let code: Int32
    }

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let handle: pthread_t
    private let joined = Locked(false)

    /// Starts the thread immediately.
    ///
    /// - Parameter name: The name that `top -H` and debuggers show. The kernel keeps only the first 15 bytes.
    package init(name: String, run: @escaping @Sendable () -> Void) throws(StartError) {
        var everySignal = sigset_t()
        var before = sigset_t()
        sigfillset(&everySignal)
        // A thread inherits its creator's signal mask, so signals are blocked in the new thread from the beginning.
        pthread_sigmask(SIG_SETMASK, &everySignal, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let body = Unmanaged.passRetained(Body(name: name, run: run))
        var handle = pthread_t()
        let code = pthread_create(&handle, nil, Self.start, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw StartError(code: code)
        }
        self.handle = handle
    }

    /// Blocks until the closure has returned. Further calls return immediately. Never call this method on the thread
    /// itself.
    package func join() {
        let isFirst = joined.withLock { joined in
            defer { joined = true }
            return !joined
        }
        if isFirst { pthread_join(handle, nil) }
    }

    // Takes back the reference that `init` passed to the thread, and calls the closure.
    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        nameThisThread(body.name)
        body.run()
        return nil
    }

    // glibc declares pthread_setname_np only for _GNU_SOURCE, which Swift's import of glibc does not define. Writing to
    // `/proc/thread-self/comm` has the same effect (proc_tid_comm(5)). Without /proc, the thread has no name.
    private static func nameThisThread(_ name: String) {
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, name, name.utf8.count)
        close(descriptor)
    }
}
