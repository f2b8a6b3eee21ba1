// SPDX-License-Identifier: Apache-2.0

import EventHub
import OpenCodeFamilies
import Testing

/// Tests an event of OpenCode 1 that is not in a log and is sent with the `session.idle` at the end of a turn.
@Suite struct AddedEventTests {
    private static let event =
        #"{"id":"evt_x","type":"command.executed","properties":{"name":"init","sessionID":"ses_1"}}"#

    /// A log with a turn of two sessions.
    private static func fixture() -> TranslatedFixture {
        let fixture = TranslatedFixture()
        for session in ["ses_1", "ses_2"] {
            fixture.created(session)
            fixture.turn(2, session)
        }
        return fixture
    }

    private static func added(_ session: [UInt8], _ frame: EventID) -> [[UInt8]] {
        session == Array("ses_1".utf8) ? [Array(event.utf8)] : []
    }

    private static func readAll(_ fixture: TranslatedFixture, _ cursor: inout EventCursor, limit: Int = 700) -> String {
        fixture.readBatch(&cursor, limit: limit, added: added)
    }

    @Test(arguments: EventEncoding.allCases)
    func `an added event follows session.idle, has no id and changes no other frame`(encoding: EventEncoding) {
        let fixture = Self.fixture()
        var cursor = fixture.cursor(.time(0), encoding)

        let frames = Self.readAll(fixture, &cursor).frames

        #expect(frames.filter { $0 != "data: \(Self.event)" } == fixture.text(.time(0), encoding).frames)

        let indices = frames.indices.filter { frames[$0] == "data: \(Self.event)" }

        #expect(indices.count == 1)

        let position = indices.first ?? 1

        #expect(frames[position - 1].contains(#""type":"session.idle","properties":{"sessionID":"ses_1"}"#))
        #expect(frames[position + 1].contains("session.diff"))
    }

