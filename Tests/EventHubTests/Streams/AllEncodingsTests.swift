// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import OpenCodeFamilies
import Testing

/// Tests encodings of all projects' events, which are the frames of each project's own stream with the gateway's ids.
@Suite struct AllEncodingsTests {
    /// Two projects that are active at the same time.
    private struct House {
        let logs = ["one", "two"].map { EventLog.open(nil, project: $0, limits: LogLimits(bytes: 64 << 20), now: 1) }
        let index = EventIndex.open(nil, limits: LogLimits(), now: 9)
        let stories: [Story]

        /// Creates two projects without any events.
        init() {
            stories = []
            for log in logs { log.beginGeneration(now: 7, after: nil) }
        }

        /// Creates two projects whose events are interrupted at random, on average once per `number` events.
        init(seed: UInt64, gapEvery number: Int) {
            stories = (0..<2).map { RandomStory.make(accumulates: seed % 2 == 0, seed: seed * 2 + $0, count: 60) }
            for log in logs { log.beginGeneration(now: 7, after: nil) }
            var dice = Dice(state: seed)
            var remainder = stories.map { $0.events[...] }
            var time: Int64 = 0
            while let project = [0, 1].filter({ !remainder[$0].isEmpty }).randomElement(using: &dice),
                let event = remainder[project].popFirst()
            {
                time = max(time, Int64(event.time))
                append(String(decoding: event.json, as: UTF8.self), in: project, at: time)
                // Some losses have no event between them.
                while Int.random(in: 0..<number, using: &dice) == 0 { breakOff(project, at: time) }
            }
        }

