// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import OpenCodeFamilies
import Testing

/// Tests that the frames of an encoding depend only on the events and their times, and that a client can resume after
/// any frame.
@Suite struct EncodingResumeTests {
    @Test(arguments: EncodingTests.Turn.all)
    func `a timer or the next event yields the same frames of a recorded turn`(turn: EncodingTests.Turn) throws {
        checkTimers(try turn.story(), seed: 1)
    }

    @Test(arguments: [true, false], 0..<20)
    func `a timer or the next event yields the same frames of a generated turn`(accumulates: Bool, seed: Int) {
        checkTimers(RandomStory.make(accumulates: accumulates, seed: UInt64(seed)), seed: UInt64(seed))
    }

    private func checkTimers(_ story: Story, seed: UInt64) {
        var dice = Dice(state: seed)
        let end = (story.events.last?.time ?? 0) + 1
        for encoding in EventEncoding.allCases {
            let frames = story.frames(encoding)
            for count in [10, 1_000] {
                let timers = (0..<count).map { _ in UInt64.random(in: Story.start...end, using: &dice) }
                #expect(story.frames(encoding, timers: timers) == frames)
            }
            for (earlier, later) in zip(frames, frames.dropFirst()) { #expect(earlier.id < later.id) }
        }
    }

    @Test(arguments: EncodingTests.Turn.all)
    func `a client can resume after any frame of a recorded turn`(turn: EncodingTests.Turn) throws {
        checkResuming(try turn.story())
    }

    @Test(arguments: [true, false], 0..<8)
    func `a client can resume after any frame of a generated turn`(accumulates: Bool, seed: Int) {
        checkResuming(RandomStory.make(accumulates: accumulates, seed: UInt64(seed) + 100))
    }

    private func checkResuming(_ story: Story) {
        let beginnings = story.beginnings()
        for encoding in [EventEncoding.delta, .full] {
            let frames = story.frames(encoding)
            for (earlier, later) in zip(frames, frames.dropFirst()) { #expect(earlier.id < later.id) }
            var rebuilt: (beginning: Int, frames: [EncodedFrame])?
            for (index, frame) in frames.enumerated() {
                let beginning = beginnings[Int(frame.id.sequence) - 1]
                // A state that was rebuilt from the same event makes the same frames. Ids increase, so frames that are
                // right for one client are right for every client that stopped later.
                guard rebuilt?.beginning != beginning else { continue }
                let made = story.frames(encoding, from: beginning)
                rebuilt = (beginning, made)
                #expect(made.filter { $0.id > frame.id } == Array(frames[(index + 1)...]), "after \(frame.id.text)")
            }
        }
    }

    @Test(arguments: EncodingTests.Turn.all)
    func `a recorded part whose beginning is unknown is never sent as whole text`(turn: EncodingTests.Turn) throws {
        try checkJoining(try turn.story())
    }

    @Test(arguments: 0..<10)
    func `a generated part whose beginning is unknown is never sent as whole text`(seed: Int) throws {
        try checkJoining(RandomStory.make(accumulates: false, seed: UInt64(seed) + 50))
    }

    private func checkJoining(_ story: Story) throws {
        for first in stride(from: 0, to: story.events.count, by: 3) {
            // These are the parts with an event that contains the whole text.
            let begun = Set(story.events[first...].filter { isWhole($0) }.compactMap(\.skeleton.part))
            for frame in story.frames(.full, from: first) {
                guard let made = frame.made else { continue }
                #expect(begun.contains(made.skeleton.part ?? []))
            }
        }
    }

    private func isWhole(_ event: Story.Event) -> Bool {
        let json = event.json
        return PartText(event.skeleton, payload: json.span)?.part != nil
    }

    @Test func `another generation or a gap sends the pending text and clears it`() {
        let story = RandomStory.make(accumulates: false, seed: 5)

        for way in 0..<2 {
            var state = EncodingState(encoding: .full)
            var index = 0
            // Continue until a delta is pending.
            while state.deadline == nil, index < story.events.count {
                _ = story.apply(index, &state)
                index += 1
            }
            let waits = state.deadline != nil
            #expect(waits)
            if way == 0 {
                #expect(!state.interrupt().isEmpty)
            } else {
                let event = Story.Event(story.events[index].time, #"{"type":"file.edited","properties":{}}"#)
                let frames = state.encode(
                    id: EventID(generation: 8, sequence: 1), time: event.time, skeleton: event.skeleton,
                    payload: event.json.span)
                #expect(frames.last?.id.text == "8-1")
                #expect(frames.count > 1)
                #expect(frames.dropLast().allSatisfy { $0.id.generation == 7 && $0.made != nil })
            }
            #expect(state.deadline == nil)
        }
    }

    @Test func `a session is followed from its first status until its deletion or another generation`() {
        var turns = TurnBeginnings()
        func append(_ sequence: UInt64, _ json: String, generation: UInt64 = 1) {
            let bytes = Array(json.utf8)
            turns.record(
                id: EventID(generation: generation, sequence: sequence),
                skeleton: EventSkeleton(line: bytes.span, family: .one), payload: bytes.span)
        }
        func status(_ session: String, _ kind: String) -> String {
            #"{"type":"session.status","properties":{"sessionID":"\#(session)","status":{"type":"\#(kind)"}}}"#
        }
        append(1, #"{"type":"session.updated","properties":{"info":{"id":"a"}}}"#)

        #expect(!turns.isFollowed(Array("a".utf8)))
        #expect(turns.first == nil)

        append(2, status("a", "busy"))
        append(3, status("b", "busy"))

        #expect(turns.first?.text == "1-2")

        append(4, status("a", "retry"))

        #expect(turns.first?.text == "1-3")

        append(5, status("b", "idle"))

        #expect(turns.first?.text == "1-4")
        #expect(turns.isFollowed(Array("b".utf8)))

        append(6, #"{"type":"session.deleted","properties":{"info":{"id":"a"}}}"#)

        #expect(turns.first == nil)
        #expect(!turns.isFollowed(Array("a".utf8)))

        append(1, status("a", "busy"), generation: 2)

        #expect(turns.first?.text == "2-1")
        #expect(!turns.isFollowed(Array("b".utf8)))
    }
}
