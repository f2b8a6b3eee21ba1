// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import TestKit
import Testing

/// Tests a folder that first belongs to another gateway, and later to this gateway.
@Suite struct LateFolderTests {
    private static let obstacle = "Another gateway uses it."
    private var earlier: LogUnderTest

    /// Writes three events of generation 5 to the disk.
    init() throws {
        earlier = try LogUnderTest()
        earlier.log.beginGeneration(now: 5, after: nil)
        earlier.log.add(1...3)
    }

    private func open(_ limits: LogLimits = LogLimits()) -> EventLog {
        EventLog.open(
            earlier.directory.path, project: "demo", limits: limits, now: LogUnderTest.now, obstacle: Self.obstacle)
    }

    private func contents() throws -> [String: Data] {
        try earlier.files.reduce(into: [:]) { result, name in
            result[name] = try Data(contentsOf: URL(fileURLWithPath: earlier.path(name)))
        }
    }

    @Test func `a directory that another gateway uses is neither read nor changed`() throws {
        let before = try contents()
        let log = open()

        #expect(log.warning == "Events are kept in memory only: \(Self.obstacle)")
        #expect(log.beginGeneration(now: 7, after: nil) == 7)

        log.add(1...2_000, size: 1_000)
        log.trim(now: LogUnderTest.now)

        #expect(LogUnderTest.all(log) == (1...2_000).map { "7-\($0)" })

        log.change(LogLimits(bytes: 0), now: LogUnderTest.now)

        #expect(log.warning == nil)
        #expect(try contents() == before)

        let missing = try TemporaryDirectory()
        let other = EventLog.open(missing.path, project: "demo", limits: LogLimits(), now: 1, obstacle: Self.obstacle)
        other.add(1...3)

        #expect(!FileManager.default.fileExists(atPath: "\(missing.path)/events"))
    }

    @Test func `the events in the directory precede the events in memory`() throws {
        let log = open()
        log.beginGeneration(now: 7, after: nil)
        log.add(1...2)
        var (start, end) = (log.beginning, log.end)
        log.useFolder(now: LogUnderTest.now)

        #expect(log.warning == nil)

        let all = ["5-1", "5-2", "5-3", "gap gateway-restarted 5-3..7-1", "7-1", "7-2"]

        #expect(LogUnderTest.all(log) == all)

        for (index, id) in [(1, id(5, 1)), (3, id(5, 3)), (5, id(7, 1)), (6, id(7, 2))] {
            #expect(LogUnderTest.found(log, log.position(after: id)) == Array(all[index...]), "\(id)")
        }
        // A reader of the memory continues in the file.
        log.add(3)

        #expect(LogUnderTest.remainingItems(log, &start) == ["7-1", "7-2", "7-3"])
        #expect(LogUnderTest.remainingItems(log, &end) == ["7-3"])
        #expect(LogUnderTest.all(log) == all + ["7-3"])
        #expect(log.segments.map(\.isFile) == [true, true, true])

        var next = earlier
        next.reopen()

        #expect(next.all == all + ["7-3"])
        #expect(next.log.warning == nil)
        #expect(next.log.beginGeneration(now: 1, after: nil) == 8)
    }

    @Test func `a directory that is released before any event is used as if it had just been opened`() throws {
        let log = open()
        var position = log.end
        log.useFolder(now: LogUnderTest.now)

        #expect(LogUnderTest.all(log) == ["5-1", "5-2", "5-3"])
        #expect(log.summary.last == id(5, 3))
        #expect(log.beginGeneration(now: 1, after: .gatewayRestarted) == 6)

        log.add(1)

        #expect(LogUnderTest.all(log) == ["5-1", "5-2", "5-3", "gap gateway-restarted 5-3..6-1", "6-1"])
        #expect(LogUnderTest.remainingItems(log, &position) == ["gap gateway-restarted 5-3..6-1", "6-1"])
        #expect(LogUnderTest.found(log, log.position(after: id(5, 2))).first == "5-3")
    }

    @Test(arguments: [5, 6]) func `ids increase even if the other gateway has appended events meanwhile`(
        generation: Int64
    ) throws {
        let log = open()
        log.beginGeneration(now: 5, after: nil)
        log.add(1...2)
        var (start, end) = (log.beginning, log.end)
        if generation > 5 { earlier.log.beginGeneration(now: generation, after: nil) }
        earlier.log.add(4...4)
        let newest = generation > 5 ? "6-1" : "5-4"
        log.useFolder(now: LogUnderTest.now)
        log.add(3)
        let first = "\(LogUnderTest.now)-1"
        let all = ["5-1", "5-2", "5-3", newest, "gap gateway-restarted \(newest)..\(first)", first]

        #expect(LogUnderTest.all(log) == all)
        #expect(LogUnderTest.remainingItems(log, &end) == Array(all.suffix(2)))
        #expect(LogUnderTest.remainingItems(log, &start) == ["5-1", "5-2"] + all.suffix(2))

        var next = earlier
        next.reopen()

        #expect(next.all == all)
        #expect(next.log.warning == nil)
    }

    @Test func `a log of size 0 removes the directory's files once the directory is released`() throws {
        let log = open(LogLimits(bytes: 0))
        log.beginGeneration(now: 7, after: nil)
        log.add(1...2)

        #expect(log.warning == nil)
        #expect(earlier.files.count == 1)

        log.useFolder(now: LogUnderTest.now)
        log.add(3)

        #expect(LogUnderTest.all(log) == ["7-1", "7-2", "7-3"])
        #expect(!FileManager.default.fileExists(atPath: earlier.folder))
    }

    @Test func `the index also finds the entries of a directory that is released later`() throws {
        let directory = try TemporaryDirectory()
        let old = EventIndex.open(directory.path, limits: LogLimits(), now: 7).append("a", id(5, 1), time: 100)
        let index = EventIndex.open(directory.path, limits: LogLimits(), now: 9, obstacle: Self.obstacle)
        let new = index.append("b", id(9, 1), time: 100)
        index.useFolder(now: 10)

        #expect(index.entry(old)?.project == "a")
        #expect(index.entry(new)?.project == "b")

        var position = index.beginning
        let items = index.next(&position, atMost: 1 << 20)

        #expect(items.count == 3)

        guard case .gap(let gap) = items[1] else {
            Issue.record("\(items)")
            return
        }

        #expect(gap.reason == .gatewayRestarted)
        #expect(gap.from == old)
        #expect(gap.to == new)
    }
}
