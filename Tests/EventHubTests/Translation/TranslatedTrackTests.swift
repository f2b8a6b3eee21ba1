import Dialects
import EventHub
import Foundation
import JSONText
import OpenCode
import Testing

@Suite struct TranslatedTrackTests {
    @Test func framesOfOneEventHaveItsIDAndTheirNumber() {
        let rig = TranslatedRig()
        rig.created()
        rig.turn(3)
        let ids = rig.text().ids
        #expect(ids.first == "5-1.1")
        #expect(ids.filter { $0.hasPrefix("5-3.") } == ["5-3.1", "5-3.2", "5-3.3", "5-3.4"])
        #expect(Set(ids).count == ids.count)
        #expect(rig.asked == [.surroundings])
    }

    @Test(arguments: EventForm.allCases) func whoReadsAgainAfterARestartGetsTheSame(form: EventForm) {
        let rig = TranslatedRig()
        rig.created()
        for number in 1...3 { rig.turn(20, number: number) }
        let first = rig.text(.time(0), form)
        rig.tracks = FormTracks()
        #expect(rig.text(.time(0), form) == first)
        #expect(first.frames.count > 30)
        // And whoever begins behind any frame the rest of it.
        for (index, id) in first.ids.enumerated() {
            guard let place = EventID(Array(id.utf8).span) else { continue }
            #expect(rig.text(.behind(place), form).frames == Array(first.frames[(index + 1)...]))
        }
    }

    @Test(arguments: EventForm.allCases) func whoReadsBitByBitGetsTheSame(form: EventForm) {
        let (whole, bits) = (TranslatedRig(), TranslatedRig())
        var cursor = bits.cursor(.time(0), form)
        var told = ""
        for rig in [whole, bits] { rig.created() }
        for number in 1...4 {
            whole.turn(5, number: number)
            bits.turn(5, number: number)
            told += bits.read(&cursor, limit: 1)
        }
        #expect(told == whole.text(.time(0), form))
    }

    @Test(arguments: EventForm.allCases)
    func `a reader stops before the end of a turn that is held and continues with it`(form: EventForm) {
        let rig = TranslatedRig()
        for session in ["ses_1", "ses_2"] {
            rig.created(session)
            rig.turn(2, session)
        }
        let whole = rig.text(.time(0), form)
        var cursor = rig.cursor(.time(0), form)

        let before = rig.read(&cursor) { session, _ in session == Array("ses_1".utf8) }
        let again = rig.read(&cursor) { session, _ in session == Array("ses_1".utf8) }
        let rest = rig.read(&cursor)

        #expect(before.contains("step-finish"))
        #expect(!before.contains(#""status":{"type":"idle"}"#))
        #expect(again.isEmpty)
        #expect(rest.frames.first?.contains(#""status":{"type":"idle"}"#) == true)
        #expect(before + rest == whole)
    }

