// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPServer

/// Tests when a connection is suspended, and when libmicrohttpd runs again.
@Suite struct PacingTests {
    @Test func `a connection is suspended only after eight unsuccessful calls for its response`() {
        var wait = AnswerWait()

        #expect(wait.stop() == false)
        #expect(wait.calledWithoutEffect() == .begins)

        for _ in 0..<7 { #expect(wait.calledWithoutEffect() == .continues) }

        #expect(wait.calledWithoutEffect() == .ends)
        #expect(wait.isOn)
        #expect(wait.stop() == true)
        #expect(!wait.isOn)
        #expect(wait.stop() == false)
        #expect(wait.calledWithoutEffect() == .begins)
    }

    @Test func `parts of a body are gathered as long as each run delivers one`() {
        var gathering = BodyGathering()

        #expect(gathering.partArrived(in: 1, waiting: 10) == .begins)
        #expect(gathering.ended(1, continues: true) == false)

        for run in UInt64(2)..<20 {
            #expect(gathering.partArrived(in: run, waiting: 10 * Int(run)) == .continues)
            #expect(gathering.ended(run, continues: true) == false)
        }

        #expect(gathering.ended(20, continues: true) == true)
        #expect(gathering.partArrived(in: 30, waiting: 10) == .begins)
        #expect(gathering.ended(30, continues: false) == true)
        #expect(gathering.partArrived(in: 31, waiting: 10) == .begins)
    }

    @Test func `192 KiB of a body are forwarded at once, before their source is paused`() {
        var gathering = BodyGathering()

        #expect(gathering.partArrived(in: 1, waiting: 192 * 1024 - 1) == .begins)
        #expect(gathering.partArrived(in: 2, waiting: 192 * 1024) == .notify)
        #expect(BodyGathering.enough < ServerLimits.highWater)
    }

    @Test func `a slow upload is forwarded every 24 runs beside busy connections`() {
        var gathering = BodyGathering()
        var reported = 0
        for run in UInt64(1)...240 {
            _ = gathering.partArrived(in: run, waiting: 1)
            if gathering.ended(run, continues: true) { reported += 1 }
        }

        #expect(reported == 10)
    }

    @Test func `an upload whose bytes stay unread during a run is blocked`() {
        var stall = ReadingStall()

        #expect(stall.look(bytesRead: 20_000, isInputWaiting: true, mayBeFull: false) == false)
        #expect(stall.look(bytesRead: 20_000, isInputWaiting: true, mayBeFull: false) == true)
    }

    @Test func `an upload is not blocked while it is read or has no waiting bytes`() {
        var stall = ReadingStall()
        for count in UInt64(1)...50 {
            #expect(stall.look(bytesRead: count, isInputWaiting: true, mayBeFull: true) == false)
        }
        for _ in 0..<50 { #expect(stall.look(bytesRead: 50, isInputWaiting: false, mayBeFull: false) == false) }

        #expect(stall.look(bytesRead: 50, isInputWaiting: true, mayBeFull: false) == false)

        stall.progressed()

        #expect(stall.look(bytesRead: 50, isInputWaiting: true, mayBeFull: false) == false)
        #expect(stall.look(bytesRead: nil, isInputWaiting: true, mayBeFull: false) == false)
        #expect(stall.look(bytesRead: nil, isInputWaiting: true, mayBeFull: false) == false)
    }

    @Test func `an upload that fills the memory exactly is blocked after twenty checks`() {
        var stall = ReadingStall()
        for _ in 0..<20 { #expect(stall.look(bytesRead: 20_000, isInputWaiting: false, mayBeFull: true) == false) }

        #expect(stall.look(bytesRead: 20_000, isInputWaiting: false, mayBeFull: true) == true)
    }

    private let connections = [FakeConnection(), FakeConnection()]
    private var first: ObjectIdentifier { ObjectIdentifier(connections[0]) }
    private var second: ObjectIdentifier { ObjectIdentifier(connections[1]) }

    @Test func `libmicrohttpd runs again at once while it has work`() {
        var pacing = RunPacing()
        for _ in 0..<100 {
            pacing.begins()
            pacing.works(first)
            #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)
        }
        pacing.begins()

        #expect(pacing.ended(wantsMore: false, isRequested: false) == .onEvent)
        #expect(pacing.ended(wantsMore: false, isRequested: true) == .atOnce)
    }

    @Test func `libmicrohttpd runs at intervals after 16 runs without effect`() {
        var pacing = RunPacing()
        for _ in 0..<15 {
            pacing.begins()
            #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)
        }
        for _ in 0..<3 {
            pacing.begins()
            #expect(pacing.ended(wantsMore: true, isRequested: false) == .later)
        }
        pacing.begins()
        pacing.works(first)

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)
    }

    @Test func `libmicrohttpd does not run again at once while connections only await their responses`() {
        var pacing = RunPacing()
        pacing.waitBegins(first)
        pacing.begins()

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .later)
        #expect(pacing.ended(wantsMore: true, isRequested: true) == .atOnce)

        pacing.waitEnds()
        pacing.begins()
        pacing.works(first)

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)
    }

    @Test func `a run that sends a response is followed by one that finishes it`() {
        var pacing = RunPacing()
        pacing.waitBegins(first)
        pacing.answerProvided()
        pacing.begins()

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)

        pacing.begins()

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .later)
    }

    @Test func `a response that arrives after a run is sent in the next run`() {
        var pacing = RunPacing()
        pacing.waitBegins(first)
        pacing.begins()
        pacing.answerProvided()

        #expect(pacing.ended(wantsMore: true, isRequested: true) == .atOnce)

        pacing.begins()

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)
    }

    @Test func `no run follows immediately if connections have only begun to wait`() {
        for others in [[], [second]] {
            var pacing = RunPacing()
            pacing.begins()
            pacing.works(first)
            pacing.works(first)
            pacing.waitBegins(first)
            // The library called back for another connection, which does not wait.
            for other in others { pacing.works(other) }
            #expect(pacing.ended(wantsMore: true, isRequested: false) == (others.isEmpty ? .later : .atOnce))
        }
        var pacing = RunPacing()
        pacing.begins()
        pacing.works(second)
        pacing.works(first)
        pacing.waitBegins(first)

        #expect(pacing.ended(wantsMore: true, isRequested: false) == .atOnce)
    }
}

private final class FakeConnection {}
