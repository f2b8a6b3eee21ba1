// SPDX-License-Identifier: Apache-2.0

import EventHub
import OpenCodeFamilies
import Testing

/// Tests of the position at which the events of open turns begin.
@Suite struct OpenTurnTests {
    private static let family = APIFamily.one

    private static func append(_ log: EventLog, _ json: String) {
        let line = Array(#"{"directory":"/d","payload":\#(json)}"#.utf8)
        _ = log.append(EventSkeleton(line: line.span, family: family), line: line.span, time: LogUnderTest.now)
    }

    private static func message(_ log: EventLog, _ id: String, in session: String = "ses_1", isNew: Bool = true) {
        append(
            log,
            #"{"type":"message.updated","properties":{"info":{"id":"\#(id)","sessionID":"\#(session)","role":"user"}}}"#
        )
        if isNew { part(log, of: id, in: session) }
    }

    private static func part(_ log: EventLog, of message: String, in session: String = "ses_1") {
        append(
            log,
            #"{"type":"message.part.updated","properties":{"part":{"id":"prt_1","messageID":"\#(message)","sessionID":"\#(session)","type":"text","text":"x"}}}"#
        )
    }

    private static func status(_ log: EventLog, _ type: String, in session: String = "ses_1") {
        append(
            log,
            #"{"type":"session.status","properties":{"sessionID":"\#(session)","status":{"type":"\#(type)"}}}"#)
    }

    private static func created(_ log: EventLog, _ session: String) {
        append(log, #"{"type":"session.created","properties":{"info":{"id":"\#(session)"}}}"#)
    }

    private static func log() throws -> LogUnderTest {
        let test = try LogUnderTest(inMemory: true)
        test.log.beginGeneration(now: 5, after: nil)
        return test
    }

    /// Returns the first event of all open turns.
    private static func first(_ log: EventLog, atMost bytes: Int = 1 << 20) -> String? {
        guard var position = log.beginningOfOpenTurns(before: log.end, atMost: bytes) else { return nil }
        return log.next(&position, atMost: 1).first.map(LogUnderTest.text)
    }

    @Test func `a turn begins with its prompt`() throws {
        let test = try Self.log()

        Self.created(test.log, "ses_1")
        Self.message(test.log, "msg_1")
        Self.status(test.log, "busy")
        Self.message(test.log, "msg_2")
        Self.status(test.log, "busy")

        #expect(Self.first(test.log) == "5-2")
    }

    @Test func `a turn that has ended is not open`() throws {
        let test = try Self.log()

        Self.message(test.log, "msg_1")
        Self.status(test.log, "busy")
        Self.status(test.log, "idle")

        #expect(Self.first(test.log) == nil)
    }

    @Test func `a change to a message begins no turn`() throws {
        let test = try Self.log()

        Self.message(test.log, "msg_1", isNew: false)
        Self.message(test.log, "msg_2")
        Self.status(test.log, "busy")

        #expect(Self.first(test.log) == "5-2")
    }

    @Test func `a new session has no turn`() throws {
        let test = try Self.log()

        Self.created(test.log, "ses_1")

        #expect(Self.first(test.log) == nil)
    }

    @Test func `the oldest open turn of several sessions is found`() throws {
        let test = try Self.log()

        Self.status(test.log, "busy", in: "ses_1")
        Self.message(test.log, "msg_2", in: "ses_2")
        Self.status(test.log, "busy", in: "ses_2")
        Self.status(test.log, "busy", in: "ses_3")
        Self.status(test.log, "idle", in: "ses_1")

        #expect(Self.first(test.log) == "5-2")
    }

    @Test(arguments: [EventGap.Reason.gatewayRestarted, .upstreamLost, .retention, .damaged, .tooLarge])
    func `a turn may continue after a gap`(reason: EventGap.Reason) throws {
        let test = try Self.log()

        Self.status(test.log, "busy")
        test.log.append(gap: reason, time: LogUnderTest.now)

        #expect(Self.first(test.log) == "5-1")
    }

    @Test(arguments: [EventGap.Reason.instanceRestarted, .stopped])
    func `a turn ends with its instance`(reason: EventGap.Reason) throws {
        let test = try Self.log()

        Self.status(test.log, "busy")
        test.log.append(gap: reason, time: LogUnderTest.now)

        #expect(Self.first(test.log) == nil)
    }

    @Test func `bytes after the end are ignored`() throws {
        let test = try Self.log()

        test.log.add(1...2)
        let end = test.log.end
        Self.status(test.log, "busy")

        #expect(test.log.beginningOfOpenTurns(before: end, atMost: 1 << 20) == nil)
    }

    @Test func `a turn that began before the newest segments is not found`() throws {
        let test = try Self.log()

        Self.status(test.log, "busy")
        test.log.add(1...6_000, size: 500)

        #expect(test.log.segments.count > 1)
        #expect(Self.first(test.log, atMost: 64 << 20) == "5-1")
        #expect(Self.first(test.log, atMost: 1 << 20) == nil)
    }
}
