// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Outbound

@Suite("Conclusions from the arrival times of a stream")
struct StreamArrivalsTests {
    private static func verdict(_ parts: [(String, Int)]) -> StreamArrivals.Verdict {
        var arrivals = StreamArrivals(count: 5, interval: .milliseconds(200))
        for (text, milliseconds) in parts { arrivals.record(Array(text.utf8), at: .milliseconds(milliseconds)) }
        return arrivals.verdict
    }

    private static func comments(_ milliseconds: Int...) -> [(String, Int)] {
        milliseconds.enumerated().map { (": \($0.offset + 1)\n\n", $0.element) }
    }

    @Test func `comments that arrive separately are accepted even at uneven intervals`() {
        #expect(Self.verdict(Self.comments(30, 230, 430, 630, 830)) == .good(.milliseconds(830)))
        #expect(Self.verdict(Self.comments(130, 180, 430, 680, 830)) == .good(.milliseconds(830)))

        // A comment counts when all its parts have arrived.
        let fragments = [(": 1", 10), ("\n", 20), ("\n", 30)] + Self.comments(230, 430, 630, 830)

        #expect(Self.verdict(fragments) == .good(.milliseconds(830)))
    }

    @Test func `comments are reported as buffered if some of them arrive together`() {
        #expect(Self.verdict([(": 1\n\n: 2\n\n: 3\n\n: 4\n\n: 5\n\n", 850)]) == .buffered)
        #expect(Self.verdict(Self.comments(30, 230, 430, 830, 830)) == .buffered)
        #expect(Self.verdict([(": 1\n\n: 2\n\n", 230), (": 3\n\n: 4\n\n", 630), (": 5\n\n", 830)]) == .buffered)
        // If all comments arrive late and at once, a buffer has delayed them.
        #expect(Self.verdict(Self.comments(5000, 5000, 5001, 5001, 5002)) == .buffered)
    }

    @Test func `late comments are reported as a slow stream, and missing ones as a truncated stream`() {
        #expect(Self.verdict(Self.comments(3000, 3200, 3400, 3600, 3800)) == .slow(.milliseconds(3800)))
        #expect(Self.verdict(Self.comments(30, 230, 430)) == .cut(after: 3))
        #expect(Self.verdict([]) == .cut(after: 0))
        #expect(Self.verdict([(": 1\n\n: 2\n", 30)]) == .cut(after: 1))
        #expect(Self.verdict([(String(repeating: "x", count: 100_000), 30)]) == .cut(after: 0))
    }

    @Test func `the better of two results is used`() {
        #expect(StreamArrivals.better(.buffered, .good(.seconds(1))) == .good(.seconds(1)))
        #expect(StreamArrivals.better(.good(.seconds(1)), .cut(after: 1)) == .good(.seconds(1)))
        #expect(StreamArrivals.better(.cut(after: 2), .buffered) == .buffered)
    }
}