        /// Appends an event to a project's log and to the index.
        func append(_ json: String, in project: Int, at time: Int64) {
            let line = Array(#"{"directory":"/a","payload":\#(json)}"#.utf8)
            let stored = logs[project].append(
                EventSkeleton(line: line.span, family: .one), line: line.span, time: time)
            _ = index.append(["one", "two"][project], stored.id, time: time)
        }

        /// Interrupts a project's events, as the hub does.
        func breakOff(_ project: Int, at time: Int64) {
            let isRepeated = logs[project].endsInGap
            logs[project].append(gap: .upstreamLost, time: time)
            index.append(
                ["one", "two"][project], EventGap(.upstreamLost, from: logs[project].end.last, to: nil), time: time,
                isRepeated: isRepeated)
        }

        /// Returns the frames of one project's own stream, without ids; a gap is `gap`.
        func readProject(_ encoding: EventEncoding, _ project: Int) -> [String] {
            let name = ["one", "two"][project]
            var encodedStreams = EncodedStreams()
            var cursor = EventCursor(
                .time(0), now: logs[project].end, project: name, shape: .project(name), isChunked: false,
                selector: EventSelector())
            cursor.encoding = encoding
            var bytes: [UInt8] = []
            while true {
                let batch = cursor.nextEncodedBatch(
                    logs[project], &encodedStreams, atMost: 700, connected: [], now: .max / 2)
                bytes += batch.bytes
                cursor.sent(batch.bytes.count, of: batch)
                if batch.bytes.isEmpty, batch.isAtEnd { break }
            }
            return Self.frames(bytes).map(\.content)
        }

        static func frames(_ bytes: [UInt8]) -> [Frame] { bytes.parts(separatedBy: "\n\n").map { Frame($0) } }

        init(seed: UInt64) {
            stories = (0..<2).map { RandomStory.make(accumulates: seed % 2 == 0, seed: seed * 2 + $0, count: 60) }
            for log in logs { log.beginGeneration(now: 7, after: nil) }
            var dice = Dice(state: seed)
            var remainder = stories.map { $0.events[...] }
            while let project = [0, 1].filter({ !remainder[$0].isEmpty }).randomElement(using: &dice),
                let event = remainder[project].popFirst()
            {
                let line = Array(#"{"directory":"/a","payload":"#.utf8) + event.json + [UInt8(ascii: "}")]
                let stored = logs[project].append(
                    EventSkeleton(line: line.span, family: .one), line: line.span, time: Int64(event.time))
                _ = index.append(["one", "two"][project], stored.id, time: Int64(event.time))
            }
        }

        static func id(_ text: String) -> EventID? {
            let bytes = Array(text.utf8)
            return EventID(bytes.span)
        }

        /// Returns the frames that a reader receives.
        ///
        /// - Parameter taking: Limits the bytes that the reader takes of each batch.
        func readAll(
            _ encoding: EventEncoding, after id: String = "9-0", maxRate: Int? = nil, limit: Int = 700,
            taking: (Int) -> Int = { $0 }
        ) throws -> [Frame] {
            var encodedStreams = EncodedStreams()
            var cursor = EventCursor(
                id == "9-0" ? .time(0) : .after(try #require(Self.id(id))), now: index.end,
                project: "", shape: .all, isChunked: false, selector: EventSelector())
            cursor.encoding = encoding
            cursor.maxRate = maxRate
            var bytes: [UInt8] = []
            for _ in 0..<100_000 {
                let batch = cursor.readAll(index, &encodedStreams, atMost: limit, now: .max / 2) {
                    $0 == "one" ? logs[0] : logs[1]
                }
                #expect(!batch.isBroken)
                let taken = min(batch.bytes.count, max(1, taking(batch.bytes.count)))
                bytes += batch.bytes[..<taken]
                cursor.sent(taken, of: batch)
                if taken == batch.bytes.count, batch.isAtEnd { break }
            }
            return Self.frames(bytes)
        }

        /// Returns a reader that joins now, and continues with each call.
        func join(_ encoding: EventEncoding) -> () -> [Frame] {
            var encodedStreams = EncodedStreams()
            var cursor = EventCursor(
                .now, now: index.end, project: "", shape: .all, isChunked: false, selector: EventSelector())
            cursor.encoding = encoding
            return {
                var bytes: [UInt8] = []
                while true {
                    // Take one byte at a time, so that frames must be made again.
                    let batch = cursor.readAll(index, &encodedStreams, atMost: 700, now: 0) {
                        $0 == "one" ? logs[0] : logs[1]
                    }
                    #expect(!batch.isBroken)
                    bytes += batch.bytes.prefix(1)
                    cursor.sent(min(1, batch.bytes.count), of: batch)
                    if batch.bytes.count <= 1, batch.isAtEnd { return Self.frames(bytes) }
                }
            }
        }
    }

    /// A frame of a stream. Most frames are only compared, so the fields are parsed when they are needed.
    private struct Frame: Equatable {
        let text: String

        init(_ bytes: ArraySlice<UInt8>) { text = String(decoding: bytes, as: UTF8.self) }

        var id: String { field("id") ?? "" }
        var isGap: Bool { field("event") == "gap" }
        var project: String { data.hasPrefix(#"{"project":"one""#) ? "one" : "two" }
        /// The payload, or the word `gap` for a gap.
        var content: String { isGap ? "gap" : payload }

        var payload: String {
            let start = data.range(of: #","event":"#)?.upperBound ?? data.startIndex
            return String(data[start...].dropLast())
        }

        private var data: String { field("data") ?? "" }

        private func field(_ name: String) -> String? {
            let lines = text.components(separatedBy: "\n")
            return lines.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
    }

    /// Returns a project's frames as on its own stream, without the frames at the end that only a timer causes.
    private func expected(_ story: Story, _ encoding: EventEncoding) -> [String] {
        story.frames(encoding).map { frame in
            let bytes = frame.made?.payload ?? story.events[Int(frame.id.sequence) - 1].json
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test(arguments: [EventEncoding.delta, .full], 0..<8) func `each project's frames are those of its own stream`(
        encoding: EventEncoding, seed: Int
    ) throws {
        let house = House(seed: UInt64(seed))
        let frames = try house.readAll(encoding)
        for (name, story) in zip(["one", "two"], house.stories) {
            let emitted = frames.filter { $0.project == name }.map(\.payload)
            #expect(emitted == Array(expected(story, encoding).prefix(emitted.count)))
            // Frames that wait only for a timer are sent with the project's next event.
            #expect(expected(story, encoding).count - emitted.count <= 9)
        }

        let ids = try frames.map { try #require(House.id($0.id)) }
        for (earlier, later) in zip(ids, ids.dropFirst()) { #expect(earlier < later) }
    }

    @Test(arguments: [EventEncoding.delta, .full], 0..<4)
    func `text that precedes a gap is sent before it, as on OpenCode's own stream`(
        encoding: EventEncoding, seed: Int
    ) throws {
        let house = House(seed: UInt64(seed) + 60, gapEvery: 12)
        let frames = try house.readAll(encoding)

        #expect(frames.contains { $0.isGap })

        for (number, name) in ["one", "two"].enumerated() {
            let emitted = frames.filter { $0.project == name }.map(\.content)
            let projectFrames = house.readProject(encoding, number)
            #expect(emitted == Array(projectFrames.prefix(emitted.count)))
            #expect(projectFrames.count - emitted.count <= 9)
        }

        #expect(try house.readAll(encoding, taking: { _ in 61 }) == frames)

        let ids = try frames.map { try #require(House.id($0.id)) }
        for (earlier, later) in zip(ids, ids.dropFirst()) { #expect(earlier < later) }
        for (index, frame) in frames.enumerated() where index % 5 == seed || frame.isGap {
            #expect(try house.readAll(encoding, after: frame.id) == Array(frames[(index + 1)...]), "after \(frame.id)")
        }
    }

    private static func part(_ text: String) -> String {
        #"{"type":"message.part.updated","properties":{"part":{"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"text","text":"\#(text)","time":{"start":1}}}}"#
    }

    private static func delta(_ text: String) -> String {
        #"{"type":"message.part.delta","properties":{"sessionID":"ses_1","messageID":"msg_1","partID":"prt_1","field":"text","delta":"\#(text)"}}"#
    }

    @Test func `waiting text is sent before the gap, and a reader that joins after the gap receives the gap`() throws {
        let house = House()
        let early = house.join(.full)
        house.append(Self.part(""), in: 0, at: 1_000)
        house.append(Self.delta("a"), in: 0, at: 1_010)
        house.append(Self.delta("b"), in: 0, at: 1_020)

        #expect(early().count == 2)

        house.breakOff(0, at: 1_030)
        house.append(#"{"type":"session.idle","properties":{"sessionID":"ses_2"}}"#, in: 1, at: 1_040)
        let late = house.join(.full)

        #expect(late().isEmpty)

        house.append(Self.delta("d"), in: 0, at: 1_050)
        house.append(Self.delta("e"), in: 0, at: 1_060)

        let frames = early()

        #expect(frames.map(\.isGap) == [false, true, false, false, false])
        #expect(frames[0].payload.contains(#""text":"ab""#))
        #expect(frames[0].payload.contains(#""delta":"b""#))
        #expect(frames.suffix(2).map(\.payload) == [Self.delta("d"), Self.delta("e")])
        #expect(late().map(\.content) == ["gap", Self.delta("d"), Self.delta("e")])

        // After the next whole text, nothing is missing.
        house.append(Self.part("abcde"), in: 0, at: 1_070)

        #expect(house.join(.full)().isEmpty)
        #expect(late().map(\.content) == [Self.part("abcde")])
    }

    @Test(arguments: [EventEncoding.delta, .full], 0..<2) func `a reader can resume after any frame`(
        encoding: EventEncoding, seed: Int
    )
        throws
    {
        let house = House(seed: UInt64(seed) + 20)
        let frames = try house.readAll(encoding)
        for (index, frame) in frames.enumerated() {
            #expect(try house.readAll(encoding, after: frame.id) == Array(frames[(index + 1)...]), "after \(frame.id)")
        }
    }

    @Test(arguments: [EventEncoding.raw, .delta, .full])
    func `a reader receives the same frames, regardless of the size of its reads`(
        encoding: EventEncoding
    )
        throws
    {
        let house = House(seed: 40)
        let frames = try house.readAll(encoding)

        #expect(frames.count > 50)
        #expect(try house.readAll(encoding, taking: { _ in 61 }) == frames)
        #expect(try house.readAll(encoding, limit: 60_000, taking: { $0 / 3 }) == frames)
    }

    @Test func `only consecutive deltas of one project merge, into a frame with the last one's id`() throws {
        let house = House(seed: 41)
        let frames = try house.readAll(.raw, limit: 1 << 20)
        let merged = try house.readAll(.raw, maxRate: 1, limit: 1 << 20)

        #expect(merged.count < frames.count)
        #expect(merged.count > 20)

        var remainder = frames[...]
        for frame in merged {
            // The frames that this frame replaces come before it and are deltas. It has the id of the last one.
            while let first = remainder.first, first.id != frame.id {
                #expect(first.payload.contains(#""delta":"#))
                #expect(first.project == frame.project)
                remainder.removeFirst()
            }
            #expect(remainder.popFirst()?.id == frame.id)
        }

        #expect(remainder.isEmpty)
        #expect(try house.readAll(.raw, maxRate: 1, limit: 1 << 20, taking: { _ in 100 }).last == merged.last)
    }
}
