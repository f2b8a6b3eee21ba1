// SPDX-License-Identifier: Apache-2.0

import EventHub
import Testing

@Suite struct LogFindingTests {
    private static func log() throws -> LogUnderTest {
        let test = try LogUnderTest(inMemory: true)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...2, time: 100)
        test.log.append(gap: .upstreamLost, time: 150)
        test.log.add(3...3, time: 200)
        test.log.beginGeneration(now: 9, after: .instanceRestarted)
        test.log.add(1...2, time: 300)
        return test
    }

    @Test(
        arguments: [
            (id(5, 1), "5-2, gap upstream-lost 5-2..5-3, 5-3, gap instance-restarted 5-3..9-1, 9-1, 9-2"),
            (id(5, 2), "gap upstream-lost 5-2..5-3, 5-3, gap instance-restarted 5-3..9-1, 9-1, 9-2"),
            (id(5, 3), "gap instance-restarted 5-3..9-1, 9-1, 9-2"),
            (id(9, 1), "9-2"),
            (id(9, 2), ""),
            (EventID(generation: 9, sequence: 1, frame: 3), "9-2"),
            // These ids are in the future, or were never assigned.
            (id(9, 3), "gap unknown-id .."),
            (id(10, 1), "gap unknown-id .."),
            (id(7, 1), "gap unknown-id .."),
            (id(9, 0), "gap unknown-id .."),
            (id(0, 1), "gap unknown-id .."),
            (id(.max, .max), "gap unknown-id .."),
            // The last events of this generation may be lost, so the gap after it is not skipped.
            (id(5, 4), "gap instance-restarted 5-3..9-1, 9-1, 9-2"),
            // This id is older than all events.
            (
                id(4, 1),
                "gap retention 4-1..5-1, 5-1, 5-2, gap upstream-lost 5-2..5-3, 5-3, gap instance-restarted 5-3..9-1, "
                    + "9-1, 9-2"
            ),
        ])
    func `a reader resumes after its last event and receives a gap if events are missing`(
        known: EventID, remainder: String
    )
        throws
    {
        let test = try Self.log()

        #expect(LogUnderTest.found(test.log, test.log.position(after: known)).joined(separator: ", ") == remainder)
    }

    @Test func `events are found across several segments`() throws {
        let test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...6_000, size: 500)

        #expect(test.log.segments.count == 3)

        let known: [UInt64] = Array(1...20) + Array(stride(from: 21, through: 5_999, by: 97)) + [6_000]
        for sequence in known {
            guard case .position(var position) = test.log.position(after: id(5, sequence)) else {
                Issue.record("\(sequence) was not found")
                return
            }
            let next = test.log.next(&position, atMost: 1).map(LogUnderTest.text)
            #expect(next == (sequence == 6_000 ? [] : ["5-\(sequence + 1)"]))
            var before = try #require(test.log.position(before: id(5, sequence)))
            #expect(test.log.next(&before, atMost: 1).map(LogUnderTest.text) == ["5-\(sequence)"])
        }
    }

    @Test func `an unknown event of an earlier generation yields a damaged gap`() throws {
        let test = try LogUnderTest(inMemory: true)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...2)
        test.log.beginGeneration(now: 9, after: nil)

        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 3))) == ["gap damaged 5-3.."])

        test.log.add(1...1)

        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 3))) == ["gap damaged 5-3..9-1", "9-1"])
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 2))) == ["9-1"])
    }

    @Test(
        arguments: [
            (0, "5-1 5-2"), (100, "5-1 5-2"), (101, "gap 5-3"), (150, "gap 5-3"), (151, "5-3 gap"), (201, "9-1 9-2"),
            (300, "9-1 9-2"), (301, ""),
        ] as [(Int64, String)])
    func `a reader that begins at a time starts with the first event or gap at or after that time`(
        time: Int64, begins: String
    ) throws {
        let test = try Self.log()
        // The gap before the second generation was written when that generation began, at time 9.
        let found = LogUnderTest.found(test.log, test.log.position(since: time)).prefix(2)

        #expect(found.map { $0.hasPrefix("gap") ? "gap" : $0 }.joined(separator: " ") == begins)
    }

    @Test func `a reader that begins before the oldest stored event starts with a retention gap`() throws {
        let test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...6_000, size: 500, time: 100)
        test.log.add(6_001...6_001, time: 200)
        test.log.removeOldest(1)
        let first = try #require(test.log.summary.first)

        #expect(LogUnderTest.found(test.log, test.log.position(since: 100)).first == "gap retention ..\(first.text)")
        #expect(LogUnderTest.found(test.log, test.log.position(since: 101)) == ["5-6001"])
    }

    @Test func `in a log without events, an id yields a gap, and a time yields no gap`() throws {
        let test = try LogUnderTest(inMemory: true)

        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 1))) == ["gap unknown-id .."])
        #expect(LogUnderTest.found(test.log, test.log.position(since: 0)) == [])
        #expect(test.log.position(before: id(5, 1)) == nil)
        #expect(test.log.summary == LogSummary(first: nil, last: nil, bytes: 0, gaps: 0))

        test.log.beginGeneration(now: 9, after: nil)

        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 1))) == ["gap retention 5-1.."])
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(9, 1))) == ["gap unknown-id .."])
    }
}
