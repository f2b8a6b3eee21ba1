import Glibc

/// One operating-system thread that runs one closure and is joined at the end.
///
/// Every signal is blocked in it: signals belong to the thread that asked for them (the control plane's loop), and a
/// write to a closed pipe must be an error here, not the end of the process.
package final class WorkerThread: Sendable {
    /// The kernel refused another thread (pthread_create(3)): `code` is its error number, such as `EAGAIN`.
    package struct StartError: Error {
        /// Error number of pthread_create.
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

    /// Starts the thread at once. `name` is what `top -H` and a debugger show; the kernel keeps 15 bytes of it.
    package init(name: String, run: @escaping @Sendable () -> Void) throws(StartError) {
        var everySignal = sigset_t()
        var before = sigset_t()
        sigfillset(&everySignal)
        // A thread starts with the signal mask of its maker, so it never runs with any signal open.
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

    /// Blocks until the closure has returned. A second call returns at once; never call it on the thread itself.
    package func join() {
        let isFirst = joined.withLock { joined in
            defer { joined = true }
            return !joined
        }
        if isFirst { pthread_join(handle, nil) }
    }

    // The thunk takes back the reference that `init` gave away and calls it.
    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        nameThisThread(body.name)
        body.run()
        return nil
    }

    // glibc shows pthread_setname_np only to _GNU_SOURCE, which Swift's own import of it lacks; this file does the same
    // (proc_tid_comm(5)). A name is a convenience: where /proc is missing, there is none.
    private static func nameThisThread(_ name: String) {
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, name, name.utf8.count)
        close(descriptor)
    }
}
