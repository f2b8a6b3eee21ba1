// SPDX-License-Identifier: Apache-2.0

import EventHub
import OpenCodeFamilies
import Testing

/// Tests of the log that run in memory and on the disk.
@Suite(.serialized) struct EventLogTests {
    private func test(_ inMemory: Bool) throws -> LogUnderTest { try LogUnderTest(inMemory: inMemory) }

    @Test(arguments: [true, false]) func `an event is read as it was appended`(inMemory: Bool) throws {
        let test = try test(inMemory)

        #expect(test.log.beginGeneration(now: 5, after: nil) == 5)

        var skeleton = EventSkeleton()
        skeleton.type = Array("session.updated".utf8)
        skeleton.directory = Array("/home/vibe/ä".utf8)
        skeleton.parentSession = Array("ses_0".utf8)
        skeleton.message = []
        skeleton.payload = 3..<9
        let line = Array("{\u{0}\"é\":\r[1]}".utf8)
        let stored = test.log.append(skeleton, line: line.span, time: -7)
        var position = test.log.beginning
        let items = test.log.next(&position, atMost: 1)
        guard case .event(let read)? = items.first, items.count == 1 else {
            Issue.record("\(items)")
            return
        }
        for event in [stored, read] {
            #expect(event.id == id(5, 1))
            #expect(event.time == -7)
            #expect(event.size == line.count)
            #expect(event.line == line)
            #expect(event.skeleton == skeleton)
            #expect(event.payload == 3..<9)
            #expect(event.withType { $0.count } == 15)
            #expect(event.withSession { $0.count } == nil)
            #expect(event.withDirectory { $0[$0.count - 1] } == 0xA4)
        }

        #expect(MemoryLayout<LogPosition>.size <= 64)
    }

    @Test(arguments: [true, false]) func `sequences are contiguous and begin again with each generation`(inMemory: Bool)
        throws
    {
        let test = try test(inMemory)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...3)
        test.log.append(gap: .upstreamLost, time: 0)
        test.log.add(4...4)

        #expect(test.log.beginGeneration(now: 9, after: .instanceRestarted) == 9)

        test.log.add(5...6)
        let expected = [
            "5-1", "5-2", "5-3", "gap upstream-lost 5-3..5-4", "5-4", "gap instance-restarted 5-4..9-1", "9-1", "9-2",
        ]

        #expect(test.all == expected)
        #expect(test.log.lastGeneration == 9)

        let summary = test.log.summary

