// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import TestKit
import Testing

@Suite struct EventIndexTests {
    private func remainingItems(_ index: EventIndex, _ position: LogPosition) -> [String] {
        var position = position
        return index.next(&position, atMost: 1 << 20).map { item in
            switch item {
            case .projectGap(let id, let project, let json, _):
                "\(id.text) \(project) \(String(decoding: json, as: UTF8.self))"
            case .entry(let entry): "\(entry.id.text) \(entry.project) \(entry.event.text) \(entry.time)"
            case .gap(let gap): LogUnderTest.text(gap)
            }
        }
    }

    @Test(arguments: [true, false]) func `the index numbers the events of all projects`(inMemory: Bool) throws {
        let directory = try TemporaryDirectory()
        let index = EventIndex.open(inMemory ? nil : directory.path, limits: LogLimits(), now: 7)

        #expect(index.append("ä b", id(5, 1), time: 100) == id(7, 1))
        #expect(index.append("other", id(6, 9), time: 200) == id(7, 2))
        #expect(remainingItems(index, index.beginning) == ["7-1 ä b 5-1 100", "7-2 other 6-9 200"])
        #expect(index.entry(id(7, 2))?.event == id(6, 9))
        #expect(index.entry(id(7, 3)) == nil)
        #expect(index.entry(id(6, 1)) == nil)

        guard case .position(let position) = index.position(after: id(7, 1)) else {
            Issue.record("not found")
            return
        }

        #expect(remainingItems(index, position) == ["7-2 other 6-9 200"])

        guard case .gap(let gap, let end) = index.position(after: id(7, 3)) else {
            Issue.record("found")
            return
        }

        #expect(gap.reason == .unknownID)
        #expect(end == index.end)
    }

    @Test func `a reopened index keeps its entries and assigns each id once`() throws {
        let directory = try TemporaryDirectory()
        _ = EventIndex.open(directory.path, limits: LogLimits(), now: 7).append("a", id(5, 1), time: 100)
        let index = EventIndex.open(directory.path, limits: LogLimits(), now: 7)

        #expect(index.append("b", id(5, 1), time: 200) == id(8, 1))
        #expect(remainingItems(index, index.beginning) == ["7-1 a 5-1 100", "8-1 b 5-1 200"])
        #expect(EventLog.projects(in: directory.path) == [])
        #expect(FileManager.default.fileExists(atPath: "\(directory.path)/events/.index"))
    }

    @Test func `the index is trimmed to the oldest event of the logs`() throws {
        let directory = try TemporaryDirectory()
        let index = EventIndex.open(directory.path, limits: LogLimits(), now: 7)
        for number in 1...10_000 as ClosedRange<UInt64> {
            _ = index.append("a", id(5, number), time: Int64(number))
        }
        let bytes = index.summary.bytes
        index.trim(now: 10_000, oldest: 9_000)
        let first = try #require(index.summary.first?.sequence)

        #expect(index.summary.bytes < bytes)
        #expect(first > 1)
        #expect(first <= 9_000)

        index.trim(now: 10_001, oldest: nil)

        #expect(index.summary.bytes == 0)
        #expect(index.append("a", id(5, 10_001), time: 10_001) == id(7, 10_001))
    }
}
