// SPDX-License-Identifier: Apache-2.0

import Foundation
import MappedFiles
import TestKit
import Testing

@testable import EventHub

/// Numbers that no gateway writes are a sign of damage, even if their checksums are right. No number is derived from
/// them.
@Suite struct ImpossibleNumberTests {
    private static let plausible = SegmentHeader(capacity: 4_096, generation: 5, previous: nil, time: 0)

    private static let headers: [SegmentHeader] = [UInt64.max, 1 << 63, 1 << 53 + 1].flatMap { number in
        var generation = plausible
        generation.generation = number
        var previous = plausible
        previous.previous = id(5, number)
        var previousGeneration = plausible
        previousGeneration.previous = id(number, 1)
        return [generation, previous, previousGeneration]
    }

    private static let times: [SegmentHeader] = [Int64.max, .min].flatMap { number in
        var time = plausible
        time.time = number
        var previousTime = plausible
        previousTime.previous = id(5, 1)
        previousTime.previousTime = number
        return [time, previousTime]
    }

    /// Writes a segment of a log with this header, followed by these records.
    private func write(
        _ header: SegmentHeader, _ log: String, in directory: TemporaryDirectory, name: SegmentName? = nil,
        records: (MappedRegion) -> Void = { _ in }
    ) throws {
        let region = MappedRegion(memory: header.capacity)
        header.write(to: region)
        records(region)
        let folder = "\(directory.path)/events/\(log)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let bytes = region.withSpan(0..<header.capacity) { span in (0..<span.count).map { span[$0] } }
        let name = name ?? SegmentName(generation: 5, sequence: 1)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name.text)"))
    }

    @Test(arguments: headers + times)
    func `an index whose header has an invalid number is damaged, and the next generation begins`(
        header: SegmentHeader
    ) throws {
        let directory = try TemporaryDirectory()
        try write(header, ".index", in: directory)

        let index = EventIndex.open(directory.path, limits: LogLimits(), now: 7)
        let given = index.append("demo", id(5, 1), time: 100)

        #expect(given == id(7, 1))
        #expect(EventIndex.open(directory.path, limits: LogLimits(), now: 8).append("a", id(5, 2), time: 1) == id(8, 1))
    }

    @Test(arguments: headers + times)
    func `a log whose header has an invalid number is damaged and continues`(header: SegmentHeader) throws {
        let directory = try TemporaryDirectory()
        try write(header, "demo", in: directory)

        let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 7)
        log.beginGeneration(now: 7, after: nil)
        log.add(1...2)

        #expect(LogUnderTest.all(log) == ["gap damaged ..7-1", "7-1", "7-2"])
    }

    @Test(arguments: [.max, 1 << 53 + 1] as [UInt64])
    func `an invalid generation in a file name does not affect the next generation`(number: UInt64) throws {
        let directory = try TemporaryDirectory()
        var header = Self.plausible
        header.generation = number
        try write(header, ".index", in: directory, name: SegmentName(generation: number, sequence: number))

        let index = EventIndex.open(directory.path, limits: LogLimits(), now: 7)

        #expect(index.append("demo", id(5, 1), time: 100) == id(7, 1))
    }

    @Test(arguments: [.max, .min, 1 << 53 + 1] as [Int64])
    func `an event with an invalid time is damaged`(time: Int64) throws {
        let directory = try TemporaryDirectory()
        try write(Self.plausible, "demo", in: directory) { region in
            let line = EventLog.line(1, size: 40)
            let skeleton = EventLog.skeleton(line.count)
            _ = EventRecord.write(
                id(5, 1), time: time, skeleton: skeleton, line: line.span,
                length: EventRecord.length(skeleton, line: line.count),
                to: region, at: region.published)
        }

        let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 7)

        #expect(LogUnderTest.all(log) == ["gap damaged .."])
    }

    @Test(arguments: [.max, 1 << 53 + 1] as [UInt64])
    func `a generation with an invalid number is damaged`(number: UInt64) throws {
        let directory = try TemporaryDirectory()
        try write(Self.plausible, "demo", in: directory) { region in
            EventRecord.write(generation: number, 0, to: region, at: region.published)
        }

        let log = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 7)

        #expect(log.beginGeneration(now: 7, after: nil) == 7)
    }
}