    /// Returns a log with an interrupted turn of `ses_1` in the middle of a text. The encoding `full` sends the text
    /// before the first `session.idle`.
    private static func interrupted() -> TranslatedFixture {
        let fixture = TranslatedFixture()
        fixture.created()
        fixture.appendEvent("session.execution.started")
        let message = #""assistantMessageID":"msg_1""#
        fixture.appendEvent(
            "session.step.started", "ses_1",
            message + #","agent":"build","model":{"id":"m","providerID":"p"},"started":5"#)
        fixture.appendEvent("session.text.started", "ses_1", message + #","ordinal":0"#)
        for _ in 0..<2 { fixture.appendEvent("session.text.delta", "ses_1", message + #","ordinal":0,"delta":"a""#) }
        fixture.appendEvent(
            "session.step.failed", "ses_1", message + #","error":{"type":"aborted","message":"Step interrupted"}"#)
        fixture.appendEvent("session.execution.interrupted", "ses_1", #""reason":"user""#)
        return fixture
    }

    @Test func `each encoding adds an event after the last session.idle of the same event`() throws {
        var held: [EventID] = []
        var ended: [EventID] = []
        for encoding in EventEncoding.allCases {
            let fixture = Self.interrupted()
            var cursor = fixture.cursor(.time(0), encoding)

            let text = fixture.readBatch(
                &cursor,
                isHeld: { _, frame in
                    held.append(frame)
                    return false
                },
                added: { session, frame in
                    ended.append(frame)
                    return Self.added(session, frame)
                })

            #expect(text.frames.count { $0.contains(#""type":"session.idle""#) } == 2)
            #expect(text.frames.last == "data: \(Self.event)")
            #expect(cursor.lastTurnEnd == ended.last)
        }

        #expect(held.count == EventEncoding.allCases.count)
        #expect(ended.count == EventEncoding.allCases.count)
        #expect(held.allSatisfy { $0.isOfEvent(ended.first) })
        #expect(ended.allSatisfy { $0.isOfEvent(ended.first) })
        #expect(Set(ended).count > 1, "the encodings number the frame differently")
    }

    @Test func `a client that resumes receives an added event only if it resumes before session.idle`() throws {
        let fixture = Self.fixture()
        var all = fixture.cursor(.time(0))
        let frames = Self.readAll(fixture, &all).frames
        let position = try #require(frames.firstIndex { !$0.hasPrefix("id: ") })

        for index in frames.indices where index != position {
            guard let id = EventID(Array(frames[index].ids.joined().utf8).span) else { continue }
            var cursor = fixture.cursor(.after(id))
            // A client whose last id is that of `session.idle` has received the added event.
            let start = index == position - 1 ? position + 1 : index + 1
            #expect(Self.readAll(fixture, &cursor).frames == Array(frames[start...]))
        }
    }

    /// A client's socket may accept any number of bytes of a batch.
    @Test(arguments: [1, 7, 100])
    func `a client that accepts few bytes at a time receives an added event once`(step: Int) {
        let fixture = Self.fixture()
        var whole = fixture.cursor(.time(0))
        let expected = Self.readAll(fixture, &whole)
        var cursor = fixture.cursor(.time(0))
        var bytes: [UInt8] = []

        for _ in 0..<100_000 {
            let batch = cursor.nextEncodedBatch(
                fixture.log, &fixture.encodedStreams, atMost: 700, connected: [], now: 1_000_000, added: Self.added)
            let count = min(step, batch.bytes.count)
            bytes += batch.bytes[..<count]
            cursor.sent(count, of: batch)
            if batch.bytes.isEmpty, batch.isAtEnd { break }
        }

        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `each type of stream wraps an added event like its other events, and a page has no added events`() {
        let fixture = Self.fixture()
        let shapes: [(EventShape, String)] = [
            (.payload, "data: \(Self.event)"), (.line, #"data: {"directory":"/d","payload":\#(Self.event)}"#),
            (.project("demo"), #"data: {"project":"demo","directory":"/d","event":\#(Self.event)}"#),
        ]
        for (shape, frame) in shapes {
            var cursor = fixture.cursor(.time(0), shape: shape)
            #expect(Self.readAll(fixture, &cursor).frames.count { $0 == frame } == 1)
        }
        var page = fixture.cursor(.time(0), shape: .item("demo"))

        #expect(Self.readAll(fixture, &page) == fixture.text(shape: .item("demo")))
    }

    @Test func `a client that selects only command.executed is held at the turn's end and receives the event`() throws {
        let fixture = Self.fixture()
        var cursor = fixture.cursor(.time(0))
        cursor.selector.types = [try #require(EventSelector.TypePattern("command.executed"))]

        let held = fixture.readBatch(&cursor, isHeld: { session, _ in session == Array("ses_1".utf8) })

        #expect(held == "")
        #expect(Self.readAll(fixture, &cursor) == "data: \(Self.event)\n\n")
        #expect(Self.readAll(fixture, &cursor) == "")
    }

    @Test func `a client of another directory, session or type receives no added event`() throws {
        let fixture = Self.fixture()
        var (elsewhere, other, typed) = (
            fixture.cursor(.time(0)), fixture.cursor(.time(0)), fixture.cursor(.time(0))
        )
        elsewhere.selector.directory = Array("/e".utf8)
        other.selector.sessions = [Array("ses_2".utf8)]
        typed.selector.types = [try #require(EventSelector.TypePattern("session.*"))]

        #expect(!Self.readAll(fixture, &elsewhere).contains("command.executed"))
        #expect(!Self.readAll(fixture, &other).contains("command.executed"))
        #expect(!Self.readAll(fixture, &typed).contains("command.executed"))
    }

    @Test func `merged deltas precede an added event`() {
        let fixture = Self.fixture()
        var (merged, plain) = (fixture.cursor(.time(0)), fixture.cursor(.time(0)))
        merged.maxRate = 1
        plain.maxRate = 1

        let frames = Self.readAll(fixture, &merged, limit: 1 << 20).frames

        #expect(frames.filter { $0.hasPrefix("id: ") } == fixture.readBatch(&plain, limit: 1 << 20).frames)
        #expect(frames.count { !$0.hasPrefix("id: ") } == 1)
    }
}
