// SPDX-License-Identifier: Apache-2.0

import EventHub
import OpenCodeFamilies
import Testing

/// A log in memory with events of two directories and sessions, and readers that take their bytes in small steps.
private struct Fixture {
    let log = EventLog.open(nil, project: "demo", limits: LogLimits(), now: 1)

    init() { log.beginGeneration(now: 5, after: nil) }

    @discardableResult
    func append(
        _ number: Int, directory: String = "/a", session: String? = nil, parent: String? = nil, type: String = "x.y",
        size: Int = 20
    ) -> StoredEvent {
        let payload = "{\"n\":\(number),\"pad\":\"\(String(repeating: "p", count: size))\"}"
        let line = Array("{\"directory\":\"\(directory)\",\"payload\":\(payload)}".utf8)
        var skeleton = EventSkeleton()
        skeleton.type = Array(type.utf8)
        skeleton.directory = Array(directory.utf8)
        skeleton.session = session.map { Array($0.utf8) }
        skeleton.parentSession = parent.map { Array($0.utf8) }
        let start = line.count - 1 - payload.utf8.count
        skeleton.payload = start..<line.count - 1
        return log.append(skeleton, line: line.span, time: Int64(number))
    }

    func cursor(
        _ start: EventCursor.Start = .after(EventID(generation: 5, sequence: 1)), shape: EventShape = .payload,
        isChunked: Bool = false, _ change: (inout EventSelector) -> Void = { _ in }
    ) -> EventCursor {
        var selector = EventSelector()
        change(&selector)
        return EventCursor(
            start, now: log.end, project: "demo", shape: shape, isChunked: isChunked, selector: selector)
    }

    /// Reads to the end.
    ///
    /// - Parameter taking: Limits the bytes that the client takes of each batch.
    func readAll(_ cursor: inout EventCursor, taking: (Int) -> Int, limit: Int = 300) -> [UInt8] {
        var received: [UInt8] = []
        var rounds = 0
        while rounds < 100_000 {
            rounds += 1
            let batch = cursor.nextBatch(log, atMost: limit, connected: Array("data: connected\n\n".utf8))
            let taken = min(batch.bytes.count, max(batch.bytes.isEmpty ? 0 : 1, taking(batch.bytes.count)))
            received += batch.bytes[..<taken]
            cursor.sent(taken, of: batch)
            if taken == batch.bytes.count, batch.isAtEnd || cursor.isFinished { return received }
        }
        Issue.record("no end")
        return received
    }

    func text(_ cursor: EventCursor) -> String {
        var cursor = cursor
        return String(decoding: readAll(&cursor) { $0 }, as: UTF8.self)
    }
}

extension Fixture {
    fileprivate func readAll(_ cursor: inout EventCursor, _ taking: (Int) -> Int) -> [UInt8] {
        readAll(&cursor, taking: taking)
    }
}

@Suite struct EventCursorTests {
    @Test func `a reader receives the events after its position, each once`() {
        let fixture = Fixture()
        for number in 1...5 { fixture.append(number) }
        var cursor = fixture.cursor(.after(EventID(generation: 5, sequence: 3)))
        let first = String(decoding: fixture.readAll(&cursor) { $0 }, as: UTF8.self)

        #expect(first.contains("id: 5-4\ndata: {\"n\":4"))
        #expect(first.contains("id: 5-5\n"))
        #expect(!first.contains("5-3"))
        #expect(fixture.readAll(&cursor) { $0 }.isEmpty)

        fixture.append(6)

        #expect(String(decoding: fixture.readAll(&cursor) { $0 }, as: UTF8.self).hasPrefix("id: 5-6\n"))
        #expect(cursor.last == EventID(generation: 5, sequence: 6))
    }

    @Test(arguments: [false, true]) func `a client receives the same bytes regardless of the size of its reads`(
        isChunked: Bool
    ) {
        let fixture = Fixture()
        for number in 1...40 { fixture.append(number, size: number % 20 == 0 ? 5_000 : number) }
        fixture.log.append(gap: .upstreamLost, time: 0)
        for number in 41...60 { fixture.append(number) }
        var whole = fixture.cursor(isChunked: isChunked)
        let expected = fixture.readAll(&whole) { $0 }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5 {
            var cursor = fixture.cursor(isChunked: isChunked)
            #expect(fixture.readAll(&cursor) { Int.random(in: 0...$0, using: &random) } == expected)
        }
        var slowest = fixture.cursor(isChunked: isChunked)

        #expect(fixture.readAll(&slowest) { _ in 97 } == expected)
    }

