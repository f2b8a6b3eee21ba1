// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import OpenCodeFamilies
import TestKit
import Testing

/// Tests that a client with many missing events receives everything in any encoding, even if this exceeds the stored
/// frames.
@Suite struct LongReplayTests {
    private static let count = 20_000

    /// A log with events of the given sizes, which can read its frames.
    private final class Fixture {
        let log: EventLog
        var encodedStreams = EncodedStreams()
        private let directory: TemporaryDirectory

        init(sizes: some Sequence<Int>) throws {
            directory = try TemporaryDirectory()
            log = EventLog.open(directory.path, project: "demo", limits: LogLimits(), now: 1)
            log.beginGeneration(now: 5, after: nil)
            var last: (size: Int, line: [UInt8], skeleton: EventSkeleton)?
            for size in sizes {
                if last?.size != size {
                    let pad = String(repeating: "p", count: size)
                    let line = Array(#"{"directory":"/a","payload":{"type":"x.y","pad":"\#(pad)"}}"#.utf8)
                    last = (size, line, EventSkeleton(line: line.span, family: .one))
                }
                guard let last else { continue }
                _ = log.append(last.skeleton, line: last.line.span, time: 1)
            }
        }

        func cursor(_ encoding: EventEncoding) -> EventCursor {
            var cursor = EventCursor(
                .time(0), now: log.end, project: "demo", shape: .payload, isChunked: false, selector: EventSelector())
            cursor.encoding = encoding
            return cursor
        }

        /// Returns the ids of one batch, and whether nothing follows it.
        func readBatch(_ cursor: inout EventCursor, limit: Int) -> (ids: [String], isAtEnd: Bool) {
            let batch = cursor.nextEncodedBatch(log, &encodedStreams, atMost: limit, connected: [], now: 1_000_000)
            cursor.sent(batch.bytes.count, of: batch)
            return (Array(batch.bytes).ids, batch.isAtEnd)
        }

        func readAll(_ cursor: inout EventCursor, limit: Int) -> [String] {
            var ids: [String] = []
            while true {
                let (more, isAtEnd) = readBatch(&cursor, limit: limit)
                ids += more
                if isAtEnd { return ids }
            }
        }
    }

    private static let expected = (1...count).map { "5-\($0)" }

    @Test(arguments: [EventEncoding.full, .delta], [700, 64 * 1024])
    func `a replay in the delta or full encoding contains every event in order`(encoding: EventEncoding, limit: Int)
        throws
    {
        let fixture = try Fixture(sizes: repeatElement(200, count: Self.count))
        var cursor = fixture.cursor(encoding)

        #expect(fixture.readAll(&cursor, limit: limit) == Self.expected)
    }

    @Test(arguments: [EventEncoding.full, .delta])
    func `a slow client receives every event although a fast client reads far ahead of it`(encoding: EventEncoding)
        throws
    {
        let fixture = try Fixture(sizes: repeatElement(200, count: Self.count))
        var (slow, fast) = (fixture.cursor(encoding), fixture.cursor(encoding))
        var (slowIDs, fastIDs): ([String], [String]) = ([], [])
        var isOver = false
        while !isOver {
            slowIDs += fixture.readBatch(&slow, limit: 4_096).ids
            let (ids, isAtEnd) = fixture.readBatch(&fast, limit: 64 * 1024)
            fastIDs += ids
            isOver = isAtEnd
        }

        #expect(fastIDs == Self.expected)
        #expect(slowIDs + fixture.readAll(&slow, limit: 64 * 1024) == Self.expected)
    }

    @Test(arguments: [EventEncoding.full, .delta]) func `an event larger than the limit for cached frames is delivered`(
        encoding: EventEncoding
    ) throws {
        let fixture = try Fixture(sizes: [10, 5 << 20, 10, 10, 6 << 20, 10])
        var cursor = fixture.cursor(encoding)

        #expect(fixture.readAll(&cursor, limit: 64 * 1024) == (1...6).map { "5-\($0)" })
    }

