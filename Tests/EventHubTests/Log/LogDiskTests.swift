import EventHub
import Foundation
import TestKit
import Testing

/// A disk that can't be used is no reason to keep nothing.
@Suite struct LogDiskTests {
    /// A small disk in memory that only the program under test sees (mount_namespaces(7)).
    @Test(.enabled(if: LogDiskTests.canMount, "mounting takes root"))
    func aFullDisk() throws {
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
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[0].hasPrefix("full: Events are kept in memory only, for \(folder)/"))
        #expect(
            lines[0].hasSuffix(
                ".events can't be allocated: No space left on device. Make room on that disk (`df \(directory.path)` shows "
                    + "it): it is tried again by itself."))
        #expect(Array(lines[1...]) == ["in memory: true", "gaps: retention", "again: on disk true"])
    }

    static var canMount: Bool {
        guard geteuid() == 0, let run = try? TestProcess("/usr/bin/unshare", ["-m", "true"]) else { return false }
        return (try? run.waitForExit()) == .exited(0)
    }

    @Test func aFolderThatCantBeMadeIsTriedAgainWithTheNextSegment() throws {
        let directory = try TemporaryDirectory()
        let blocked = "\(directory.path)/events"
        try Data().write(to: URL(fileURLWithPath: blocked))
        let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 0)
        let warning =
            "Events are kept in memory only, for \(blocked) can't be opened: Not a directory. Make that folder "
            + "the gateway's own, closed to others and writable: it is tried again by itself."
        #expect(log.warning == warning)
        log.beginGeneration(now: 5, after: nil)
        log.add(1...10)
        #expect(log.warning == warning)
        #expect(LogUnderTest.all(log).count == 10)
        try FileManager.default.removeItem(atPath: blocked)
        log.add(11...1_000, size: 1_000)
        #expect(log.warning == nil)
        #expect(LogUnderTest.all(log) == (1...1_000).map { "5-\($0)" })

        // What was in memory is gone with the process, and that is told.
        let again = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 0)
        let first = try #require(again.summary.first)
        #expect(LogUnderTest.all(again) == (first.sequence...1_000).map { "5-\($0)" })
        let found = LogUnderTest.found(again, again.place(behind: id(5, 5)))
        #expect(found.first == "gap retention 5-5..\(first.text)")
    }

    @Test func aFolderThatIsRemovedIsMadeAgain() throws {
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

    @Test func aMissingStateFolder() {
        let log = EventLog.open("/nowhere/at/all", project: "demo", limits: LogLimits(), now: 0)
        #expect(log.warning?.contains("/nowhere/at/all can't be opened: No such file or directory") == true)
        log.add(1...3)
        #expect(LogUnderTest.all(log).count == 3)
    }

    @Test func whatWasOnTheDiskStaysWhileItCantBeUsed() throws {
        var test = try LogUnderTest(LogLimits(bytes: 8 << 20))
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...240, size: 1_000)
        // A file in the folder's place.
        try FileManager.default.moveItem(atPath: test.folder, toPath: test.folder + "-")
        try Data().write(to: URL(fileURLWithPath: test.folder))
        test.log.add(241...9_000, size: 1_000)
        #expect(test.log.warning != nil)
        let all = test.all
        let gap = try #require(all.firstIndex { $0.hasPrefix("gap") })
        #expect(all[..<gap].first == "5-1" && gap >= 200)
        let behind = try #require(UInt64(all[gap + 1].dropFirst(2)))
        #expect(all[gap] == "gap retention 5-\(gap)..5-\(behind)")
        #expect(Array(all[(gap + 1)...]) == (behind...9_000).map { "5-\($0)" })
        // Whose last event is in the hole.
        let found = LogUnderTest.found(test.log, test.log.place(behind: id(5, behind - 2)))
        #expect(found.first?.hasPrefix("gap retention 5-") == true && found.dropFirst().first == "5-\(behind)")
        // The disk comes back; the next process finds the hole.
        try FileManager.default.removeItem(atPath: test.folder)
        try FileManager.default.moveItem(atPath: test.folder + "-", toPath: test.folder)
        test.log.add(9_001...10_000, size: 1_000)
        #expect(test.log.warning == nil)
        test.reopen()
        let left = test.all
        #expect(left[..<gap] == all[..<gap])
        #expect(left[gap].hasPrefix("gap retention 5-\(gap)..5-") && left.last == "5-10000")
    }
}
