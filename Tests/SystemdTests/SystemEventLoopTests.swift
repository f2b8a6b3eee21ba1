// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Locking
import Systemd
import Testing

@Suite struct SystemEventLoopTests {
    @Test func `every job runs on the loop's thread`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)

        #expect(!thread.loop.isCurrent)

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    #expect(await actor.run { $0.isCurrent })
                    await actor.visit()
                }
            }
        }

        #expect(await actor.visits == 200)

        await thread.stop()
    }

    @Test func `a job that is queued before the start runs when the loop starts`() async throws {
        let loop = try SystemEventLoop()
        let actor = OnLoop(loop)
        async let visited: Void = actor.visit()
        Thread { try? loop.run() }.start()
        await visited

        #expect(await actor.visits == 1)

        loop.stop()
    }

    @Test func `a stop before the start ends the loop at once`() throws {
        let loop = try SystemEventLoop()
        loop.stop()
        try loop.run()

        #expect(!loop.isCurrent)
    }

    @Test func `a timer fires once and not before its time`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (fired, continuation) = AsyncStream.makeStream(of: Bool.self)
        let start = ContinuousClock.now
        try await actor.retain { loop in
            let first = try loop.timer(after: .milliseconds(20)) { continuation.yield(loop.isCurrent) }
            let last = try loop.timer(after: .milliseconds(60)) { continuation.finish() }
            return [first, last]
        }
        var calls: [Bool] = []
        for await onLoop in fired {
            #expect(start.duration(to: .now) >= .milliseconds(20))
            calls.append(onLoop)
        }

        #expect(calls == [true])

        await actor.dropAll()
        await thread.stop()
    }

    @Test func `a cancelled timer does not fire`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (fired, continuation) = AsyncStream.makeStream(of: String.self)

        try await actor.retain { loop in
            let cancelled = try loop.timer(after: .milliseconds(5)) { continuation.yield("cancelled") }
            cancelled.cancel()
            cancelled.cancel()
            let other = try loop.timer(after: .milliseconds(25)) { continuation.finish() }
            return [cancelled, other]
        }

        for await name in fired { Issue.record("\(name) fired") }

        await actor.dropAll()
        await thread.stop()
    }

    @Test func `a source can cancel itself in its handler`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (fired, continuation) = AsyncStream.makeStream(of: Void.self)
        let count = Locked(0)
        let held = Held<EventSource>()
        let pipe = Pipe()
        try await actor.run { loop in
            // The source is level-triggered and never read. Without the cancellation, the loop would dispatch it in
            // every iteration.
            held.value = try loop.watch(pipe.fileHandleForReading.fileDescriptor, .readable) { _ in
                held.value?.cancel()
                held.value = nil
                count.withLock { $0 += 1 }
                continuation.finish()
            }
        }
        pipe.fileHandleForWriting.write(Data("x".utf8))
        for await _ in fired {}
        for _ in 0..<10 { await actor.visit() }

        #expect(count.withLock { $0 } == 1)

        await thread.stop()
    }

    @Test func `the handler of a descriptor receives its events`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (events, continuation) = AsyncStream.makeStream(of: DescriptorEvents.self)
        // The value of EPOLLHUP, which epoll_ctl(2) reports even if it was not requested.
        let hangUp = DescriptorEvents(rawValue: 0x010)
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        try await actor.retain { loop in
            try loop.watch(descriptor, .readable) { events in
                var byte: UInt8 = 0
                if read(descriptor, &byte, 1) == 0 { continuation.yield(events) }
                if events.contains(hangUp) { continuation.finish() } else { continuation.yield(events) }
            }
        }
        pipe.fileHandleForWriting.write(Data("x".utf8))
        var iterator = events.makeAsyncIterator()

        #expect(await iterator.next() == .readable)

        try pipe.fileHandleForWriting.close()

        #expect(await iterator.next()?.contains(hangUp) == true)

        // Stop the loop before closing the pipe, because the loop would otherwise spin on the hang-up.
        await actor.dropAll()
        await thread.stop()
    }

    @Test func `a handler can enter an actor of the loop`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (fired, continuation) = AsyncStream.makeStream(of: Void.self)
        try await actor.retain { loop in
            try loop.timer(after: .zero) {
                actor.assumeIsolated { $0.visit() }
                continuation.finish()
            }
        }
        for await _ in fired {}

        #expect(await actor.visits == 1)

        await actor.dropAll()
        await thread.stop()
    }

    @Test func `a handle that is dropped on another thread releases its handler`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (freed, continuation) = AsyncStream.makeStream(of: Void.self)
        let held = Held<EventSource>()
        try await actor.run { loop in
            let witness = Witness { continuation.finish() }
            held.value = try loop.timer(after: .seconds(3600)) { _ = witness }
        }

        held.value = nil
        for await _ in freed {}
        await thread.stop()
    }

    @Test func `a signal reaches its handler`() async throws {
        let thread = try LoopThread()
        let actor = OnLoop(thread.loop)
        let (fired, continuation) = AsyncStream.makeStream(of: Int32.self)
        try await actor.retain { loop in
            try SystemEventLoop.blockSignals([SIGUSR2])
            let source = try loop.signal(SIGUSR2) { continuation.yield(SIGUSR2) }
            // Send the signal only to this thread, because the other threads of the test process have not blocked it.
            pthread_kill(pthread_self(), SIGUSR2)
            return source
        }
        var iterator = fired.makeAsyncIterator()

        #expect(await iterator.next() == SIGUSR2)

        await actor.dropAll()
        await thread.stop()
    }

    @Test func `a signal that is not blocked is rejected with a reason`() async throws {
        let thread = try LoopThread()
        let error = await #expect(throws: SystemdError.self) {
            try await OnLoop(thread.loop).retain { loop in
                // The program that started the tests may have blocked the signal.
                var set = sigset_t()
                sigemptyset(&set)
                sigaddset(&set, SIGUSR1)
                pthread_sigmask(SIG_UNBLOCK, &set, nil)
                return try loop.signal(SIGUSR1) {}
            }
        }

        #expect(error?.operation == "sd_event_add_signal")
        #expect(error?.code == EBUSY)
        #expect(error?.description == "sd_event_add_signal failed for signal \(SIGUSR1): Device or resource busy")

        await thread.stop()
    }

    @Test func `a descriptor that cannot be watched is rejected`() async throws {
        let thread = try LoopThread()
        let error = await #expect(throws: SystemdError.self) {
            try await OnLoop(thread.loop).retain { try $0.watch(1_000_000, .readable) { _ in } }
        }

        #expect(error?.code == EBADF)

        await thread.stop()
    }
}

/// A value that tests pass between threads.
final class Held<Value: Sendable>: Sendable {
    private let state = Locked<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set {
            // Release the old value outside the lock.
            let old = state.withLock { state in
                defer { state = newValue }
                return state
            }
            _ = old
        }
    }
}

/// An object that calls a closure when it is released.
final class Witness: Sendable {
    private let freed: @Sendable () -> Void
    init(_ freed: @escaping @Sendable () -> Void) { self.freed = freed }
    deinit { freed() }
}
