// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Testing

@Suite("Work at the end of a pass")
struct PassEndTests {
    /// Registers for the end of the pass again until it has been called often enough, and records the pass of each
    /// call.
    private final class Again: PassHandler {
        private unowned let loop: EventLoop
        private let limit: Int
        private(set) var passes: [MonotonicTime] = []
        var whenDone: () -> Void = {}

        init(_ loop: EventLoop, _ limit: Int) {
            self.loop = loop
            self.limit = limit
        }

        func passEnded() {
            passes.append(loop.now)
            if passes.count < limit { loop.atEndOfPass(self) } else { whenDone() }
        }

        /// The number of calls in each pass.
        var callsPerPass: [Int] {
            passes.reduce(into: [(MonotonicTime, Int)]()) { groups, pass in
                if groups.last?.0 == pass { groups[groups.count - 1].1 += 1 } else { groups.append((pass, 1)) }
            }.map(\.1)
        }
    }

    @Test func `each registration for the end of a pass is called once, in order`() throws {
        let loop = try EventLoop()
        var log: [Int] = []
        for number in [1, 2, 3] { loop.atEndOfPass(OnPassEnd { log.append(number) }) }
        let twice = OnPassEnd { log.append(4) }
        loop.atEndOfPass(twice)
        loop.atEndOfPass(twice)
        loop.atEndOfPass(OnPassEnd { [unowned loop] in loop.stop() })
        try loop.runWithinLimit()

        #expect(log == [1, 2, 3, 4, 4])
    }

    @Test func `a pass handles events first, then deadlines, then its end`() throws {
        let loop = try EventLoop()
        let bell = try Bell()
        var log: [String] = []
        loop.atEndOfPass(
            OnPassEnd { [unowned loop] in
                log.append("end")
                loop.stop()
            })
        let timer = loop.timer(OnTimer { _ in log.append("deadline") })
        loop.arm(timer, at: .now)
        let handler = OnReady { _ in
            bell.silence()
            log.append("event")
        }
        _ = try loop.watch(bell.descriptor, for: .readable, handler: handler)
        bell.ring()
        try loop.runWithinLimit()

        #expect(log == ["event", "deadline", "end"])
    }

    @Test func `end-of-pass handlers run at most four rounds in a pass and continue without waiting`() throws {
        let loop = try EventLoop()
        let again = Again(loop, 10)
        again.whenDone = { [unowned loop] in loop.stop() }
        loop.atEndOfPass(again)
        // A loop that blocks would wake up only at the deadline of the limit, and therefore fail.
        try loop.runWithinLimit()

        #expect(again.callsPerPass == [4, 4, 2])
    }

    /// Runs one pass over `count` ringing descriptors. Returns the results of ``EventLoop/hasDelivered(of:)``: for the
    /// previous pass at the first event and at the end, and for the pass itself at the end.
    private func reported(ringing count: Int) throws -> [Bool] {
        let loop = try EventLoop()
        let bell = try Bell()
        let copies = (1..<count).map { _ in Socket(owning: dup(bell.descriptor)) }
        var received: [Bool] = []
        let handler = OnReady { [unowned loop] _ in
            if received.isEmpty { received.append(loop.hasDelivered(of: loop.pass - 1)) }
        }
        for descriptor in [bell.descriptor] + copies.map(\.descriptor) {
            _ = try loop.watch(descriptor, for: .readable, handler: handler)
        }
        loop.atEndOfPass(
            OnPassEnd { [unowned loop] in
                received += [loop.hasDelivered(of: loop.pass - 1), loop.hasDelivered(of: loop.pass)]
                loop.stop()
            })
        bell.ring()
        try loop.runWithinLimit()
        return received
    }

    @Test func `earlier events count as delivered at the end of a pass that was not full`() throws {
        #expect(try reported(ringing: 1) == [false, true, false])
        #expect(try reported(ringing: 255) == [false, true, false])
        #expect(try reported(ringing: 256) == [false, false, false])
    }

    @Test func `an end-of-pass handler that always registers again does not starve events`() throws {
        let loop = try EventLoop()
        let bell = try Bell()
        let again = Again(loop, 100_000)
        again.whenDone = { [unowned loop] in loop.stop() }
        let handler = OnReady { [unowned loop] _ in loop.stop() }
        _ = try loop.watch(bell.descriptor, for: .readable, handler: handler)
        loop.atEndOfPass(OnPassEnd { bell.ring() })
        loop.atEndOfPass(again)
        try loop.runWithinLimit()

        #expect(again.callsPerPass == [4, 4])
    }
}
