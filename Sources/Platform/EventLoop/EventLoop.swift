// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// The events for which a descriptor is watched, or which have occurred (epoll_ctl(2)).
package struct Readiness: OptionSet, Sendable {
    /// The bits of epoll's event mask.
    package let rawValue: UInt32

    /// Creates a set from bits of epoll's event mask.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the union of the options. Without this initializer, a literal would use the standard library's generic
    /// initializer. In other modules, the generic initializer is not specialised and costs several hundred instructions
    /// for each request.
    package init(arrayLiteral elements: Readiness...) {
        self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue })
    }

    /// Bytes, or the end of the stream, can be read.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// Bytes can be written without blocking.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed its side or shut down writing.
    package static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed, or an error is pending. The kernel reports this state even if the caller does not
    /// request it.
    package static let broken = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    /// The peer has closed the connection or shut down writing, or the connection has failed.
    package static let closed = Readiness(rawValue: EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue)
    /// Reports a state once when it begins, instead of repeatedly while it lasts.
    package static let edgeTriggered = Readiness(rawValue: EPOLLET.rawValue)
    /// Wakes only one of the loops that watch the same socket. Use this option only with
    /// ``EventLoop/watch(_:for:handler:)``.
    package static let exclusive = Readiness(rawValue: EPOLLEXCLUSIVE.rawValue)
}

/// The handler of a descriptor's events.
package protocol ReadinessHandler: AnyObject {
    /// Handles an event for which the descriptor is watched.
    func ready(_ readiness: Readiness)
}

/// A handler that the loop calls once at the end of a pass, after all events of the pass have been handled.
package protocol PassHandler: AnyObject {
    /// Handles the end of the pass.
    func passEnded()
}

