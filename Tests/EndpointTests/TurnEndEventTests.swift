// SPDX-License-Identifier: Apache-2.0

import EventHub
import EventLoop
import OpenCodeFamilies
import Projects
import Testing

@testable import EventStreaming
@testable import GatewayCore

/// Tests events that a request publishes with the end of its turn.
@Suite struct TurnEndEventTests {
    /// The turn ends of a project, with an open stream on some loop.
    private final class Stage {
        let ends: TurnEnds
        let project: ProjectName
        private let loop: EventLoop
        private let mailbox: Mailbox<LoopMessage>
        static let session = Array("ses_1".utf8)

        init(
            hasStream: Bool = true, isAwaited: Bool = true, ends: TurnEnds = TurnEnds(), project name: String = "demo"
        ) throws {
            self.ends = ends
            project = try #require(ProjectName(name))
            loop = try EventLoop()
            mailbox = try loop.mailbox { (_: LoopMessage) in }
            if hasStream { ends.addStream(ObjectIdentifier(self), of: project, on: mailbox, isAwaited: isAwaited) }
        }

        deinit { loop.releaseHandlers() }

        func watch(after sequence: UInt64 = 5, holds: Bool = true) -> Int {
            ends.watch(
                "ses_1", of: project, after: EventID(generation: 1, sequence: sequence), holds: holds)
        }

        /// Records the progress of the stream to this frame.
        func advanceStream(to sequence: UInt64, frame: UInt32, ended: UInt32? = nil, held: UInt32? = nil) {
            func id(_ frame: UInt32) -> EventID { EventID(generation: 1, sequence: sequence, frame: frame) }
            ends.advanceStream(
                ObjectIdentifier(self), project, to: id(frame), ended: ended.map(id), held: held.map(id))
        }

        /// Whether the stream's loop has a message.
        var isNotified: Bool { mailbox.hasUnread }

        /// Lets the request of the watch wait for the streams.
        func wait(for watch: Int) -> TurnEnds.Waiting { ends.wait(watch, run: 1, of: mailbox) }

        /// Publishes an event with the turn that ends at this position, and responds to the request.
        func command(_ sequence: UInt64, _ event: [UInt8]) {
            let watch = watch(after: sequence - 1)
            record(.ended, sequence)
            ends.publish(event, after: watch)
            ends.stopWatching(watch)
        }

        /// Adds an event that begins or ends a turn to the log, as the hub does.
        func record(_ mark: TurnBoundary, _ sequence: UInt64) {
            ends.record(mark, of: Self.session, project, at: EventID(generation: 1, sequence: sequence))
        }

        /// Reads the end of a turn as a stream does. Returns whether the stream stops there.
        func reaches(_ sequence: UInt64, frame: UInt32 = 2) -> Bool {
            let end = EventID(generation: 1, sequence: sequence, frame: frame)
            return ends.isWatched(project) && ends.hold(Self.session, of: project, before: end) != nil
        }

        /// Returns the events after a `session.idle`.
        func events(_ sequence: UInt64, frame: UInt32 = 3, session: [UInt8] = Stage.session) -> [[UInt8]] {
            guard ends.isWatched(project) else { return [] }
            return ends.events(
                session, of: project, after: EventID(generation: 1, sequence: sequence, frame: frame))
        }
    }

    private static let event = Array("event".utf8)

    @Test func `an event is published after the end of its turn only`() throws {
        let stage = try Stage()
        let watch = stage.watch()
        stage.record(.ended, 9)

        #expect(stage.reaches(9))
        #expect(stage.events(9) == [])

        stage.ends.publish(Self.event, after: watch)
        stage.ends.stopWatching(watch)

        #expect(stage.events(9) == [Self.event])
        #expect(stage.events(9, session: Array("ses_2".utf8)) == [])
        #expect(!stage.reaches(12))
        #expect(stage.events(12) == [])
        #expect(stage.events(9) == [Self.event], "a stream that is late")
    }

