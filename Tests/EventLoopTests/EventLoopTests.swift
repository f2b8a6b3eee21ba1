import Glibc
import Testing

@testable import EventLoop

/// One thread's loop: messages in order, timers, and events that reach nobody but whom they are for.
@Suite struct EventLoopTests {
    /// Runs a closure for whatever the loop tells.
    private final class Listening: ReadinessHandler, TimerHandler, PassHandler {
        private let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
        func ready(_ readiness: Readiness) { body() }
        func timerFired(_ timer: LoopTimer) { body() }
        func passEnded() { body() }
    }

    private final class Pipe {
        let read: Int32
        let write: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            (read, write) = (ends[0], ends[1])
        }

        deinit {
            close(read)
            close(write)
        }

        func fill() {
            var byte: UInt8 = 1
            _ = Glibc.write(write, &byte, 1)
        }
    }

    /// What a thread gets: a mailbox and its own number.
    private final class Sender: Sendable {
        let mailbox: Mailbox<(sender: Int, number: Int)>
        let sender: Int
        let count: Int

        init(_ mailbox: Mailbox<(sender: Int, number: Int)>, _ sender: Int, _ count: Int) {
            self.mailbox = mailbox
            self.sender = sender
            self.count = count
        }

        func start() -> pthread_t {
            var thread = pthread_t()
            let own = Unmanaged.passRetained(self).toOpaque()
            pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    let sender = Unmanaged<Sender>.fromOpaque(context).takeRetainedValue()
                    for number in 0..<sender.count { sender.mailbox.post((sender.sender, number)) }
                    return nil
                }, own)
            return thread
        }
    }

    @Test func messagesOfManyThreadsAllArriveEachThreadsInOrder() throws {
        let (senders, count) = (8, 2_000)
        let loop = try EventLoop()
        var next = [Int](repeating: 0, count: senders)
        var received = 0
        var inOrder = true
        let mailbox = try loop.mailbox { (message: (sender: Int, number: Int)) in
            inOrder = inOrder && next[message.sender] == message.number
            next[message.sender] = message.number + 1
            received += 1
            if received == senders * count { loop.stop() }
        }
        let threads = (0..<senders).map { Sender(mailbox, $0, count).start() }
        try loop.run()
        for thread in threads { pthread_join(thread, nil) }
        #expect(received == senders * count)
        #expect(inOrder)
    }

    @Test func timersFireInTheOrderOfTheirDeadlines() throws {
        let loop = try EventLoop()
        var order: [Int] = []
        let timers = [30, 10, 20].map { milliseconds in
            let timer = loop.timer(
                Listening {
                    order.append(milliseconds)
                    if order.count == 3 { loop.stop() }
                })
            loop.arm(timer, after: .milliseconds(milliseconds))
            return timer
        }
        try loop.run()
        #expect(order == [10, 20, 30])
        #expect(timers.count == 3)
    }

    @Test func anEventOfTheSamePassDoesNotReachADescriptorsNextOwner() throws {
        let loop = try EventLoop()
        let (first, second) = (Pipe(), Pipe())
        first.fill()
        second.fill()
        var watches: [EventLoop.Watch] = []
        var told: [String] = []
        // Both are ready in one pass: whoever is told first takes the other away and puts a new watch in its place.
        func replace(_ name: String, _ other: Int) {
            told.append(name)
            guard told.count == 1 else { return }
            loop.cancel(watches[other])
            let empty = Pipe()
            let watch = try? loop.watch(
                empty.read, for: .readable, handler: Listening { told.append("the next owner \(empty)") })
            #expect(watch?.slot == watches[other].slot)
            loop.atEndOfPass(Listening { loop.stop() })
        }
        watches.append(try loop.watch(first.read, for: .readable, handler: Listening { replace("first", 1) }))
        watches.append(try loop.watch(second.read, for: .readable, handler: Listening { replace("second", 0) }))
        try loop.run()
        #expect(told.count == 1)
    }

    @Test func aCancelledWatchIsSilentAndCancellingAgainIsHarmless() throws {
        let loop = try EventLoop()
        let pipe = Pipe()
        var told = 0
        let watch = try loop.watch(pipe.read, for: .readable, handler: Listening { told += 1 })
        loop.cancel(watch)
        loop.cancel(watch)
        let again = try loop.watch(
            pipe.read, for: .readable,
            handler: Listening {
                told += 10
                loop.stop()
            })
        // The old handle has no power over the new watch, which has its place.
        loop.cancel(watch)
        pipe.fill()
        try loop.run()
        #expect(told == 10)
        loop.cancel(again)
    }

    @Test func whatIsAskedForAtAPassesEndIsDoneInThatPass() throws {
        let loop = try EventLoop()
        var steps: [Int] = []
        let timer = loop.timer(
            Listening {
                loop.atEndOfPass(
                    Listening {
                        steps.append(1)
                        loop.atEndOfPass(
                            Listening {
                                steps.append(2)
                                loop.stop()
                            })
                    })
                steps.append(0)
            })
        loop.arm(timer, after: .zero)
        try loop.run()
        #expect(steps == [0, 1, 2])
    }
}