        #expect(summary == LogSummary(first: id(5, 1), last: id(9, 2), bytes: 256 << 10, gaps: 2))
    }

    @Test(arguments: [true, false]) func `the next id is the id of the next event`(inMemory: Bool) throws {
        let test = try test(inMemory)

        for generation: UInt64 in [5, 9] {
            test.log.beginGeneration(now: Int64(generation), after: nil)
            for sequence: UInt64 in 1...3 {
                #expect(test.log.nextID == id(generation, sequence))
                #expect(test.log.add().id == id(generation, sequence))
            }
        }
    }

    @Test func `a new generation is greater than every earlier one, regardless of the time of the clock`() throws {
        let test = try test(true)

        #expect(test.log.beginGeneration(now: 5, after: nil) == 5)
        #expect(test.log.beginGeneration(now: 5, after: nil) == 6)
        #expect(test.log.beginGeneration(now: -5, after: nil) == 7)
        #expect(test.log.beginGeneration(now: 100, after: nil) == 100)
    }

    @Test func `two losses without an event between them are both reported`() throws {
        let test = try test(true)

        #expect(test.log.beginGeneration(now: 5, after: .gatewayRestarted) == 5)

        test.log.append(gap: .upstreamLost, time: 0)
        test.log.append(gap: .upstreamLost, time: 0)

        #expect(test.all == ["gap gateway-restarted ..", "gap upstream-lost ..", "gap upstream-lost .."])

        test.log.add(1...1)
        test.log.append(gap: .upstreamLost, time: 0)
        let all = [
            "gap gateway-restarted ..5-1", "gap upstream-lost ..5-1", "gap upstream-lost ..5-1", "5-1",
            "gap upstream-lost 5-1..",
        ]

        #expect(test.all == all)
    }

    @Test(arguments: [true, false]) func `a reader at the end receives each later event`(inMemory: Bool) throws {
        let test = try test(inMemory)
        var position = test.log.end

        #expect(test.log.isAtEnd(position))
        #expect(test.log.next(&position, atMost: 100).isEmpty)

        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...1)

        #expect(!test.log.isAtEnd(position))
        #expect(LogUnderTest.remainingItems(test.log, &position) == ["5-1"])
        #expect(test.log.isAtEnd(position))
        #expect(position == test.log.end)

        test.log.add(2...2)
        test.log.append(gap: .upstreamLost, time: 0)

        #expect(LogUnderTest.remainingItems(test.log, &position) == ["5-2", "gap upstream-lost 5-2.."])
        #expect(position.last == id(5, 2))

        // Reading continues across the ends of segments.
        for number in 3...2_000 {
            test.log.add(number, size: 500)
            let remainder = LogUnderTest.remainingItems(test.log, &position)
            #expect(remainder == ["5-\(number)"])
        }

        #expect(test.log.segments.count > 1)
    }

    @Test func `a batch contains at least one record and only whole records`() throws {
        let test = try test(true)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...9, size: 1_000)
        var position = test.log.beginning

        #expect(test.log.next(&position, atMost: 0).count == 1)
        #expect(test.log.next(&position, atMost: 1_500).count == 1)
        #expect(test.log.next(&position, atMost: 3_500).count == 3)
        #expect(test.log.next(&position, atMost: 1 << 20).count == 4)
        #expect(test.log.next(&position, atMost: 1 << 20).isEmpty)
    }

    @Test func `the log returns the matching events up to an id`() throws {
        let test = try test(true)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...50)
        test.log.append(gap: .upstreamLost, time: 0)
        test.log.add(51...100)
        let even = test.log.events(from: test.log.beginning, through: id(5, 60)) { $0.id.sequence % 20 == 0 }

        #expect(even.map(\.id.sequence) == [20, 40, 60])
        #expect(test.log.events(from: test.log.end, through: id(9, 9)) { _ in true }.isEmpty)
    }

    @Test(arguments: [true, false]) func `an event of any size within the limit is kept`(inMemory: Bool) throws {
        let test = try test(inMemory)
        test.log.beginGeneration(now: 5, after: nil)
        for size in [1, 1_000, 300_000, 3_000_000, 10] {
            let event = test.log.add(size, size: size)
            #expect(event.line == EventLog.line(size, size: size))
        }

        #expect(test.all.last == "5-5")

        if !inMemory {
            test.log.add(6, size: 16 << 20)
            #expect(test.log.summary.first == id(5, 1))
            #expect(test.all == (1...6).map { "5-\($0)" })
        }
    }

    @Test func `an event larger than the limit is returned to the caller and leaves a retention gap`() throws {
        let test = try test(true)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...2)
        let large = test.log.add(3, size: LogLimits.memoryBytes)

        #expect(large.id == id(5, 3))
        #expect(large.line == EventLog.line(3, size: LogLimits.memoryBytes))

        let next = test.log.add(4, size: LogLimits.memoryBytes)

        #expect(next.id == id(5, 4))

        test.log.append(gap: .upstreamLost, time: 0)
        test.log.add(5...5)
        let tail = ["gap retention 5-2..5-5", "gap retention 5-3..5-5", "gap upstream-lost 5-4..5-5", "5-5"]

        #expect(test.all == ["5-1", "5-2"] + tail)
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 2))) == tail)
        // A client that has received the gaps continues after them.
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 3))) == Array(tail.dropFirst()))
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 4))) == Array(tail.dropFirst(2)))
        #expect(test.log.position(before: id(5, 3)) == nil)
    }
}