    /// OpenCode 1 is idle twice: it answers the prompt at the second time.
    @Test func `the end of an aborted turn is the last time that it is idle`() {
        let rig = TranslatedRig()
        rig.created()
        rig.say("session.execution.started")
        rig.say(
            "session.step.started", "ses_1",
            #""assistantMessageID":"msg_1","agent":"build","model":{"id":"m","providerID":"p"},"started":5"#)
        rig.say(
            "session.step.failed", "ses_1",
            #""assistantMessageID":"msg_1","error":{"type":"aborted","message":"x"}"#)
        rig.say("session.execution.interrupted", "ses_1", #""reason":"user""#)
        var cursor = rig.cursor(.time(0))

        let before = rig.read(&cursor) { _, _ in true }

        #expect(before.contains("MessageAbortedError"))
        #expect(before.components(separatedBy: #""type":"session.idle""#).count == 2)
    }

    @Test func aSessionThatIsNotKnownIsAskedForOnce() {
        let rig = TranslatedRig()
        rig.turn(2)
        rig.turn(2, number: 2)
        let text = rig.text()
        #expect(rig.asked == [.surroundings, .session("ses_1")])
        #expect(text.contains("message.part.delta") && text.contains(#""cwd":"/d""#))
    }

    @Test func aSessionThatIsGoneTellsNothingButItsEnd() {
        let rig = TranslatedRig()
        rig.answer = { if case .session = $0 { .unknown } else { TranslatedRig.surroundings } }
        rig.turn(2)
        rig.say("session.deleted")
        #expect(rig.text().frames.count == 1)
        #expect(rig.asked == [.surroundings, .session("ses_1")])
    }

    @Test func whereNobodyAnswersItIsAskedAgainLater() {
        let rig = TranslatedRig()
        rig.answer = { if case .session = $0 { .nothing } else { TranslatedRig.surroundings } }
        rig.say("session.execution.started")
        rig.say("session.execution.succeeded")
        #expect(rig.text() == "")
        #expect(rig.asked == [.surroundings, .session("ses_1")])
        rig.answer = TranslatedRig.usual
        rig.append(
            #"{"id":"evt_9","created":9,"type":"session.execution.started","data":{"sessionID":"ses_1"}}"#, time: 6_000)
        #expect(rig.text().contains(#""type":"busy""#))
    }

    @Test func aGapAndAnotherRunForgetWhatWasKnown() {
        let rig = TranslatedRig()
        rig.created()
        rig.turn(1)
        rig.log.append(gap: .upstreamLost, time: 50)
        rig.turn(1, number: 2)
        rig.log.beginGeneration(now: 60, after: .instanceRestarted)
        rig.turn(1, number: 3)
        let text = rig.text()
        #expect(rig.asked == [.surroundings, .session("ses_1"), .surroundings, .session("ses_1")])
        #expect(text.contains("upstream-lost") && text.contains("instance-restarted"))
        #expect(text.ids.contains { $0.hasPrefix("60-") })
    }

    @Test(arguments: [true, false]) func whoStandsBeforeAGapIsToldOfItOnce(speaksOne: Bool) {
        let rig = TranslatedRig()
        rig.created()
        rig.turn(1)
        rig.append(#"{"id":"evt_8","created":9,"type":"model.updated","data":{}}"#)
        var cursor = rig.cursor(.time(0), .delta)
        cursor.speaksOne = speaksOne
        _ = rig.read(&cursor)
        rig.log.append(gap: .upstreamLost, time: 50)
        #expect(rig.read(&cursor).contains("upstream-lost"))
        #expect(rig.read(&cursor) == "")
        rig.turn(1, number: 2)
        #expect(rig.read(&cursor).frames.count > 4)
    }

    @Test func theSameIsHadAsChanges() throws {
        let rig = TranslatedRig()
        rig.turn(2)
        rig.log.append(gap: .upstreamLost, time: 50)
        rig.append(
            #"{"directory":"/d","payload":{"type":"session.idle","properties":{"sessionID":"ses_1"}}}"#, family: .one)
        var all: [ToldChange] = []
        while true {
            let (changes, isAtEnd, question) = rig.tracks.changes(
                rig.log, behind: all.last?.id, atMost: 300, now: 1_000_000)
            all += changes
            if let question {
                rig.tracks.learn(rig.log, question, TranslatedRig.usual(question))
            } else if isAtEnd {
                break
            }
        }
        var kinds: [String] = []
        for change in all {
            switch change.content {
            case .gap(let gap): kinds.append(gap.reason.rawValue)
            case .event(let event):
                #expect(change.directory == "/d")
                switch event.change {
                case .status(_, let status): kinds.append("\(status)")
                case .idle: kinds.append("session.idle")
                case .partDelta(let delta): kinds.append(delta.delta.text ?? "")
                default: break
                }
            }
        }
        #expect(kinds == ["busy", "busy", "0 ", "1 ", "busy", "idle", "session.idle", "upstream-lost", "session.idle"])
    }

    @Test func aClosedDirectoryEndsWhatWasKnownOfItsSessions() {
        let rig = TranslatedRig()
        rig.created()
        rig.append(#"{"id":"evt_8","created":9,"type":"location.shutdown","location":{"directory":"/d"},"data":{}}"#)
        rig.turn(1)
        let text = rig.text(shape: .line)
        #expect(
            text.contains(
                #"data: {"directory":"/d","payload":{"id":"evt_8","type":"server.instance.disposed","properties":{"directory":"/d"}}}"#
            ))
        #expect(rig.asked == [.surroundings, .session("ses_1")])
    }

    @Test func eventsThatTellNothingBringAReaderOnAllTheSame() {
        let rig = TranslatedRig()
        rig.created()
        var cursor = rig.cursor(.time(0))
        _ = rig.read(&cursor)
        for _ in 0..<50 { rig.append(#"{"id":"evt_8","created":9,"type":"model.updated","data":{}}"#) }
        #expect(rig.read(&cursor) == "")
        #expect(cursor.last?.text == "5-51")
        rig.turn(1)
        #expect(rig.read(&cursor).ids.first == "5-52.1")
    }

    @Test func whoBeginsNowIsNotToldWhatTheLastEventHasBecome() {
        let rig = TranslatedRig()
        rig.created()
        rig.turn(1)
        #expect(rig.text(.now) == "")
        #expect(rig.text(.behind(EventID(generation: 5, sequence: 3))).ids.first == "5-4.1")
    }

    @Test func whatAnOpenCode1HasSaidStaysAsItIs() {
        let rig = TranslatedRig()
        let payload = #"{"type":"session.idle","properties":{"sessionID":"ses_1"}}"#
        rig.append(#"{"directory":"/d","payload":\#(payload)}"#, family: .one)
        #expect(rig.text() == "id: 5-1.1\ndata: \(payload)\n\n")
        #expect(rig.text(shape: .line) == "id: 5-1.1\ndata: {\"directory\":\"/d\",\"payload\":\(payload)}\n\n")
        #expect(rig.asked == [])
    }

    @Test func manySessionsAreNotAllKept() {
        let rig = TranslatedRig()
        for number in 1...1_000 { rig.turn(1, "ses_\(number)", number: number) }
        for number in 1...1_000 { rig.turn(1, "ses_\(number)", number: number) }
        _ = rig.text()
        // Those that are not known any more are asked for again.
        #expect(rig.asked.count > 1_700)
    }

    /// Printed, and bounded far above what it takes: the machine may have other things to do.
    @Test func aPieceIsTranslatedOnceInAFewMicroseconds() {
        let rig = TranslatedRig()
        rig.created()
        rig.turn(1)
        _ = rig.text()
        let count = 20_000
        let clock = ContinuousClock()
        rig.say("session.execution.started")
        rig.say(
            "session.step.started", "ses_1",
            #""assistantMessageID":"msg_9","agent":"build","model":{"id":"m","providerID":"p"},"started":5"#)
        rig.say("session.text.started", "ses_1", #""assistantMessageID":"msg_9","ordinal":0"#)
        let lines = (0..<count).map {
            #"{"id":"evt_2028486f5001BEIAsHWI\#($0)","created":1795338569461,"type":"session.text.delta","location":{"directory":"/d"},"data":{"sessionID":"ses_1","assistantMessageID":"msg_9","ordinal":0,"delta":"some words "}}"#
        }.map { Array($0.utf8) }
        let appended = clock.measure {
            for line in lines {
                _ = rig.log.append(EventSkeleton(line: line.span, family: .two), line: line.span, time: 9)
            }
        }
        var plain = rig.cursor(.behind(EventID(generation: 5, sequence: 12)))
        plain.speaksOne = false
        let framed = clock.measure {
            while true {
                let passage = plain.read(rig.log, atMost: 64 * 1024, connected: [])
                plain.sent(passage.bytes.count, of: passage)
                if passage.isAtEnd { break }
            }
        }
        var cursor = rig.cursor(.behind(EventID(generation: 5, sequence: 12)))
        let translated = clock.measure { _ = rig.read(&cursor, limit: 64 * 1024) }
        func each(_ time: Duration) -> Double { time / .microseconds(count) }
        print(
            "a piece: appended in \(each(appended)) µs, framed in \(each(framed)) µs, translated and framed in \(each(translated)) µs"
        )
        #expect(each(translated) < 500)
    }
}