    @Test func `live events have the same bytes as events that are read from the log`() {
        let fixture = Fixture()
        fixture.append(1)
        var read = fixture.cursor(.now, isChunked: true)
        var live = read
        var bytes: [UInt8] = []
        for number in 2...20 {
            let before = fixture.log.end
            let event = fixture.append(number)
            #expect(live.isSettled)
            #expect(live.logPosition == before)
            let batch = live.write([.event(event)], upTo: event.after, connected: [])
            bytes += batch.bytes
            live.sent(batch.bytes.count, of: batch)
        }

        #expect(fixture.readAll(&read) { $0 } == bytes)
    }

    @Test func `a start time in the future yields only new events`() {
        let fixture = Fixture()
        fixture.append(1)
        var cursor = fixture.cursor(.time(1_000_000))
        // The event is sent before the log is searched.
        fixture.append(2)
        let text = String(decoding: fixture.readAll(&cursor) { $0 }, as: UTF8.self)

        #expect(text.contains("\"n\":2"))
        #expect(!text.contains("\"n\":1"))
    }

    @Test func `an unknown id yields a gap and no earlier events`() {
        let fixture = Fixture()
        fixture.append(1)
        let text = fixture.text(fixture.cursor(.unknown))

        #expect(
            text
                == ": {\"project\":\"demo\",\"from\":null,\"to\":null,\"reason\":\"unknown-id\"}\n\ndata: connected\n\n"
        )
        #expect(fixture.text(fixture.cursor(.unknown, shape: .project("demo"))).hasPrefix("event: gap\ndata: {"))
    }

    @Test func `a reader of one directory receives only its events and no sync events`() {
        let fixture = Fixture()
        fixture.append(1)
        fixture.append(2, directory: "/b")
        fixture.append(3, type: "sync")
        fixture.append(4)
        let text = fixture.text(fixture.cursor { $0.directory = Array("/a".utf8) })

        #expect(text.contains("5-4"))
        #expect(!text.contains("5-2"))
        #expect(!text.contains("5-3"))
    }

    @Test func `event types are selected by their full name or a prefix`() throws {
        let fixture = Fixture()
        for (number, type) in ["z", "message.updated", "message.part.delta", "session.idle", "session.idler"]
            .enumerated()
        {
            fixture.append(number, type: type)
        }
        let patterns = try ["message.*", "session.idle"].map { try #require(EventSelector.TypePattern($0)) }
        let text = fixture.text(fixture.cursor { $0.types = patterns })

        #expect(["5-2", "5-3", "5-4"].allSatisfy(text.contains))
        #expect(!text.contains("5-5"))
        #expect(EventSelector.TypePattern("") == nil)
        #expect(EventSelector.TypePattern("a*b") == nil)
    }

    @Test func `the selection of a session includes its child sessions`() {
        let fixture = Fixture()
        fixture.append(1)
        fixture.append(2, session: "s")
        fixture.append(3, session: "other")
        fixture.append(4, session: "child", parent: "s")
        fixture.append(5, session: "child")
        fixture.append(6, session: "grandchild", parent: "child")
        fixture.append(7)
        let text = fixture.text(fixture.cursor { $0.sessions = [Array("s".utf8)] })

        #expect(["5-2", "5-4", "5-5", "5-6"].allSatisfy(text.contains))
        #expect(!text.contains("5-3"))
        #expect(!text.contains("5-7"))
    }

    @Test func `a cursor with a last event ends after that event`() {
        let fixture = Fixture()
        for number in 1...4 { fixture.append(number) }
        var cursor = fixture.cursor()
        cursor.until = EventID(generation: 5, sequence: 3)
        let text = String(decoding: fixture.readAll(&cursor) { $0 }, as: UTF8.self)

        #expect(text.contains("5-3"))
        #expect(!text.contains("5-4"))
        #expect(cursor.isFinished)
    }

    @Test func `the gateway's own frames name the project and directory`() {
        let fixture = Fixture()
        fixture.append(1)
        fixture.append(2)

        #expect(
            fixture.text(fixture.cursor(shape: .project("my \"app\"")))
                == "id: 5-2\ndata: {\"project\":\"my \\\"app\\\"\",\"directory\":\"/a\",\"event\":{\"n\":2,\"pad\":\"\(String(repeating: "p", count: 20))\"}}\n\n"
        )
    }

    @Test func `a cursor that has not begun has no last event`() {
        let fixture = Fixture()
        for number in 1...3 { fixture.append(number) }
        var cursor = fixture.cursor()

        #expect(cursor.last == nil, "the end of the log is not the cursor's position")

        _ = fixture.readAll(&cursor) { $0 }

        #expect(cursor.last == EventID(generation: 5, sequence: 3))
    }

    @Test func `a cursor takes at most 512 bytes of memory`() { #expect(MemoryLayout<EventCursor>.size <= 512) }

    @Test(arguments: [EventEncoding.raw, .full, .delta])
    func `encoded frames have the same bytes, regardless of the size of the reads`(encoding: EventEncoding) {
        let fixture = Fixture()
        for number in 1...30 { fixture.append(number, size: number * 200) }
        func received(_ taking: (Int) -> Int) -> [UInt8] {
            var encodedStreams = EncodedStreams()
            var cursor = fixture.cursor(isChunked: true)
            cursor.encoding = encoding
            var bytes: [UInt8] = []
            for _ in 0..<10_000 {
                let batch =
                    cursor.isEncoded
                    ? cursor.nextEncodedBatch(fixture.log, &encodedStreams, atMost: 900, connected: [], now: 1_000_000)
                    : cursor.nextBatch(fixture.log, atMost: 900, connected: [])
                #expect(!batch.isBroken)
                let taken = min(batch.bytes.count, max(1, taking(batch.bytes.count)))
                bytes += batch.bytes[..<taken]
                cursor.sent(taken, of: batch)
                if taken == batch.bytes.count, batch.isAtEnd { return bytes }
            }
            return bytes
        }
        let expected = received { $0 }

        #expect(String(decoding: expected, as: UTF8.self).contains("id: 5-30\n"))
        #expect(received { _ in 61 } == expected)
        #expect(received { $0 / 2 } == expected)
    }

    @Test func `the events and gaps of all projects are read in the order of the index`() {
        let one = Fixture()
        let two = Fixture()
        let index = EventIndex.open(nil, limits: LogLimits(), now: 9)
        for number in 1...6 {
            let fixture = number % 2 == 0 ? two : one
            let event = fixture.append(number, size: number == 5 ? 6_000 : 10)
            _ = index.append(number % 2 == 0 ? "two" : "one", event.id, time: 1)
        }
        index.append("one", EventGap(.stopped, from: EventID(generation: 5, sequence: 3), to: nil), time: 1)
        func received(_ taking: Int) -> [UInt8] {
            var encodedStreams = EncodedStreams()
            var cursor = EventCursor(
                .after(EventID(generation: 9, sequence: 1)), now: index.end, project: "", shape: .all, isChunked: true,
                selector: EventSelector())
            var bytes: [UInt8] = []
            for _ in 0..<10_000 {
                let batch = cursor.readAll(index, &encodedStreams, atMost: 500, now: 1) {
                    $0 == "one" ? one.log : two.log
                }
                #expect(!batch.isBroken)
                let taken = min(batch.bytes.count, taking)
                bytes += batch.bytes[..<taken]
                cursor.sent(taken, of: batch)
                if taken == batch.bytes.count, batch.isAtEnd { return bytes }
            }
            return bytes
        }
        let text = String(decoding: received(.max), as: UTF8.self)

        #expect(text.contains("id: 9-2\ndata: {\"project\":\"two\",\"directory\":\"/a\",\"event\":{\"n\":2"))
        #expect(
            text.contains(
                "id: 9-7\nevent: gap\ndata: {\"project\":\"one\",\"from\":\"5-3\",\"to\":null,\"reason\":\"stopped\"}"))
        #expect(received(77) == received(.max))
    }
}
