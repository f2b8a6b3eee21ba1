// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

@Suite("The event loop of one thread")
struct EventLoopTests {
    @Test func `a handler is called in each pass while its descriptor is readable`() throws {
        let loop = try EventLoop()
        let bell = try Bell()
        var reported: [Readiness] = []
        let handler = OnReady { [unowned loop] readiness in
            reported.append(readiness)
            if reported.count == 3 { loop.stop() }
        }
        let watch = try loop.watch(bell.descriptor, for: .readable, handler: handler)

        #expect(watch.descriptor == bell.descriptor)

        bell.ring()
        try loop.runWithinLimit()

        #expect(reported == [.readable, .readable, .readable])
    }

    @Test func `an edge-triggered handler is called once for each change`() throws {
        let loop = try EventLoop()
        let (bell, other) = (try Bell(), try Bell())
        var reported = 0
        var passes = 0
        _ = try loop.watch(bell.descriptor, for: [.readable, .edgeTriggered], handler: OnReady { _ in reported += 1 })
        _ = try loop.watch(
            other.descriptor, for: .readable,
            handler: OnReady { [unowned loop] _ in
                passes += 1
                if passes == 3 { bell.ring() }
                if passes == 6 { loop.stop() }
            })
        bell.ring()
        other.ring()
        try loop.runWithinLimit()

        #expect(reported == 2)
    }

    @Test func `a watch can be changed to other events`() throws {
        let loop = try EventLoop()
        let bell = try Bell()
        var reported: [Readiness] = []
        var watch: EventLoop.Watch?
        watch = try loop.watch(
            bell.descriptor, for: .readable,
            handler: OnReady { [unowned loop] readiness in
                reported.append(readiness)
                bell.silence()
                if let watch, reported.count == 1 {
                    #expect(throws: Never.self) { try loop.change(watch, to: .writable) }
                }
                if reported.count == 2 { loop.stop() }
            })
        bell.ring()
        try loop.runWithinLimit()

        #expect(reported == [.readable, .writable])
    }

    @Test func `a handler that is cancelled in the same pass is not called`() throws {
        let loop = try EventLoop()
        let bells = [try Bell(), try Bell()]
        var watches: [EventLoop.Watch] = []
        var called: [Int] = []
        for (index, bell) in bells.enumerated() {
            let handler = OnReady { [unowned loop] _ in
                called.append(index)
                loop.cancel(watches[1 - index])
                loop.stop()
            }
            watches.append(try loop.watch(bell.descriptor, for: .readable, handler: handler))
            bell.ring()
        }
        try loop.runWithinLimit()

        #expect(called.count == 1)
    }

    @Test func `a watch that reuses a cancelled watch's slot does not receive its pending event`() throws {
        let loop = try EventLoop()
        let (bells, quiet) = ([try Bell(), try Bell()], try Bell())
        var watches: [EventLoop.Watch] = []
        var (called, stray) = (0, 0)
        for (index, bell) in bells.enumerated() {
            let handler = OnReady { [unowned loop] _ in
                called += 1
                loop.cancel(watches[1 - index])
                // The new watch reuses the slot whose event of this pass is still pending.
                #expect(throws: Never.self) {
                    _ = try loop.watch(quiet.descriptor, for: .readable, handler: OnReady { _ in stray += 1 })
                }
                loop.stop()
            }
            watches.append(try loop.watch(bell.descriptor, for: .readable, handler: handler))
            bell.ring()
        }
        try loop.runWithinLimit()

        #expect(called == 1)
        #expect(stray == 0)
    }

    @Test func `cancelling releases the handler, and cancelling again does not affect a later watch`() throws {
        let loop = try EventLoop()
        let (first, second) = (try Bell(), try Bell())
        weak var handler: OnReady?
        let watch: EventLoop.Watch
        do {
            let own = OnReady { _ in }
            handler = own
            watch = try loop.watch(first.descriptor, for: .readable, handler: own)
        }

        #expect(handler != nil)

        loop.cancel(watch)

        #expect(handler == nil)

        var reported = 0
        let successor = OnReady { [unowned loop] _ in
            reported += 1
            loop.stop()
        }
        _ = try loop.watch(second.descriptor, for: .readable, handler: successor)
        loop.cancel(watch)
        second.ring()
        try loop.runWithinLimit()

        #expect(reported == 1)
    }

    @Test func `watching an invalid descriptor throws an error with the call and the reason`() throws {
        let loop = try EventLoop()
        let error = #expect(throws: SystemCallError.self) {
            try loop.watch(-1, for: .readable, handler: OnReady { _ in })
        }

        #expect(error?.call == "epoll_ctl")
        #expect(error?.code == EBADF)
        #expect(error?.description == "epoll_ctl: Bad file descriptor")

        // The slot is free for the next watch.
        let bell = try Bell()
        var reported = 0
        let handler = OnReady { [unowned loop] _ in
            reported += 1
            loop.stop()
        }
        _ = try loop.watch(bell.descriptor, for: .readable, handler: handler)
        bell.ring()
        try loop.runWithinLimit()

        #expect(reported == 1)
    }

    @Test func `more descriptors than fit into one pass are all reported`() throws {
        let loop = try EventLoop()
        let bell = try Bell()
        let duplicates = try (0..<300).map { _ in Socket(owning: try SocketOptions.duplicate(bell.descriptor)) }
        var watches: [EventLoop.Watch] = []
        var reported: [Int] = []
        for (index, duplicate) in duplicates.enumerated() {
            let handler = OnReady { [unowned loop] _ in
                reported.append(index)
                loop.cancel(watches[index])
                if reported.count == 300 { loop.stop() }
            }
            watches.append(try loop.watch(duplicate.descriptor, for: .readable, handler: handler))
        }
        bell.ring()
        try loop.runWithinLimit()

        #expect(reported.sorted() == Array(0..<300))
    }

    @Test func `stopping ends the loop after the pass's events and end-of-pass handlers`() throws {
        let loop = try EventLoop()
        let bells = [try Bell(), try Bell()]
        var log: [String] = []
        for bell in bells {
            let handler = OnReady { [unowned loop] _ in
                bell.silence()
                log.append("event")
                loop.atEndOfPass(OnPassEnd { log.append("end") })
                loop.stop()
            }
            _ = try loop.watch(bell.descriptor, for: .readable, handler: handler)
            bell.ring()
        }
        try loop.runWithinLimit()

        #expect(log == ["event", "event", "end", "end"])

        // The handler runs again after another event.
        bells[0].ring()
        try loop.runWithinLimit()

        #expect(log == ["event", "event", "end", "end", "event", "end"])
    }
}
