// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EventLoop

@Suite("Monotonic time")
struct MonotonicTimeTests {
    @Test func `the clock never runs backwards`() {
        var last = MonotonicTime.now
        for _ in 0..<1_000 {
            let next = MonotonicTime.now
            #expect(next >= last)
            last = next
        }

        #expect(last < .distantFuture)
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.microseconds(3), 3_000), (.milliseconds(250), 250_000_000),
            (.seconds(90), 90_000_000_000), (.milliseconds(-5), -5_000_000),
            (Duration(secondsComponent: 1, attosecondsComponent: 999_999_999), 1_000_000_000),
            (.seconds(9_444), 9_444_000_000_000), (.seconds(9_445), 9_445_000_000_000),
            (.seconds(86_400), 86_400_000_000_000),
            (Duration(secondsComponent: 9_444, attosecondsComponent: 999_999_999_999_999_999), 9_444_999_999_999),
            (Duration(secondsComponent: 9_446, attosecondsComponent: 999_999_999_999_999_999), 9_446_999_999_999),
            (.seconds(8_999_999_999), 8_999_999_999_000_000_000), (.seconds(9_000_000_000), 9_000_000_000_000_000_000),
            (.seconds(10_000_000_000), .max),
            (.seconds(Int64.max), .max),
        ] as [(Duration, Int64)])
    func `a duration is counted in whole nanoseconds and capped at the 64-bit maximum`(duration: Duration, count: Int64)
    {
        #expect(duration.wholeNanoseconds == count)
    }

    @Test func `the sum of a time and a duration is a time, and the difference of two times is a duration`() {
        let start = MonotonicTime(nanoseconds: 1_000)
        let end = start + .microseconds(2)

        #expect(end == MonotonicTime(nanoseconds: 3_000))
        #expect(end - start == .microseconds(2))
        #expect(start - end == .microseconds(-2))
        #expect(start < end)
        #expect(!(end < start))
        #expect(!(start < start))
        #expect(end + .microseconds(-2) == start)
    }

    @Test func `a time beyond the range is the distant future`() {
        let now = MonotonicTime.now

        #expect(now + .seconds(Int64.max) == .distantFuture)
        #expect(MonotonicTime(nanoseconds: .max - 5) + .nanoseconds(5) == .distantFuture)
        #expect(MonotonicTime(nanoseconds: .max - 5) + .nanoseconds(6) == .distantFuture)
        #expect(MonotonicTime(nanoseconds: .max - 5) + .nanoseconds(4) < .distantFuture)
        #expect(.distantFuture + .seconds(1) == .distantFuture)
    }
}
