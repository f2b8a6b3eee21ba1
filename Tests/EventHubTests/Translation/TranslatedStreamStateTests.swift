// SPDX-License-Identifier: Apache-2.0

import Dialects
import EventHub
import Foundation
import JSONText
import OpenCodeFamilies
import Testing

@Suite struct TranslatedStreamStateTests {
    @Test func `the translated frames of an event have its id and consecutive numbers`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.turn(3)
        let ids = fixture.text().ids

        #expect(ids.first == "5-1.1")
        #expect(ids.filter { $0.hasPrefix("5-3.") } == ["5-3.1", "5-3.2", "5-3.3", "5-3.4"])
        #expect(Set(ids).count == ids.count)
        #expect(fixture.queries == [.defaults])
    }

    @Test(arguments: EventEncoding.allCases)
    func `a replay with an empty cache yields the same frames and resumes after each`(encoding: EventEncoding) {
        let fixture = TranslatedFixture()
        fixture.created()
        for number in 1...3 { fixture.turn(20, number: number) }
        let first = fixture.text(.time(0), encoding)
        fixture.encodedStreams = EncodedStreams()

        #expect(fixture.text(.time(0), encoding) == first)
        #expect(first.frames.count > 30)

        // A client that resumes after any frame receives the remainder.
        for (index, id) in first.ids.enumerated() {
            guard let position = EventID(Array(id.utf8).span) else { continue }
            #expect(fixture.text(.after(position), encoding).frames == Array(first.frames[(index + 1)...]))
        }
    }

    @Test(arguments: EventEncoding.allCases)
    func `reading in small batches yields the same frames as reading all at once`(encoding: EventEncoding) {
        let (whole, bits) = (TranslatedFixture(), TranslatedFixture())
        var cursor = bits.cursor(.time(0), encoding)
        var emitted = ""
        for fixture in [whole, bits] { fixture.created() }
        for number in 1...4 {
            whole.turn(5, number: number)
            bits.turn(5, number: number)
            emitted += bits.readBatch(&cursor, limit: 1)
        }

        #expect(emitted == whole.text(.time(0), encoding))
    }

    @Test(arguments: EventEncoding.allCases)
    func `a reader stops before the end of a turn that is held and continues with it`(encoding: EventEncoding) {
        let fixture = TranslatedFixture()
        for session in ["ses_1", "ses_2"] {
            fixture.created(session)
            fixture.turn(2, session)
        }
        let whole = fixture.text(.time(0), encoding)
        var cursor = fixture.cursor(.time(0), encoding)

        let before = fixture.readBatch(&cursor) { session, _ in session == Array("ses_1".utf8) }
        let again = fixture.readBatch(&cursor) { session, _ in session == Array("ses_1".utf8) }
        let remainder = fixture.readBatch(&cursor)

        #expect(before.contains("step-finish"))
        #expect(!before.contains(#""status":{"type":"idle"}"#))
        #expect(again.isEmpty)
        #expect(remainder.frames.first?.contains(#""status":{"type":"idle"}"#) == true)
        #expect(before + remainder == whole)
    }

    /// OpenCode 1 reports idle twice, and responds to the prompt at the second time.
    @Test func `an aborted turn ends with its last idle event`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.appendEvent("session.execution.started")
        fixture.appendEvent(
            "session.step.started", "ses_1",
            #""assistantMessageID":"msg_1","agent":"build","model":{"id":"m","providerID":"p"},"started":5"#)
        fixture.appendEvent(
            "session.step.failed", "ses_1",
            #""assistantMessageID":"msg_1","error":{"type":"aborted","message":"x"}"#)
        fixture.appendEvent("session.execution.interrupted", "ses_1", #""reason":"user""#)
        var cursor = fixture.cursor(.time(0))

        let before = fixture.readBatch(&cursor) { _, _ in true }

        #expect(before.contains("MessageAbortedError"))
        #expect(before.components(separatedBy: #""type":"session.idle""#).count == 2)
    }

    @Test func `an unknown session is queried once`() {
        let fixture = TranslatedFixture()
        fixture.turn(2)
        fixture.turn(2, number: 2)
        let text = fixture.text()

        #expect(fixture.queries == [.defaults, .session("ses_1")])
        #expect(text.contains("message.part.delta"))
        #expect(text.contains(#""cwd":"/d""#))
    }

    @Test func `a session that no longer exists yields only its deletion`() {
        let fixture = TranslatedFixture()
        fixture.answer = { if case .session = $0 { .unknown } else { TranslatedFixture.instanceDefaults } }
        fixture.turn(2)
        fixture.appendEvent("session.deleted")

        #expect(fixture.text().frames.count == 1)
        #expect(fixture.queries == [.defaults, .session("ses_1")])
    }

    @Test func `a session query without an answer is repeated for a later event`() {
        let fixture = TranslatedFixture()
        fixture.answer = { if case .session = $0 { .nothing } else { TranslatedFixture.instanceDefaults } }
        fixture.appendEvent("session.execution.started")
        fixture.appendEvent("session.execution.succeeded")

        #expect(fixture.text() == "")
        #expect(fixture.queries == [.defaults, .session("ses_1")])

        fixture.answer = TranslatedFixture.usual
        fixture.append(
            #"{"id":"evt_9","created":9,"type":"session.execution.started","data":{"sessionID":"ses_1"}}"#, time: 6_000)

        #expect(fixture.text().contains(#""type":"busy""#))
    }

    @Test func `a gap discards the known sessions, and a new run also the instance defaults`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.turn(1)
        fixture.log.append(gap: .upstreamLost, time: 50)
        fixture.turn(1, number: 2)
        fixture.log.beginGeneration(now: 60, after: .instanceRestarted)
        fixture.turn(1, number: 3)
        let text = fixture.text()

        #expect(fixture.queries == [.defaults, .session("ses_1"), .defaults, .session("ses_1")])
        #expect(text.contains("upstream-lost"))
        #expect(text.contains("instance-restarted"))
        #expect(text.ids.contains { $0.hasPrefix("60-") })
    }

    @Test(arguments: [true, false]) func `a client whose position is before a gap receives the gap once`(
        isOpenCode1Compatible: Bool
    ) {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.turn(1)
        fixture.append(#"{"id":"evt_8","created":9,"type":"model.updated","data":{}}"#)
        var cursor = fixture.cursor(.time(0), .delta)
        cursor.isOpenCode1Compatible = isOpenCode1Compatible
        _ = fixture.readBatch(&cursor)
        fixture.log.append(gap: .upstreamLost, time: 50)

        #expect(fixture.readBatch(&cursor).contains("upstream-lost"))
        #expect(fixture.readBatch(&cursor) == "")

        fixture.turn(1, number: 2)

        #expect(fixture.readBatch(&cursor).frames.count > 4)
    }

    @Test func `the shutdown of a directory is translated and discards its known sessions`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.append(
            #"{"id":"evt_8","created":9,"type":"location.shutdown","location":{"directory":"/d"},"data":{}}"#)
        fixture.turn(1)
        let text = fixture.text(shape: .line)

        #expect(
            text.contains(
                #"data: {"directory":"/d","payload":{"id":"evt_8","type":"server.instance.disposed","properties":{"directory":"/d"}}}"#
            ))
        #expect(fixture.queries == [.defaults, .session("ses_1")])
    }

    @Test func `events without a translation still advance a client's position`() {
        let fixture = TranslatedFixture()
        fixture.created()
        var cursor = fixture.cursor(.time(0))
        _ = fixture.readBatch(&cursor)
        for _ in 0..<50 { fixture.append(#"{"id":"evt_8","created":9,"type":"model.updated","data":{}}"#) }

        #expect(fixture.readBatch(&cursor) == "")
        #expect(cursor.last?.text == "5-51")

        fixture.turn(1)

        #expect(fixture.readBatch(&cursor).ids.first == "5-52.1")
    }

    @Test func `a new client receives no frames of earlier events`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.turn(1)

        #expect(fixture.text(.now) == "")
        #expect(fixture.text(.after(EventID(generation: 5, sequence: 3))).ids.first == "5-4.1")
    }

    @Test func `an event from OpenCode 1 is not changed and causes no query`() {
        let fixture = TranslatedFixture()
        let payload = #"{"type":"session.idle","properties":{"sessionID":"ses_1"}}"#
        fixture.append(#"{"directory":"/d","payload":\#(payload)}"#, family: .one)

        #expect(fixture.text() == "id: 5-1.1\ndata: \(payload)\n\n")
        #expect(fixture.text(shape: .line) == "id: 5-1.1\ndata: {\"directory\":\"/d\",\"payload\":\(payload)}\n\n")
        #expect(fixture.queries == [])
    }

    @Test func `the number of known sessions is limited`() {
        let fixture = TranslatedFixture()
        for number in 1...1_000 { fixture.turn(1, "ses_\(number)", number: number) }
        for number in 1...1_000 { fixture.turn(1, "ses_\(number)", number: number) }
        _ = fixture.text()

        // Sessions that are no longer known are queried again.
        #expect(fixture.queries.count > 1_700)
    }

    /// The time is printed. The limit is far above it, because the machine may be busy.
    @Test func `the translation of a text delta takes less than 500 microseconds`() {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.turn(1)
        _ = fixture.text()
        let count = 20_000
        let clock = ContinuousClock()
        fixture.appendEvent("session.execution.started")
        fixture.appendEvent(
            "session.step.started", "ses_1",
            #""assistantMessageID":"msg_9","agent":"build","model":{"id":"m","providerID":"p"},"started":5"#)
        fixture.appendEvent("session.text.started", "ses_1", #""assistantMessageID":"msg_9","ordinal":0"#)
        let lines = (0..<count).map {
            #"{"id":"evt_2028486f5001BEIAsHWI\#($0)","created":1795338569461,"type":"session.text.delta","location":{"directory":"/d"},"data":{"sessionID":"ses_1","assistantMessageID":"msg_9","ordinal":0,"delta":"some words "}}"#
        }.map { Array($0.utf8) }
        let appended = clock.measure {
            for line in lines {
                _ = fixture.log.append(EventSkeleton(line: line.span, family: .two), line: line.span, time: 9)
            }
        }
        var plain = fixture.cursor(.after(EventID(generation: 5, sequence: 12)))
        plain.isOpenCode1Compatible = false
        let framed = clock.measure {
            while true {
                let batch = plain.nextBatch(fixture.log, atMost: 64 * 1024, connected: [])
                plain.sent(batch.bytes.count, of: batch)
                if batch.isAtEnd { break }
            }
        }
        var cursor = fixture.cursor(.after(EventID(generation: 5, sequence: 12)))
        let translated = clock.measure { _ = fixture.readBatch(&cursor, limit: 64 * 1024) }
        func each(_ time: Duration) -> Double { time / .microseconds(count) }
        print(
            "a piece: appended in \(each(appended)) µs, framed in \(each(framed)) µs, translated and framed in \(each(translated)) µs"
        )

        #expect(each(translated) < 500)
    }
}
