internal import CSystemd
internal import Glibc
internal import Locking

/// A serial executor whose thread runs libsystemd's event loop (sd-event(3)): the control plane's one thread.
///
/// Actors that run on it may also be called from its event sources, by `assumeIsolated`. Jobs come through a mailbox;
/// an eventfd wakes the loop when the mailbox turns non-empty. A hop here and back takes about 40 µs: never on a
/// request's way.
///
/// It is `Sendable` although sd-event is not: `event` is touched on the loop's thread only, or by `deinit`, when no
/// other reference and no source exist any more.
package final class SystemEventLoop: SerialExecutor, @unchecked Sendable {  // see above; the mailbox has its lock
    /// What other threads leave for the loop.
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

    /// Makes the loop; it does nothing before ``run()``.
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
        // A source handle keeps its loop, so all that can be left are references given up after the last run.
        for free in mailbox.withLock({ $0.releases }) { free() }
        sd_event_unref(event)
        close(wake)
    }

    /// Runs the loop on the calling thread until ``stop()``: once, sd-event allows no second time.
    ///
    /// Jobs that are enqueued after it has returned never run.
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
        try SystemdError.check(added, "sd_event_add_io", "the control loop's mailbox")
        defer { sd_event_source_disable_unref(source) }
        try SystemdError.check(sd_event_loop(event), "sd_event_loop", "the control loop")
        // The task that asked for the stop, and whoever it answered, want to go on.
        emptyMailbox()
    }

    /// Ends ``run()`` once the jobs at hand are done. Any thread may call it; before ``run()`` it makes that return
    /// at once.
    package func stop() { post { $0.stopping = true } }

    /// Whether the calling thread is the one inside ``run()``.
    package var isCurrent: Bool {
        mailbox.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    // MARK: SerialExecutor

    /// Takes a job of an actor; any thread may call it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        post { $0.jobs.append(unowned) }
    }

    /// Lets event sources call actors of this executor by `assumeIsolated`.
    package func checkIsolated() {
        precondition(isCurrent, "only the control loop's thread may call this")
    }

    /// What ``checkIsolated()`` would find.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Mailbox

    /// Calls `work` on the loop's thread, after what is at hand; never once the loop has ended. Any thread may call it.
    package func later(_ work: @escaping @Sendable () -> Void) {
        post { if !$0.hasRun || $0.thread != nil { $0.calls.append(work) } }
    }

    /// Frees what libsystemd holds on the loop's thread, at once when this is it: libsystemd knows no other threads.
    /// `free` must not hold the loop: it may stay in the mailbox until the loop itself goes.
    func release(_ free: @escaping @Sendable () -> Void) {
        if isCurrent { free() } else { post { $0.releases.append(free) } }
    }

    private func post(_ change: (inout Mailbox) -> Void) {
        let wasEmpty = mailbox.withLock { state in
            let wasEmpty = state.isEmpty
            change(&state)
            return wasEmpty
        }
        // Only the first one in an empty mailbox wakes the loop, which reads the eventfd before it takes what is there: a
        // post that comes between the two is taken now and wakes the loop once more in vain, and none is ever missed.
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