/// The event loop of one data-plane thread: descriptors, deadlines and messages, based on epoll(7).
///
/// The loop is confined to its thread. Other threads may only call ``Mailbox/post(_:)``. The loop assigns a generation
/// number to each registration. A descriptor number that is reused within one pass therefore receives no events of its
/// previous owner.
package final class EventLoop {
    /// The registration of a watched descriptor.
    package struct Watch {
        let slot: Int
        let generation: UInt32
        /// The descriptor that is watched.
        package let descriptor: Int32
    }

    private struct Slot {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
    }

    private static let eventsPerPass = 256
    private static let roundsPerPass = 4
    private static let mostPooledTimers = 64

    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var timers = TimerHeap()
    private var timerPool: [LoopTimer] = []
    private var passHandlers: [any PassHandler] = []
    private var runningHandlers: [any PassHandler] = []
    private var isRunning = false

    /// A buffer into which the handler of an event may read. The buffer's content is valid only until the handler
    /// returns.
    package let scratch = ScratchBuffer(capacity: 64 * 1024)

    /// The time at which the current pass began. Read the clock directly only if microseconds matter.
    package private(set) var now = MonotonicTime.now

    /// The number of the current pass. Passes are counted from 1.
    package private(set) var pass: UInt64 = 0
    /// Whether all descriptor events of this pass have been delivered.
    private var hasDeliveredAll = false

    /// Creates a loop that is not running yet.
    package init() throws(SystemCallError) {
        epoll = try check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        events = .allocate(capacity: Self.eventsPerPass)
    }

    deinit {
        events.deallocate()
        close(epoll)
    }

    /// Watches `descriptor` and notifies `handler` until ``cancel(_:closesDescriptor:)`` is called. The loop retains
    /// the handler.
    package func watch(
        _ descriptor: Int32, for readiness: Readiness, handler: any ReadinessHandler
    ) throws(SystemCallError) -> Watch {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = slots.count
            slots.append(Slot())
        }
        let watch = Watch(slot: slot, generation: slots[slot].generation, descriptor: descriptor)
        do {
            try control(EPOLL_CTL_ADD, watch, for: readiness)
        } catch {
            freeSlots.append(slot)
            throw error
        }
        slots[slot].handler = handler
        return watch
    }

    /// Changes the events for which the loop watches the descriptor.
    package func change(_ watch: Watch, to readiness: Readiness) throws(SystemCallError) {
        try control(EPOLL_CTL_MOD, watch, for: readiness)
    }

    /// Stops watching a descriptor. Call this method before closing the descriptor, because the kernel's entry remains
    /// as long as a duplicate of the descriptor is open.
    ///
    /// - Parameter closesDescriptor: Whether the caller closes the descriptor immediately and knows that no duplicate
    ///   exists. If true, the loop saves a system call.
    package func cancel(_ watch: Watch, closesDescriptor: Bool = false) {
        guard watch.slot < slots.count, slots[watch.slot].generation == watch.generation else { return }
        if !closesDescriptor { epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil) }
        slots[watch.slot].handler = nil
        slots[watch.slot].generation &+= 1
        freeSlots.append(watch.slot)
    }

    /// Creates a timer that notifies `handler`. The timer is not armed yet, and retains the handler until it is
    /// cancelled.
    package func timer(_ handler: any TimerHandler) -> LoopTimer { LoopTimer(handler: handler) }

    /// Creates a timer like ``timer(_:)``, or reuses a recycled timer. Use this method where each request needs a
    /// timer.
    package func pooledTimer(_ handler: any TimerHandler) -> LoopTimer {
        guard let timer = timerPool.popLast() else { return LoopTimer(handler: handler) }
        timer.use(for: handler)
        return timer
    }

    /// Recycles a timer instead of cancelling it. The timer stays in the heap, which makes it cheap to arm again. The
    /// caller must not use the timer afterwards.
    package func release(_ timer: LoopTimer) {
        guard timerPool.count < Self.mostPooledTimers else { return cancel(timer) }
        timer.release()
        timerPool.append(timer)
    }

    /// Sets or moves a timer's deadline.
    package func arm(_ timer: LoopTimer, at deadline: MonotonicTime) { timers.arm(timer, at: deadline) }

    /// Sets or moves a timer's deadline to `duration` after the start of this pass.
    package func arm(_ timer: LoopTimer, after duration: Duration) { timers.arm(timer, at: now + duration) }

    /// Disarms a timer and removes it from the heap. ``LoopTimer/disarm()`` is cheaper, but the loop still wakes at the
    /// old deadline.
    package func withdraw(_ timer: LoopTimer) { timers.withdraw(timer) }

    /// Cancels a timer permanently and releases its handler.
    package func cancel(_ timer: LoopTimer) { timers.cancel(timer) }

    /// Returns whether all descriptor events up to the end of the given pass have been delivered.
    package func hasDelivered(of pass: UInt64) -> Bool { hasDeliveredAll && pass < self.pass }

    /// Calls the handler once at the end of this pass. A handler that is registered twice is called twice. Callers
    /// prevent a second registration with a flag.
    package func atEndOfPass(_ handler: any PassHandler) { passHandlers.append(handler) }

    /// Runs the loop on the calling thread until ``stop()``.
    package func run() throws(SystemCallError) {
        isRunning = true
        while isRunning { try runPass() }
    }

    /// Makes ``run()`` return after this pass.
    package func stop() { isRunning = false }

    /// Releases all handlers, because most handlers retain the loop. Call this method after ``run()`` has returned for
    /// the last time.
    package func releaseHandlers() {
        passHandlers.removeAll()
        slots.removeAll()
        freeSlots.removeAll()
        // Release the timers' handlers explicitly, because a timer and the object that owns the timer can retain each
        // other.
        let armed = timers
        timers = TimerHeap()
        armed.releaseHandlers()
        timerPool.removeAll()
    }

    private func runPass() throws(SystemCallError) {
        let timeout = passHandlers.isEmpty ? millisecondsToNextTimer() : 0
        let count = epoll_wait(epoll, events, Int32(Self.eventsPerPass), timeout)
        if count < 0 && errno != EINTR { throw SystemCallError(call: "epoll_wait", code: errno) }
        now = MonotonicTime.now
        pass &+= 1
        hasDeliveredAll = false
        for index in 0..<max(0, Int(count)) {
            let event = events[index]
            let slot = Int(truncatingIfNeeded: event.data.u64 & 0xffff_ffff)
            guard slots[slot].generation == UInt32(truncatingIfNeeded: event.data.u64 >> 32) else { continue }
            slots[slot].handler?.ready(Readiness(rawValue: event.events))
        }
        // If the event buffer is full, the next pass may deliver further events. An interrupted call has fetched no
        // events. In both cases, some events may not have been delivered yet.
        hasDeliveredAll = count >= 0 && count < Self.eventsPerPass
        while let timer = timers.popDue(at: now) { timer.handler?.timerFired(timer) }
        endPass()
    }

    /// Runs the handlers that were registered during the pass, and the handlers that these handlers register in turn. A
    /// response is therefore sent without another wait. After `roundsPerPass` rounds, the remaining handlers run in the
    /// next pass, which does not block. The limit prevents handlers from delaying descriptor events indefinitely.
    private func endPass() {
        for _ in 0..<Self.roundsPerPass where !passHandlers.isEmpty {
            swap(&passHandlers, &runningHandlers)
            for handler in runningHandlers { handler.passEnded() }
            runningHandlers.removeAll(keepingCapacity: true)
        }
    }

    private func millisecondsToNextTimer() -> Int32 {
        guard let next = timers.next else { return -1 }
        let nanoseconds = next.nanoseconds - MonotonicTime.now.nanoseconds
        return Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000))
    }

    private func control(
        _ operation: Int32, _ watch: Watch, for readiness: Readiness
    ) throws(SystemCallError) {
        var event = epoll_event()
        event.events = readiness.rawValue
        event.data.u64 = UInt64(watch.generation) << 32 | UInt64(watch.slot)
        try check("epoll_ctl") { epoll_ctl(epoll, operation, watch.descriptor, &event) }
    }
}
