// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Instances

@Suite struct PulseTests {
    private let start = SuspendingClock.now

    @Test func `bytes count as progress only after the first reading of the same check`() {
        var pulse = Pulse()
        pulse.answered(now: start)
        pulse.resetCheck()
        let first = pulse.look(7, now: start + .seconds(2))

        #expect(first.quiet == .seconds(2))
        #expect(!first.progressed)

        let second = pulse.look(8, now: start + .seconds(4))

        #expect(second.quiet == .zero)
        #expect(second.progressed)

        let third = pulse.look(8, now: start + .seconds(6))

        #expect(third.quiet == .seconds(2))
        #expect(!third.progressed)

        // Bytes that arrive between two checks do not count as progress during the second check.
        pulse.resetCheck()

        #expect(!pulse.look(99, now: start + .seconds(8)).progressed)
    }

    @Test func `a healthy response ends the silent period`() {
        var pulse = Pulse()
        pulse.answered(now: start)
        _ = pulse.look(1, now: start + .seconds(30))
        pulse.answered(now: start + .seconds(40))

        #expect(pulse.look(1, now: start + .seconds(45)).quiet == .seconds(5))
    }
}
