// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import OpenCodeFamilies
import Testing

@Suite struct DeltaMergerTests {
    private func merged(_ story: Story, _ encoding: EventEncoding = .raw, limit: Int = 1 << 20) -> [EncodedFrame] {
        var merger = DeltaMerger(limit: limit)
        var frames: [EncodedFrame] = []
        for frame in story.frames(encoding) {
            let payload = story.payload(frame)
            frames += merger.merge(frame, EventSkeleton(line: payload.span, family: .one), payload: payload.span)
        }
        return frames + merger.finish()
    }

    @Test func `consecutive deltas of one part merge into one with the id of the last`() {
        let idle = Story.Event(1, #"{ "type":"session.idle", "properties":{"sessionID":"s"}}"#)
        let story = Story(events: [
            .delta(1, "a"), .delta(1, #"\ud83d"#), .delta(1, #"\ude80"#), .delta(1, "x", part: "q"), .delta(1, "d"),
            idle,
            .delta(1, "e"), .delta(1, "f", field: "title"), .delta(1, "g"),
        ])
        let frames = merged(story)

        #expect(frames.map(\.id.text) == ["7-3", "7-4", "7-5", "7-6", "7-7", "7-8", "7-9"])
        #expect(story.payload(frames[0]) == Story.Event.delta(1, #"a\ud83d\ude80"#).json)
        // Frames that are not merged are unchanged.
        #expect(frames.dropFirst().allSatisfy { $0.made == nil })
    }

    @Test func `accumulated texts and OpenCode 2's deltas merge, too`() {
        let first = Story(events: [.update(1, "a", delta: "a"), .update(1, "ab", delta: "b"), .update(1, "ab")])
        let frames = merged(first)

        #expect(frames.map(\.id.text) == ["7-2", "7-3"])
        #expect(first.payload(frames[0]) == Story.Event.update(1, "ab", delta: "ab").json)

        let second = Story(events: [.second("a", 0), .second("b", 0), .second("c", 1), .second("d", 1, "reasoning")])
        var merger = DeltaMerger()
        var emitted: [EncodedFrame] = []
        for frame in second.frames(.raw) {
            let payload = second.payload(frame)
            emitted += merger.merge(frame, EventSkeleton(line: payload.span, family: .two), payload: payload.span)
        }
        emitted += merger.finish()

        #expect(emitted.map(\.id.text) == ["7-2", "7-3", "7-4"])
        #expect(second.payload(emitted[0]) == Story.Event.second("ab", 0).json)
    }

    @Test(arguments: EncodingTests.Turn.all)
    func `a merged recorded turn yields the same final parts`(turn: EncodingTests.Turn) throws {
        let story = try turn.story()

        for encoding in EventEncoding.allCases {
            let frames = merged(story, encoding)
            #expect(frames.count < story.frames(encoding).count)
            #expect(try Client.parts(story, frames) == Client.parts(story, story.frames(.raw)))
            for (earlier, later) in zip(frames, frames.dropFirst()) { #expect(earlier.id < later.id) }
        }
    }

    @Test func `merged deltas are limited in size`() {
        let story = Story(events: (0..<10).map { _ in .delta(1, "0123456789") })

        #expect(merged(story, limit: 30).map(\.id.text) == ["7-3", "7-6", "7-9", "7-10"])
    }
}
