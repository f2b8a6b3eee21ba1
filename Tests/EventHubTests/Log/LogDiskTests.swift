// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import TestKit
import Testing

/// Tests that a log on a disk that cannot be used still keeps its events.
@Suite struct LogDiskTests {
    /// The disk is a small file system in memory that only the program under test sees (mount_namespaces(7)).
    @Test(.enabled(if: LogDiskTests.canMount, "mounting takes root"))
    func `a log on a full disk keeps events in memory and uses the disk again once there is room`() throws {
        let directory = try TemporaryDirectory()
        let script = """
            set -e
            mount -t tmpfs -o size=8m,mode=0700 none '\(directory.path)'
            cd '\(directory.path)'
            head -c 5m /dev/zero >ballast
            exec '\(try BuiltProducts.path("event-log-writer"))' fill '\(directory.path)'
            """
        let process = try TestProcess("/usr/bin/unshare", ["-m", "sh", "-c", script])

        #expect(try process.waitForExit(within: .seconds(60)) == .exited(0))

        let folder = "\(directory.path)/events/demo"
        let lines = process.lines(of: .output)

        try #require(lines.count == 7, "\(lines)")
        #expect(lines[0].hasPrefix("full: Events are kept in memory only, because \(folder)/"))
        #expect(
            lines[0].hasSuffix(
                ".events cannot be allocated: No space left on device. Free space on the disk (`df \(directory.path)`). "
                    + "The gateway tries again automatically."))
        #expect(
            Array(lines[1...]) == [
                "in memory: true", "gaps: retention", "still full: true", "again: on disk true", "next: true",
                "found: true",
            ])
    }

    /// Creates a log whose events up to the 240th are in a file, and those up to the 2000th in memory, because the
    /// folder cannot be used.
    private func logInMemory() throws -> LogUnderTest {
        let test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...240, size: 1_000)
        try FileManager.default.moveItem(atPath: test.folder, toPath: test.folder + "-")
        try Data().write(to: URL(fileURLWithPath: test.folder))
        test.log.add(241...2_000, size: 1_000)
        try #require(test.log.isWaitingForDisk)
        try #require(test.log.segments.filter { !$0.isFile }.count > 1)
        return test
    }

    private func mend(_ test: LogUnderTest) throws {
        try FileManager.default.removeItem(atPath: test.folder)
        try FileManager.default.moveItem(atPath: test.folder + "-", toPath: test.folder)
    }

    @Test func `events in memory are written to the disk without a new event, and the next process finds them`() throws
    {
        var test = try logInMemory()
        test.log.retryDisk(now: LogUnderTest.now)

        #expect(test.log.isWaitingForDisk)

        try mend(test)

        test.log.retryDisk(now: LogUnderTest.now)

        #expect(!test.log.isWaitingForDisk)
        #expect(test.log.warning == nil)
        #expect(test.log.segments.map(\.isFile).allSatisfy { $0 })
        #expect(test.all == (1...2_000).map { "5-\($0)" })

        test.reopen()

        #expect(test.all == (1...2_000).map { "5-\($0)" })
        #expect(test.log.warning == nil)

        test.log.add(2_001)

        #expect(test.all.last == "5-2001")
    }

    @Test func `positions in memory stay valid when their segments are written to the disk`() throws {
        let test = try logInMemory()
        var positions: [(next: Int, position: LogPosition)] = []
        var reader = test.log.beginning
        var number = 0
        while case let items = test.log.next(&reader, atMost: 50_000), !items.isEmpty {
            number += items.count
            positions.append((number + 1, reader))
        }
        let last = test.log.add(2_001).after
        try mend(test)

        test.log.retryDisk(now: LogUnderTest.now)

        #expect(test.log.isAtEnd(last))

        test.log.add(2_002...4_000, size: 1_000)

        #expect(!test.log.isAtEnd(last))

        for (next, position) in positions + [(2_002, last)] {
            var position = position
            #expect(LogUnderTest.remainingItems(test.log, &position) == (next...4_000).map { "5-\($0)" }, "\(next)")
        }
    }

    @Test func `the next segment also writes the events in memory to the disk`() throws {
        var test = try logInMemory()
        try mend(test)
        test.log.add(2_001...3_000, size: 1_000)

        #expect(!test.log.isWaitingForDisk)

        test.reopen()

        #expect(test.all == (1...3_000).map { "5-\($0)" })
    }

    @Test
    func `a directory that is unreadable at the start is read later, before the events in memory`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...3)
        try FileManager.default.moveItem(atPath: test.folder, toPath: test.folder + "-")
        try Data().write(to: URL(fileURLWithPath: test.folder))
        test.reopen()
        test.log.beginGeneration(now: 7, after: nil)
        test.log.add(1...2)
        var position = test.log.end
        try mend(test)

        test.log.retryDisk(now: LogUnderTest.now)

        let all = ["5-1", "5-2", "5-3", "gap gateway-restarted 5-3..7-1", "7-1", "7-2", "7-3"]
        test.log.add(3)

        #expect(test.all == all)
        #expect(LogUnderTest.remainingItems(test.log, &position) == ["7-3"])

        test.reopen()

        #expect(test.all == all)
    }

    @Test func `a reader of the events in memory continues after an event that displaces all others`() throws {
        let test = try LogUnderTest(inMemory: true)
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...10)
        var position = test.log.end
        test.log.add(11, size: LogLimits.memoryBytes - 4_096)

        #expect(LogUnderTest.remainingItems(test.log, &position) == ["5-11"])

        test.log.add(12, size: LogLimits.memoryBytes - 4_096)

        #expect(LogUnderTest.remainingItems(test.log, &position) == ["5-12"])
    }

    static var canMount: Bool {
        guard geteuid() == 0, let run = try? TestProcess("/usr/bin/unshare", ["-m", "true"]) else { return false }
        return (try? run.waitForExit()) == .exited(0)
    }

    @Test func `the creation of a directory is tried again after a failure`() throws {
        let directory = try TemporaryDirectory()
        let blocked = "\(directory.path)/events"
        try Data().write(to: URL(fileURLWithPath: blocked))
        let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 0)
        let warning =
            "Events are kept in memory only, because \(blocked) cannot be opened: Not a directory. Make the gateway's "
            + "user the owner of the directory, with mode 0700. The gateway tries again automatically."

        #expect(log.warning == warning)

        log.beginGeneration(now: 5, after: nil)
        log.add(1...10)

        #expect(log.warning == warning)
        #expect(LogUnderTest.all(log).count == 10)

        try FileManager.default.removeItem(atPath: blocked)
        log.retryDisk(now: 0)
        log.add(11...1_000, size: 1_000)

        #expect(log.warning == nil)
        #expect(LogUnderTest.all(log) == (1...1_000).map { "5-\($0)" })

        let again = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 0)

        #expect(LogUnderTest.all(again) == (1...1_000).map { "5-\($0)" })
    }

    @Test func `a removed directory is created again`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...100)
        try FileManager.default.removeItem(atPath: "\(test.directory.path)/events")
        test.log.add(101...2_000, size: 1_000)

        #expect(test.log.warning == nil)
        #expect(test.all == (1...2_000).map { "5-\($0)" })

        test.reopen()

        #expect(test.all.last == "5-2000")
    }

    @Test func `events are kept in memory if the state directory is missing`() {
        let log = EventLog.open("/nowhere/at/all", project: "demo", limits: LogLimits(), now: 0)

        #expect(log.warning?.contains("/nowhere/at/all cannot be opened: No such file or directory") == true)

        log.add(1...3)

        #expect(LogUnderTest.all(log).count == 3)
    }

    @Test func `events on the disk are kept while the disk is unavailable`() throws {
        var test = try LogUnderTest(LogLimits(bytes: 8 << 20))
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...240, size: 1_000)
        // Put a file in the place of the folder.
        try FileManager.default.moveItem(atPath: test.folder, toPath: test.folder + "-")
        try Data().write(to: URL(fileURLWithPath: test.folder))
        test.log.add(241...9_000, size: 1_000)

        #expect(test.log.warning != nil)

        let all = test.all
        let gap = try #require(all.firstIndex { $0.hasPrefix("gap") })

        #expect(all[..<gap].first == "5-1")
        #expect(gap >= 200)

        let next = try #require(UInt64(all[gap + 1].dropFirst(2)))

        #expect(all[gap] == "gap retention 5-\(gap)..5-\(next)")
        #expect(Array(all[(gap + 1)...]) == (next...9_000).map { "5-\($0)" })

        // The last event that this client has received is among the missing events.
        let found = LogUnderTest.found(test.log, test.log.position(after: id(5, next - 2)))

        #expect(found.first?.hasPrefix("gap retention 5-") == true)
        #expect(found.dropFirst().first == "5-\(next)")

        // The disk is available again. The next process finds the missing range and the events that were in memory.
        try FileManager.default.removeItem(atPath: test.folder)
        try FileManager.default.moveItem(atPath: test.folder + "-", toPath: test.folder)
        test.log.add(9_001...10_000, size: 1_000)

        #expect(test.log.warning == nil)

        test.reopen()

        #expect(test.all == all + (9_001...10_000).map { "5-\($0)" })
    }
}