    @Test func `streams with different encodings are held at the same turn's end and receive its event`() throws {
        let ends = TurnEnds()
        let stages = try [Stage(ends: ends), Stage(ends: ends)]
        let watch = stages[0].watch()
        stages[0].record(.ended, 9)
        // The encoding `full` sends the rest of a text before the turn's end.
        let frames: [UInt32] = [2, 3]
        for (stage, frame) in zip(stages, frames) { #expect(stage.reaches(9, frame: frame)) }

        for (stage, frame) in zip(stages, frames) {
            #expect(stage.reaches(9, frame: frame))
            stage.advanceStream(to: 9, frame: frame - 1, held: frame)
        }
        let waiting = stages[0].wait(for: watch)

        #expect(waiting == .pause, "both streams have reached the end")

        ends.publish(Self.event, after: watch)
        ends.stopWatching(watch)

        for (stage, frame) in zip(stages, frames) { #expect(stage.events(9, frame: frame + 1) == [Self.event]) }
    }

    @Test func `a request waits until each stream has sent the session.idle of its encoding`() throws {
        let ends = TurnEnds()
        let stages = try [Stage(ends: ends), Stage(ends: ends)]
        let watch = stages[0].watch(holds: false)
        stages[0].record(.ended, 9)
        for frame: UInt32 in [2, 4] { #expect(!stages[0].reaches(9, frame: frame)) }

        stages[0].advanceStream(to: 9, frame: 4, ended: 3)
        stages[1].advanceStream(to: 9, frame: 4)

        #expect(stages[0].wait(for: watch) == .streams)

        stages[1].advanceStream(to: 9, frame: 5, ended: 5)

        #expect(stages[0].wait(for: watch) == .nothing)
    }

    @Test func `a stream that reaches the turn's end after the answer receives the event and is not held`() throws {
        let stage = try Stage()
        let watch = stage.watch()
        stage.ends.publish(Self.event, after: watch)
        stage.ends.stopWatching(watch)

        #expect(!stage.reaches(4))
        #expect(stage.events(4) == [])

        stage.record(.ended, 9)

        #expect(!stage.reaches(9))
        #expect(stage.events(9) == [Self.event])
    }

    @Test func `a stream that reads a later turn first does not receive the event in the later turn`() throws {
        let ends = TurnEnds()
        let (late, early) = (try Stage(ends: ends), try Stage(ends: ends))
        late.record(.began, 6)
        let watch = late.watch()
        late.record(.ended, 9)
        #expect(late.wait(for: watch) == .streams)
        ends.publish(Self.event, after: watch)
        ends.stopWatching(watch)
        late.record(.began, 10)
        late.record(.ended, 12)

        #expect(!early.reaches(12))
        #expect(early.events(12) == [])
        #expect(!late.reaches(9))
        #expect(late.events(9) == [Self.event])
        #expect(late.events(12) == [])
    }

    @Test func `an event follows the next turn's end if the turn's events are later than its answer`() throws {
        let stage = try Stage()
        let watch = stage.watch()
        #expect(stage.wait(for: watch) == .streams)
        stage.ends.publish(Self.event, after: watch)
        stage.ends.stopWatching(watch)

        for (beginning, end): (UInt64, UInt64) in [(6, 9), (10, 12)] {
            stage.record(.began, beginning)
            stage.record(.ended, end)
        }

        #expect(stage.events(9) == [Self.event])
        #expect(stage.events(12) == [])
    }

    @Test func `a turn that was running before the request does not hold its event`() throws {
        let stage = try Stage()
        let watch = stage.watch()
        stage.record(.ended, 7)

        #expect(stage.reaches(7))

        stage.record(.began, 8)

        #expect(!stage.reaches(7))

        stage.record(.ended, 9)

        #expect(stage.reaches(9))

        stage.ends.publish(Self.event, after: watch)
        stage.ends.stopWatching(watch)

        #expect(stage.events(7) == [])
        #expect(stage.events(9) == [Self.event])
    }

    @Test func `an event whose turn's end may be missing is not sent with a later turn`() throws {
        let stage = try Stage()
        let running = try Stage(ends: stage.ends, project: "other")
        let lost = try Stage(ends: stage.ends, project: "third")
        let known = stage.watch()
        stage.record(.ended, 9)
        let (continued, missed) = (running.watch(), lost.watch())
        #expect(lost.wait(for: missed) == .streams)

        for stage in [stage, running, lost] { stage.ends.recordGap(stage.project) }
        running.record(.began, 10)
        for (stage, watch) in [(stage, known), (running, continued), (lost, missed)] {
            stage.ends.publish(Self.event, after: watch)
            stage.ends.stopWatching(watch)
            stage.record(.ended, 12)
        }

        #expect(stage.events(9) == [Self.event])
        #expect(running.events(12) == [Self.event], "a step began after the gap")
        #expect(lost.events(12) == [])
    }

    @Test(arguments: [true, false])
    func `an event is kept for streams that begin after the answer`(isAnswerFirst: Bool) throws {
        let stage = try Stage(hasStream: false)
        let watch = stage.watch()
        if !isAnswerFirst { stage.record(.ended, 9) }
        #expect(stage.wait(for: watch) == .nothing)
        stage.ends.publish(Self.event, after: watch)
        stage.ends.stopWatching(watch)
        if isAnswerFirst { stage.record(.ended, 9) }
        stage.record(.began, 10)
        stage.record(.ended, 12)

        #expect(!stage.reaches(9))
        #expect(stage.events(9) == [Self.event])
        #expect(stage.events(12) == [])
    }

    @Test func `a stream with a maximum rate waits for the answer and does not delay it`() throws {
        let stage = try Stage(isAwaited: false)
        let watch = stage.watch()
        stage.record(.ended, 9)

        #expect(stage.reaches(9))
        #expect(stage.wait(for: watch) == .nothing)

        stage.ends.publish(Self.event, after: watch)
        stage.ends.stopWatching(watch)

        #expect(stage.isNotified, "the stream continues before its time limit")
        #expect(stage.events(9) == [Self.event])
    }

    @Test func `an event beyond the maximum size is omitted and displaces no other`() throws {
        let stage = try Stage()
        let largest = [UInt8](repeating: 0x20, count: TurnEnds.largestEvent)
        stage.command(6, Self.event)
        stage.command(7, largest)
        stage.command(8, largest + [0x20])

        #expect(stage.events(6) == [Self.event])
        #expect(stage.events(7) == [largest])
        #expect(stage.events(8) == [])
    }

    @Test func `the newest events of each project are kept up to the limit`() throws {
        let stage = try Stage()
        let other = try Stage(ends: stage.ends, project: "other")
        other.command(6, Self.event)
        let sequences = 6..<6 + UInt64(TurnEnds.mostRetained)
        for sequence in sequences { stage.command(sequence, Self.event) }

        #expect(sequences.allSatisfy { stage.events($0) == [Self.event] })

        stage.command(sequences.upperBound, Self.event)

        #expect(stage.events(sequences.lowerBound) == [])
        #expect(stage.events(sequences.lowerBound + 1) == [Self.event])
        #expect(stage.events(sequences.upperBound) == [Self.event])
        #expect(other.events(6) == [Self.event])
    }
}
