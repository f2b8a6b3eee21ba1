// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import Glibc
import TestKit
import Testing

@Suite struct LogRetentionTests {
    private static let small = LogLimits(bytes: 1 << 20)

    @Test(arguments: [true, false]) func `a log keeps the newest events within its size limit`(inMemory: Bool) throws {
        let limits = inMemory ? LogLimits() : Self.small
        let limit = inMemory ? LogLimits.memoryBytes : limits.bytes
        let test = try LogUnderTest(limits, inMemory: inMemory)
        test.log.beginGeneration(now: 5, after: nil)
        for number in 1...8_000 {
            test.log.add(number, size: 1_000)
            if number % 100 == 0 { try #require(test.log.summary.bytes <= limit) }
        }
        let summary = test.log.summary
        let first = try #require(summary.first)

        #expect(summary.last == id(5, 8_000))
        #expect(first.sequence > 8_000 - UInt64(limit / 1_000))
        #expect(first.sequence < 8_000 - UInt64(limit / 2_000))
        #expect(test.all == (first.sequence...8_000).map { "5-\($0)" })

        if !inMemory { #expect(test.files.count == test.log.segments.count) }
        // A client whose last event directly precedes the first kept event has lost nothing.
        let known = id(5, first.sequence - 1)

        #expect(LogUnderTest.found(test.log, test.log.position(after: known)).first == first.text)

        let lost = id(5, first.sequence - 2)
        let found = LogUnderTest.found(test.log, test.log.position(after: lost))

        #expect(found.first == "gap retention \(lost.text)..\(first.text)")
        #expect(found.dropFirst().first == first.text)
    }

    @Test(arguments: [true, false])
    func `a slow reader finishes its segment and receives a gap for the removed events`(inMemory: Bool) throws {
        let test = try LogUnderTest(Self.small, inMemory: inMemory)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...10, size: 1_000)
        var position = test.log.beginning

        #expect(test.log.next(&position, atMost: 1).count == 1)

        test.log.add(11...8_000, size: 1_000)
        let first = try #require(test.log.summary.first)
        let remainder = LogUnderTest.remainingItems(test.log, &position)
        let gap = try #require(remainder.firstIndex { $0.hasPrefix("gap") })

        #expect(remainder[..<gap].first == "5-2")
        #expect(gap > 10)
        #expect(remainder[gap] == "gap retention 5-\(gap + 1)..\(first.text)")
        #expect(Array(remainder[(gap + 1)...]) == (first.sequence...8_000).map { "5-\($0)" })
    }

    @Test func `an event in memory outlives its segment`() throws {
        let test = try LogUnderTest(Self.small)
        test.log.beginGeneration(now: 5, after: nil)
        let event = test.log.add(1, size: 500)
        test.log.removeOldest(1)

        #expect(test.files.isEmpty)
        #expect(test.log.summary.first == nil)
        #expect(event.line == EventLog.line(1, size: 500))
    }

    @Test func `segments older than the time limit are removed`() throws {
        let day: Int64 = 86_400_000
        var test = try LogUnderTest(LogLimits(time: .seconds(7 * 86_400)))
        test.log.beginGeneration(now: day, after: nil)
        test.log.add(1...1_000, size: 1_000, time: day)
        test.log.add(1_001...2_000, size: 1_000, time: 2 * day)
        let before = test.log.segments.count
        test.log.trim(now: 8 * day)

        #expect(test.log.segments.count == before)

        test.log.trim(now: 8 * day + 1)

        #expect(test.log.segments.count == before - 1)

        test.log.trim(now: 9 * day + 1)

        #expect(test.all.isEmpty)
        #expect(test.files.isEmpty)

        // The instance sends nothing for a week. Its next event has the next number.
        var position = test.log.end
        test.log.add(2_001...2_001, time: 9 * day)

        #expect(LogUnderTest.remainingItems(test.log, &position).last?.hasSuffix("-2001") == true)

        test.reopen(now: 17 * day)

        #expect(test.files.isEmpty)
        #expect(test.log.summary.first == nil)
    }

    @Test func `a log of size 0 keeps 4 MiB in memory and removes the files`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...10)

        #expect(test.files.count == 1)

        test.reopen(LogLimits(bytes: 0))

        #expect(!FileManager.default.fileExists(atPath: test.folder))
        #expect(test.log.warning == nil)
        #expect(test.log.summary.first == nil)
        #expect(test.log.beginGeneration(now: 1, after: nil) == 6)

        test.log.add(1...8_000, size: 1_000)
        let bytes = test.log.summary.bytes

        #expect(bytes <= 4 << 20)
        #expect(bytes > 3 << 20)
        #expect(!FileManager.default.fileExists(atPath: test.folder))
    }

    @Test func `new limits take effect in an open log`() throws {
        let test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...6_000, size: 1_000)
        test.log.change(LogLimits(bytes: 4 << 20), now: 0)

        #expect(test.log.summary.bytes <= 4 << 20)
        #expect(test.log.summary.bytes > 0)

        test.log.change(LogLimits(bytes: 0), now: 0)

        #expect(test.files.isEmpty)
        #expect(test.log.summary.bytes == 0)

        test.log.add(6_001...6_001)

        #expect(test.all == ["5-6001"])
        #expect(test.files.isEmpty)

        test.log.change(LogLimits(), now: 0)
        test.log.add(6_002...6_600, size: 1_000)

        #expect(!test.files.isEmpty)
        #expect(test.all == (6_001...6_600).map { "5-\($0)" })
    }

    @Test func `segments grow from 256 KiB to 4 MiB`() throws {
        let test = try LogUnderTest()

        #expect(test.log.segments.isEmpty)
        #expect(test.files.isEmpty)

        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...1_000, size: 10_000)

        #expect(test.log.segments.map(\.bytes) == [256 << 10, 1 << 20, 4 << 20, 4 << 20, 4 << 20])
    }

    @Test func `the files and directories of a log are accessible only to their owner`() throws {
        let test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        for path in [test.folder, "\(test.directory.path)/events"] + test.files.map(test.path) {
            var status = stat()
            try #require(lstat(path, &status) == 0)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            #expect(status.st_mode & 0o7777 == (isFolder ? 0o700 : 0o600))
            if !isFolder { #expect(status.st_blocks * 512 >= 256 << 10) }
        }

        #expect(test.files.count == 1)
    }
}

@Suite struct RetentionPlanTests {
    private static func log(_ times: [Int64], bytes: Int = 10, isFile: Bool = true) -> [LogSegment] {
        times.map { LogSegment(bytes: bytes, lastTime: $0, isFile: isFile) }
    }

    @Test(
        arguments: [
            ([], 0, []),
            ([log([1, 2]), log([3])], 30, [0, 0]),
            ([log([1, 2]), log([3])], 29, [1, 0]),
            ([log([1, 4]), log([3, 5])], 20, [1, 1]),
            ([log([1, 4]), log([3, 5])], 0, [2, 2]),
            // A clock that was set back does not reverse the order of a log.
            ([log([9, 1]), log([5, 6])], 20, [0, 2]),
            // A segment in memory is removed only if a later segment must be removed.
            ([log([1, 2], isFile: false), log([3, 4])], 20, [0, 0]),
            ([log([1], isFile: false) + log([2]), log([3])], 10, [2, 0]),
        ] as [([[LogSegment]], Int, [Int])])
    func `the oldest segments of all logs are removed first`(logs: [[LogSegment]], total: Int, removals: [Int]) {
        #expect(RetentionPlan.removals(logs, total: total) == removals)
    }
}