    @Test(arguments: [EventEncoding.full, .delta])
    func `the stream of all projects contains every event although another client reads far ahead`(
        encoding: EventEncoding
    )
        throws
    {
        let fixture = try Fixture(sizes: repeatElement(200, count: Self.count))
        let directory = try TemporaryDirectory()
        let index = EventIndex.open(directory.path, limits: LogLimits(), now: 9)
        for sequence in 1...UInt64(Self.count) {
            _ = index.append("demo", EventID(generation: 5, sequence: sequence), time: 1)
        }
        // A reader of the project's own stream is far ahead.
        var ahead = fixture.cursor(encoding)
        _ = fixture.readAll(&ahead, limit: 64 * 1024)
        var cursor = EventCursor(
            .time(0), now: index.end, project: "", shape: .all, isChunked: false, selector: EventSelector())
        cursor.encoding = encoding
        var ids: [String] = []
        while true {
            let batch = cursor.readAll(index, &fixture.encodedStreams, atMost: 64 * 1024, now: 1) { _ in fixture.log }
            cursor.sent(batch.bytes.count, of: batch)
            ids += Array(batch.bytes).ids
            if batch.isAtEnd { break }
        }

        #expect(ids == (1...Self.count).map { "9-\($0)" })
    }

    @Test(arguments: [EventEncoding.raw, .delta])
    func `the stream of all projects reports a gap for the events that are no longer retained`(
        encoding: EventEncoding
    )
        throws
    {
        // In memory, only a few large events are stored, but more small events.
        let index = EventIndex.open(nil, limits: LogLimits(), now: 9)
        let logs = ["one", "two"].map { EventLog.open(nil, project: $0, limits: LogLimits(), now: 1) }
        for log in logs { log.beginGeneration(now: 7, after: nil) }
        for number in 0..<40 {
            let which = number % 2
            let pad = String(repeating: "p", count: which == 0 ? 1 << 20 : 10)
            let line = Array(#"{"directory":"/a","payload":{"type":"x.y","pad":"\#(pad)"}}"#.utf8)
            let event = logs[which].append(EventSkeleton(line: line.span, family: .one), line: line.span, time: 1)
            _ = index.append(["one", "two"][which], event.id, time: 1)
        }
        /// Returns the frames that a reader receives.
        ///
        /// - Parameter taking: Limits the bytes that the reader takes of each batch.
        func frames(limit: Int, shape: EventShape = .all, _ taking: (EventBatch) -> (EventBatch, Int)) -> [String] {
            var encodedStreams = EncodedStreams()
            var cursor = EventCursor(
                .time(0), now: index.end, project: "", shape: shape, isChunked: false, selector: EventSelector())
            cursor.encoding = encoding
            var bytes: [UInt8] = []
            for _ in 0..<100_000 {
                let whole = cursor.readAll(index, &encodedStreams, atMost: limit, now: 1) {
                    $0 == "one" ? logs[0] : logs[1]
                }
                #expect(!whole.isBroken)
                let (batch, taken) = taking(whole)
                bytes += batch.bytes[..<taken]
                cursor.sent(taken, of: batch)
                if taken == batch.bytes.count, batch.isAtEnd { break }
            }
            return String(decoding: bytes, as: UTF8.self).components(separatedBy: shape == .all ? "\n\n" : "\n")
                .filter { !$0.isEmpty }
        }
        let gap = #"{"project":"one","from":null,"to":null,"reason":"retention"}"#
        let all = frames(limit: 1 << 30) { ($0, $0.bytes.count) }

        #expect(all.first == "event: gap\ndata: \(gap)")
        #expect(all.count { $0.contains("retention") } == 1)
        #expect((1..<20).contains(all.count { $0.contains(#""project":"one","directory""#) }))
        #expect(all.count { $0.contains(#""project":"two""#) } == 20)

        // However the bytes are taken, only the gap is repeated, and nothing is missing.
        let bits = frames(limit: 500) { ($0, min($0.bytes.count, max(1, $0.bytes.count / 3))) }

        #expect(bits.filter { !$0.contains("retention") } == Array(all.dropFirst()))
        #expect(bits.first == all.first)

        let separator = Array("gap ".utf8)
        let pages = frames(limit: 1 << 30, shape: .allItems) {
            let page = $0.limited(to: 3, bytes: 1 << 30, separator: separator)
            return (page, page.bytes.count)
        }

        #expect(pages.first == "gap \(gap)")
        #expect(pages.count { !$0.hasPrefix("gap ") } == all.count - 1)
    }

    @Test func `a translated replay contains every text delta and no id twice`() throws {
        let directory = try TemporaryDirectory()
        let fixture = TranslatedFixture(directory.path)
        fixture.created()
        fixture.turn(Self.count)
        var cursor = fixture.cursor(.time(0))
        let text = fixture.readBatch(&cursor, limit: 64 * 1024)

        #expect(text.frames.count { $0.contains("message.part.delta") } == Self.count)
        #expect(Set(text.ids).count == text.ids.count)
    }
}
