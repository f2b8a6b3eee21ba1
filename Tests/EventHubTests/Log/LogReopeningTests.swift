// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import Glibc
import TestKit
import Testing

/// Tests that the events that a process has left are found again, regardless of the state of the files.
@Suite struct LogReopeningTests {
    private static let header = 80

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: some Sequence<UInt8>, _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Returns the offsets at which records begin, and the end of the last one.
    private func endings(_ bytes: [UInt8]) -> [Int] {
        var ends = [Self.header]
        while let last = ends.last, last + 4 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[last + $1]) << (8 * $1) }
            if length == 0 { break }
            ends.append(last + length)
        }
        return ends
    }

    @Test func `a reopened log has the same events and continues in the same file`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        let line = test.log.add(1).line
        test.log.append(gap: .upstreamLost, time: 0)
        test.log.add(2...2)
        let (all, summary, files) = (test.all, test.log.summary, test.files)
        test.reopen()

        #expect(test.log.warning == nil)
        #expect(test.log.lastGeneration == 5)
        #expect(test.all == all)
        #expect(test.log.summary == summary)

        var position = test.log.beginning
        guard case .event(let first)? = test.log.next(&position, atMost: 1).first else {
            Issue.record("no event")
            return
        }

        #expect(first.line == line)
        #expect(first.skeleton == EventLog.skeleton(line.count))
        #expect(test.log.beginGeneration(now: 5, after: .gatewayRestarted) == 6)

        test.log.add(1...1)
        test.reopen()

        #expect(test.all == all + ["gap gateway-restarted 5-2..6-1", "6-1"])
        #expect(test.files == files)
    }

    @Test func `a reopened log has all of its segments`() throws {
        var test = try LogUnderTest()
        for generation in 1...3 as ClosedRange<Int64> {
            test.log.beginGeneration(now: generation, after: .instanceRestarted)
            test.log.add(1...1_000, size: 1_000)
        }
        let (all, segments) = (test.all, test.log.segments)
        test.reopen()

        #expect(test.all == all)
        #expect(test.log.segments == segments)
        #expect(test.log.summary.gaps == 3)
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(2, 1_000))) == Array(all.suffix(1_001)))
    }

    /// A power failure can leave any beginning of the written bytes, and any bytes after it.
    @Test(arguments: ["cut", "zeros", "garbage", "one bit"])
    func `a torn tail is dropped and reported as a damaged gap`(kind: String) throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...3, size: 20)
        test.log.append(gap: .upstreamLost, time: 0)
        test.log.add(4...4, size: 20)
        let path = test.path(try #require(test.files.first))
        let whole = try bytes(path)
        let ends = endings(whole)

        try #require(ends.count == 7)

        let items = [[], [], ["5-1"], ["5-2"], ["5-3"], ["gap"], ["5-4"]]
        for torn in Self.header..<(ends.last ?? 0) {
            var bytes = whole
            switch kind {
            case "cut": bytes = Array(whole[..<torn])
            case "zeros": for index in torn..<whole.count { bytes[index] = 0 }
            case "garbage":
                for index in torn..<torn + 200 { bytes[index] = UInt8(truncatingIfNeeded: 7 * index + 1) | 1 }
            default: bytes[torn] ^= 1 << (torn % 8)
            }
            try write(bytes, path)
            test.reopen()
            // The log contains every record before the first changed record, and a gap if any bytes of the changed
            // record are left.
            let intact = items.indices.dropFirst().prefix { index in
                let record = ends[index - 1]..<ends[index]
                return bytes.count >= record.upperBound && bytes[record] == whole[record]
            }
            let record = ends[intact.count]
            var expected = items[...intact.count].flatMap { $0 }
            let isClean = bytes.count > record && bytes[record...].allSatisfy { $0 == 0 }
            if !isClean { expected.append("gap") }
            let found = test.all.map { $0.hasPrefix("gap") ? "gap" : $0 }
            try #require(found == expected, "\(kind) at \(torn)")
            if !isClean { #expect(test.all.last?.hasPrefix("gap damaged") == true) }
            #expect(test.log.warning == nil)
        }
    }

    @Test func `after a torn tail, a new generation continues in a new file`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...3)
        let path = test.path(try #require(test.files.first))
        var torn = try bytes(path)
        torn[endings(torn)[3] + 40] ^= 1
        try write(torn, path)
        for round in 1...3 as ClosedRange<UInt64> {
            test.reopen()
            #expect(test.log.beginGeneration(now: 5, after: .gatewayRestarted) == 5 + round)
            test.log.add(1...1)
        }
        let all = [
            "5-1", "5-2", "gap damaged 5-2..6-1", "gap gateway-restarted 5-2..6-1", "6-1",
            "gap gateway-restarted 6-1..7-1", "7-1", "gap gateway-restarted 7-1..8-1", "8-1",
        ]

        #expect(test.all == all)
        #expect(test.files.count == 2)
        // A client that received the lost events gets a gap, and misses no later event.
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, 3))) == Array(all[2...]))
    }

    @Test func `a record that was being written is not reported as damaged`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...2)
        let path = test.path(try #require(test.files.first))
        var bytes = try bytes(path)
        // Remove only the length of the second event.
        for index in 0..<4 { bytes[endings(bytes)[2] + index] = 0 }
        try write(bytes, path)
        test.reopen()

        #expect(test.all == ["5-1"])

        // The remainder of the old record must not be visible after the bytes that are written over it.
        test.log.beginGeneration(now: 6, after: nil)
        test.log.append(gap: .upstreamLost, time: 0)
        test.reopen()

        #expect(test.all == ["5-1", "gap upstream-lost 5-1.."])
    }

    @Test func `a missing page before other data is reported as damage`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...20, size: 1_000)
        let path = test.path(try #require(test.files.first))
        var bytes = try bytes(path)
        for index in 8_192..<12_288 { bytes[index] = 0 }
        try write(bytes, path)
        test.reopen()

        #expect(test.all.last == "gap damaged 5-\(test.all.count - 1)..")
    }

    @Test func `a missing segment is reported as a damaged gap`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...6_000, size: 1_000)
        let files = test.files

        try #require(files.count == 4)

        unlink(test.path(files[1]))
        test.reopen()
        let all = test.all
        let gap = try #require(all.firstIndex { $0.hasPrefix("gap") })
        let next = try #require(UInt64(all[gap + 1].dropFirst(2)))

        #expect(all[gap] == "gap damaged 5-\(gap)..5-\(next)")
        #expect(next > UInt64(gap) + 100)
        #expect(all.last == "5-6000")
        #expect(all.count == gap + 1 + 6_000 - Int(next) + 1)
        #expect(LogUnderTest.found(test.log, test.log.position(after: id(5, next - 5))) == Array(all[gap...]))

        // The result is the same each time.
        test.reopen()

        #expect(test.all == all)
    }

    @Test func `a file that is not a usable segment is left unchanged and reported`() throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...2)
        let file = try #require(test.files.first)
        let content = try bytes(test.path(file))
        let name = { (number: Int) in "0000000000000000000\(number)-00000000000000000001.00000.events" }
        try write("some notes".utf8, test.path("notes.txt"))
        try write([UInt8](repeating: 7, count: 5_000), test.path(name(1)))
        try write(content[..<8] + [2, 0, 0, 0] + content[12...], test.path(name(2)))

        try #require(symlink(test.path(file), test.path(name(3))) == 0)

        try write(content, test.path(name(9)))
        try write([1], test.path(name(8) + ".new"))
        let before = test.files
        test.reopen()

        #expect(test.all == ["5-1", "5-2"])

        let warnings = test.log.warning?.components(separatedBy: ". ") ?? []

        #expect(
            warnings == [
                "The gateway ignores \(test.path("notes.txt")): it is not an event segment", "Move the file away",
                "The gateway ignores \(test.path(name(1))): it is not an event segment", "Move the file away",
                "The gateway ignores \(test.path(name(2))): its format version is 2, and the gateway supports version 1",
                "Move the file away",
                "\(test.path(name(3))) cannot be used: it is a symbolic link", "The gateway ignores this file",
                "The gateway ignores \(test.path(name(9))): another file contains the same events",
                "Move the file away.",
            ])
        #expect(test.files == before.filter { !$0.hasSuffix(".new") })
        // From the log's point of view, the number of that file was assigned.
        #expect(test.log.beginGeneration(now: 1, after: nil) == 10)
    }

    @Test(arguments: [0, 8, 12, 16, 24, 40, 79]) func `a broken segment header is reported as a damaged gap`(
        offset: Int
    ) throws {
        var test = try LogUnderTest()
        test.log.beginGeneration(now: 5, after: nil)
        test.log.add(1...6_000, size: 1_000)
        let files = test.files
        let path = test.path(files[2])
        var broken = try bytes(path)
        if offset == 0 {
            for index in 0..<4_096 { broken[index] = 0 }
        } else {
            broken[offset] ^= 0x80
        }
        try write(broken, path)
        test.reopen()
        let all = test.all
        let gap = try #require(all.firstIndex { $0.hasPrefix("gap") })

        #expect(all[gap].hasPrefix("gap damaged 5-\(gap)..5-"))
        #expect(all.last == "5-6000")
        #expect(all.filter { $0.hasPrefix("gap") }.count == 1)
        #expect(test.files == files)
        #expect((test.log.warning == nil) == (offset != 8))
    }
}
