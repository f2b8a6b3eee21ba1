// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc
internal import Locking

/// A serial executor whose thread runs libsystemd's event loop (sd-event(3)). This thread is the only thread of the
/// control plane.
///
/// Event sources may call actors on this executor directly through `assumeIsolated`. Jobs arrive through a mailbox, and
/// an eventfd wakes the loop when the mailbox becomes non-empty. A hop to this executor and back takes about 40 µs, so
/// request handling never uses it.
///
/// The class is `Sendable` although sd-event is not thread-safe. `event` is used only on the loop's thread, or by
/// `deinit` when no other reference and no source exist.
package final class SystemEventLoop: SerialExecutor, @unchecked Sendable {  // A lock protects the mailbox.
    /// The work that other threads submit to the loop.
    private struct Mailbox {
        var jobs: [UnownedJob] = []
        var calls: [@Sendable () -> Void] = []
        var releases: [@Sendable () -> Void] = []
        var stopping = false
        var thread: pthread_t?
        var hasRun = false

        var isEmpty: Bool { jobs.isEmpty && calls.isEmpty && releases.isEmpty && !stopping }
    }

    let event: OpaquePointer
    private let mailbox = Locked(Mailbox())
    private let wake: Int32

    /// Creates the loop, which is inactive until ``run()``.
    package init() throws(SystemdError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else {
            throw SystemdError(operation: "eventfd", code: errno, detail: "the control loop's mailbox")
        }
        var created: OpaquePointer?
        let result = sd_event_new(&created)
        guard result >= 0, let created else {
            close(descriptor)
            throw SystemdError(operation: "sd_event_new", code: -result, detail: "the control loop")
        }
        event = created
        wake = descriptor
    }

    deinit {
        // A source handle retains its loop, so no handle exists any more. The mailbox can still contain references that
        // were released after ``run()`` had returned. Free these references here.
        for free in mailbox.withLock({ $0.releases }) { free() }
        sd_event_unref(event)
        close(wake)
    }

    /// Runs the loop on the calling thread until ``stop()``. The loop can run only once, because sd-event does not
    /// allow a second run.
    ///
    /// Jobs that are enqueued after this method has returned never run.
    package func run() throws(SystemdError) {
        mailbox.withLock { state in
            precondition(!state.hasRun, "the control loop runs only once")
            state.hasRun = true
            state.thread = pthread_self()
        }
        defer { mailbox.withLock { $0.thread = nil } }
        var source: OpaquePointer?
        let added = sd_event_add_io(
            event, &source, wake, EPOLLIN.rawValue, Self.onWake, Unmanaged.passUnretained(self).toOpaque())
        try SystemdError.check(added, "sd_event_add_io", detail: "the control loop's mailbox")
        defer { sd_event_source_disable_unref(source) }
        try SystemdError.check(sd_event_loop(event), "sd_event_loop", detail: "the control loop")
        // Run the task that requested the stop, and the tasks that it resumed.
        emptyMailbox()
    }

    /// Ends ``run()`` after the pending jobs. Any thread may call this method. If it is called before ``run()``,
    /// ``run()`` returns immediately.
    package func stop() { post { $0.stopping = true } }

    /// Whether the calling thread is inside ``run()``.
    package var isCurrent: Bool {
        mailbox.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    // MARK: SerialExecutor

    /// Enqueues an actor's job. Any thread may call this method.
    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        post { $0.jobs.append(unowned) }
    }

    /// Checks that the calling thread is the loop's thread. `assumeIsolated` relies on this check.
    package func checkIsolated() {
        precondition(isCurrent, "only the control loop's thread may call this")
    }

    /// Returns whether ``checkIsolated()`` would succeed.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Mailbox

    /// Calls `work` on the loop's thread after the pending work, or never if the loop has ended. Any thread may call
    /// this method.
    package func later(_ work: @escaping @Sendable () -> Void) {
        post { if !$0.hasRun || $0.thread != nil { $0.calls.append(work) } }
    }

    /// Frees a libsystemd object on the loop's thread, immediately if the caller runs on this thread. libsystemd
    /// objects must not be used on other threads.
    ///
    /// `free` must not retain the loop, because it may stay in the mailbox until the loop is released.
    func release(_ free: @escaping @Sendable () -> Void) {
        if isCurrent { free() } else { post { $0.releases.append(free) } }
    }

    private func post(_ change: (inout Mailbox) -> Void) {
        let wasEmpty = mailbox.withLock { state in
            let wasEmpty = state.isEmpty
            change(&state)
            return wasEmpty
        }
        // Only the first item in an empty mailbox wakes the loop. The loop reads the eventfd before it empties the
        // mailbox. An item that is posted between these two steps is handled immediately and causes one unnecessary
        // wake-up. No item is missed.
        if wasEmpty { eventfd_write(wake, 1) }
    }

    private static let onWake: sd_event_io_handler_t = { _, _, _, context in
        guard let context else { return 0 }
        Unmanaged<SystemEventLoop>.fromOpaque(context).takeUnretainedValue().emptyMailbox()
        return 0
    }

    private func emptyMailbox() {
        var count: eventfd_t = 0
        eventfd_read(wake, &count)
        let (jobs, calls, releases, stopping) = mailbox.withLock { state in
            defer {
                state.jobs = []
                state.calls = []
                state.releases = []
                state.stopping = false
            }
            return (state.jobs, state.calls, state.releases, state.stopping)
        }
        for free in releases { free() }
        for call in calls { call() }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        if stopping { sd_event_exit(event, 0) }
    }
}
