// SPDX-License-Identifier: Apache-2.0

internal import CLinux
import Glibc

/// The events that a descriptor is watched for, or that have occurred (epoll_ctl(2)).
package struct Readiness: OptionSet, Sendable {
    /// The bits of epoll's own event mask.
    package let rawValue: UInt32

    /// Creates a set from bits of epoll's event mask.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates the union of the options. Without this initializer a literal uses the standard library's generic one,
    /// which other modules call unspecialised: some hundred instructions for each request.
    package init(arrayLiteral elements: Readiness...) {
        self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue })
    }

    /// There are bytes to read, or the end.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed its side or shut down writing.
    package static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed, or an error is pending; always reported, never requested.
    package static let broken = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    /// The peer has left, in any way.
    package static let gone = Readiness(rawValue: EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue)
    /// Reports each change once instead of as long as it lasts.
    package static let edgeTriggered = Readiness(rawValue: EPOLLET.rawValue)
    /// Wakes only one waiting loop of several that watch the same socket; for ``EventLoop/watch(_:for:handler:)`` only.
    package static let exclusive = Readiness(rawValue: EPOLLEXCLUSIVE.rawValue)
}

/// The handler of a descriptor's events.
package protocol ReadinessHandler: AnyObject {
    /// Handles an event that the descriptor is watched for.
    func ready(_ readiness: Readiness)
}

/// Work that is done once at the end of a pass, when all events of the pass have been handled.
package protocol PassHandler: AnyObject {
    /// Does the work after all events of this pass have been handled.
    func passEnded()
}

/// One thread's loop of the data plane: descriptors, deadlines and messages, over epoll(7).
///
/// Confined to its thread: everything except ``Mailbox/post(_:)`` is called there. Events are matched by a generation
/// number, not by descriptor alone, because a descriptor closed and opened again within one pass must not receive the
/// old one's events.
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
    private static let mostSpareTimers = 64

    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var timers = TimerHeap()
    private var spareTimers: [LoopTimer] = []
    private var passHandlers: [any PassHandler] = []
    private var runningHandlers: [any PassHandler] = []
    private var isRunning = false

    /// A buffer that the handler of an event may read into; its content is invalid after the event.
    package let scratch = ScratchBuffer(capacity: 64 * 1024)

    /// The time at which the pass began; read the clock itself only if microseconds matter.
    package private(set) var now = MonotonicTime.now

    /// The number of the current pass, from 1.
    package private(set) var pass: UInt64 = 0
    /// Whether all events that this pass found on the descriptors were delivered.
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

    /// Watches `descriptor` and notifies `handler` until ``cancel(_:)``; the handler is retained.
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

    /// Watches the descriptor for other events from now on.
    package func change(_ watch: Watch, to readiness: Readiness) throws(SystemCallError) {
        try control(EPOLL_CTL_MOD, watch, for: readiness)
    }

    /// Stops watching. Call it before the descriptor is closed: a duplicate of it would keep the kernel's entry alive.
    /// A caller that closes it immediately and knows that there is no duplicate (`closesDescriptor`) saves the system
    /// call.
    package func cancel(_ watch: Watch, closesDescriptor: Bool = false) {
        guard watch.slot < slots.count, slots[watch.slot].generation == watch.generation else { return }
        if !closesDescriptor { epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil) }
        slots[watch.slot].handler = nil
        slots[watch.slot].generation &+= 1
        freeSlots.append(watch.slot)
    }

    /// Creates a timer that notifies `handler`, which it retains until it is cancelled; it is not armed.
    package func timer(_ handler: any TimerHandler) -> LoopTimer { LoopTimer(handler: handler) }

    /// Creates a timer like ``timer(_:)``, or reuses a recycled one: useful if each request needs one.
    package func spareTimer(_ handler: any TimerHandler) -> LoopTimer {
        guard let timer = spareTimers.popLast() else { return LoopTimer(handler: handler) }
        timer.use(for: handler)
        return timer
    }

    /// Recycles a timer instead of cancelling it. The timer stays in the heap, where arming it again costs nothing. The
    /// caller must not use it any more.
    package func giveBack(_ timer: LoopTimer) {
        guard spareTimers.count < Self.mostSpareTimers else { return cancel(timer) }
        timer.rest()
        spareTimers.append(timer)
    }

    /// Sets or moves a timer's deadline.
    package func arm(_ timer: LoopTimer, at deadline: MonotonicTime) { timers.arm(timer, at: deadline) }

    /// Sets or moves a timer's deadline to `duration` after the start of this pass.
    package func arm(_ timer: LoopTimer, after duration: Duration) { timers.arm(timer, at: now + duration) }

    /// Disarms a timer and removes its wake-up. After ``LoopTimer/disarm()``, which costs nothing, the loop still wakes
    /// at the old deadline.
    package func withdraw(_ timer: LoopTimer) { timers.withdraw(timer) }

    /// Cancels a timer for good and releases its handler.
    package func cancel(_ timer: LoopTimer) { timers.cancel(timer) }

    /// Returns whether all events on the watched descriptors up to the end of that pass were delivered.
    package func hasDelivered(of pass: UInt64) -> Bool { hasDeliveredAll && pass < self.pass }

    /// Calls the handler once at the end of this pass. A caller that registers twice is called twice: keep a flag.
    package func atEndOfPass(_ handler: any PassHandler) { passHandlers.append(handler) }

    /// Runs on the calling thread until ``stop()``.
    package func run() throws(SystemCallError) {
        isRunning = true
        while isRunning { try runPass() }
    }

    /// Ends ``run()`` after this pass.
    package func stop() { isRunning = false }

    /// Releases all handlers, once ``run()`` has returned for good: most of them retain the loop.
    package func letGo() {
        passHandlers.removeAll()
        slots.removeAll()
        freeSlots.removeAll()
        // An object that holds its timer would otherwise stay alive together with it.
        let armed = timers
        timers = TimerHeap()
        armed.letGo()
        spareTimers.removeAll()
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
        // Events that do not fit wait for the next pass; an interrupted poll has found nothing.
        hasDeliveredAll = count >= 0 && count < Self.eventsPerPass
        while let timer = timers.popDue(at: now) { timer.handler?.timerFired(timer) }
        endPass()
    }

    /// Runs the handlers that were registered during the pass, and those that they register, so that a response leaves
    /// without another wait. After a few rounds the remaining ones are left to the next pass, which does not block, so
    /// that events are never starved.
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
