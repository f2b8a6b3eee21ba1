// SPDX-License-Identifier: Apache-2.0

import EventHub
import Foundation
import OpenCodeFamilies
import Testing

/// Tests of the frames that the encodings make of recorded turns and of generated turns.
@Suite struct EncodingTests {
    struct Turn: CustomTestStringConvertible, Sendable {
        let version: String
        let name: String
        var testDescription: String { "\(version) \(name)" }

        static let all = Story.versions.flatMap { version in
            ["think", "subagent"].map { Turn(version: version, name: $0) }
        }

        func story() throws -> Story { try Story.recorded(version, name) }
    }

    private func text(_ payload: [UInt8]) -> String { String(decoding: payload, as: UTF8.self) }

    // MARK: The same parts

    @Test(arguments: Turn.all)
    func `each encoding of a recorded turn yields the same final parts`(turn: Turn) throws {
        try checkParts(try turn.story())
    }

    @Test(arguments: [true, false], 0..<20)
    func `each encoding of a generated turn yields the same final parts`(accumulates: Bool, seed: Int) throws {
        // Half of a surrogate pair is text only for a client that joins the halves.
        var story = RandomStory.make(accumulates: accumulates, seed: UInt64(seed))
        for index in story.events.indices {
            let whole = text(story.events[index].json).replacing(#"\ud83d"#, with: "<").replacing(#"\ude80"#, with: ">")
            story.events[index] = Story.Event(story.events[index].time, whole)
        }

        try checkParts(story)
    }

    @Test(arguments: Story.versions)
    func `each encoding of every recording yields the same final parts`(version: String) throws {
        for story in try Story.recordings(version) { try checkParts(story, least: 0) }
    }

    private func checkParts(_ story: Story, least: Int = 4) throws {
        let raw = try Client.parts(story, story.frames(.raw))
        #expect(raw.count >= least)
        #expect(story.frames(.raw).allSatisfy { $0.made == nil })
        #expect(try Client.parts(story, story.frames(.delta)) == raw)
        // A client of 1.0 does not support deltas.
        #expect(try Client.parts(story, story.frames(.full), knowsDeltas: false) == raw)
    }

    @Test(arguments: [true, false])
    func `both halves of a surrogate pair are sent in one frame`(accumulates: Bool) {
        let story = RandomStory.make(accumulates: accumulates, seed: 3, count: 2_000)
        for encoding in [EventEncoding.delta, .full] {
            for frame in story.frames(encoding) {
                // Half of a surrogate pair alone is not text, but the characters around it are valid JSON.
                let json = text(story.payload(frame)).replacing(#"\ud83d"#, with: "").replacing(#"\ude80"#, with: "")
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
            }
        }
        let emitted = story.frames(.full).compactMap(\.made).map { text($0.payload) }

        #expect(emitted.contains { $0.contains(#"\ud83d\ude80"#) })
    }

    // MARK: delta

    @Test func `the delta encoding sends 1.1.11's accumulated text as 1.2.27's deltas`() throws {
        let story = try Story.recorded("1.1.11", "think")
        let made = story.frames(.delta).filter { $0.made != nil }

        #expect(
            text(story.payload(made[0])) == #"""
                {"type":"message.part.updated","properties":{"part":{"id":"prt_1fbf25055001D2Lpct9KOlrLLZ",\#
                "sessionID":"ses_e040dafe0ffefFDgdllfMF2cXx","messageID":"msg_1fbf25027001LAhU4cXeRxrJd6",\#
                "type":"reasoning","text":"","time":{"start":1795228323925}}}}
                """#)
        #expect(
            text(story.payload(made[1])) == #"""
                {"type":"message.part.delta","properties":{"sessionID":"ses_e040dafe0ffefFDgdllfMF2cXx",\#
                "messageID":"msg_1fbf25027001LAhU4cXeRxrJd6","partID":"prt_1fbf25055001D2Lpct9KOlrLLZ",\#
                "field":"text","delta":"First "}}
                """#)
        #expect(made[0].id.frame == 1)
        #expect(made[1].id.frame == 2)
        #expect(made[0].id.sequence == made[1].id.sequence)
        #expect(made[1].made?.skeleton.type == Array("message.part.delta".utf8))
        #expect(made[1].made?.skeleton.part == Array("prt_1fbf25055001D2Lpct9KOlrLLZ".utf8))
        #expect(made[2].id.frame == 1)

        // These are the kinds of events that 1.2.27 sends for the same answer, in the same order.
        let other = try Story.recorded("1.2.27", "think")
        func kinds(_ story: Story, _ frames: [EncodedFrame]) -> [String] {
            frames.map { EventSkeleton(line: story.payload($0).span, family: .one) }.filter { $0.part != nil }
                .map { text($0.type) }
        }

        #expect(kinds(story, story.frames(.delta)) == kinds(other, other.frames(.raw)))
        #expect(other.frames(.delta) == other.frames(.raw))
    }

    /// Returns an answer of 10.3 KB in 2,000 deltas, each in the form of 1.1.11, with the recorded times.
    private func longAnswer() -> Story {
        var story = Story()
        var answer = ""
        for number in 0..<2_000 {
            let fragment = ["line ", "at ", "bytes ", "parser ", "it "][number % 5]
            answer += fragment
            let json = #"""
                {"type":"message.part.updated","properties":{"part":{"id":"prt_1fbf25055001D2Lpct9KOlrLLZ",\#
                "sessionID":"ses_e040dafe0ffefFDgdllfMF2cXx","messageID":"msg_1fbf25027001LAhU4cXeRxrJd6",\#
                "type":"text","text":"\#(answer)","time":{"start":1795228323925}},"delta":"\#(fragment)"}}
                """#
            story.events.append(Story.Event(Story.start + UInt64(number), json))
        }
        return story
    }

    @Test func `a long answer of 1.1.11 is small in the delta and full encodings`() throws {
        let story = longAnswer()

        #expect(story.size(story.frames(.raw)) > 10_000_000)

        let delta = story.frames(.delta)

        // This includes the lines around each event, such as the id.
        #expect(story.size(delta) + delta.count * 45 < 550_000)

        let full = story.frames(.full)

        #expect(full.count == 21)
        #expect(story.size(full) < 150_000)
    }

    // MARK: full

    @Test func `the full encoding sends 1.2.27's deltas as 1.1.11's accumulated text`() throws {
        let story = try Story.recorded("1.2.27", "think")
        let made = story.frames(.full).compactMap(\.made)

        #expect(
            text(made[0].payload) == #"""
                {"type":"message.part.updated","properties":{"part":{"id":"prt_1fbf5c21e001hlEGU06DSKuyCr",\#
                "sessionID":"ses_e040a3e1dffe9VSQj8LxTC2ZRZ","messageID":"msg_1fbf5c1ec001Xrwn6sLcNUj0As",\#
                "type":"reasoning","text":"First ","time":{"start":1795228549662}},"delta":"First "}}
                """#)

        // The added text is the part that the previous frame did not have.
        var texts: [String: String] = [:]
        for frame in made {
            let event = try #require(try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any])
            let properties = try #require(event["properties"] as? [String: Any])
            let part = try #require(properties["part"] as? [String: Any])
            let id = try #require(part["id"] as? String)
            let whole = try #require(part["text"] as? String)
            #expect(whole == texts[id, default: ""] + (properties["delta"] as? String ?? "none"))
            texts[id] = whole
        }

        #expect(texts.count == 2)
    }

    @Test(arguments: Turn.all)
    func `the full encoding sends a part at most ten times per second`(turn: Turn) throws {
        let story = try turn.story()
        let frames = story.frames(.full)
        var last: [[UInt8]: UInt64] = [:]
        for frame in frames {
            // Each frame is sent when the last event before it is recorded, or later.
            let time = story.events[Int(frame.id.sequence) - 1].time
            guard let made = frame.made else {
                // An event between the deltas causes the pending frames.
                last = [:]
                continue
            }
            let part = try #require(made.skeleton.part)
            if let last = last[part] { #expect(time >= last + 100 || frame.id.frame > 0) }
            last[part] = time
        }
        let seconds = Double((story.events.last?.time ?? 0) - Story.start) / 1_000
        let others = frames.filter { $0.made == nil }.count
        let parts = Set(frames.compactMap { $0.made?.skeleton.part }).count

        #expect(Double(frames.count - others) <= seconds * 10 + Double(parts + others))
    }

    @Test func `the first delta is sent at once, and later deltas are sent when due or before another event`() {
        let idle = Story.Event(270, #"{"type":"session.idle","properties":{"sessionID":"s"}}"#)
        let story = Story(events: [
            .update(0, ""), .update(0, "", part: "q", session: "t"), .delta(10, "a"), .delta(20, "b"),
            .delta(30, "x", part: "q", session: "t"), .delta(50, "c"), .delta(120, "d"), .delta(150, "e"), idle,
            .delta(280, "f"),
        ])
        var state = EncodingState(encoding: .full)

        #expect(state.deadline == nil)
        #expect(story.apply(0, &state).map(\.id.text) == ["7-1"])
        #expect(story.apply(1, &state).map(\.id.text) == ["7-2"])
        #expect(story.apply(2, &state).map(\.id.text) == ["7-3.1"])
        #expect(story.apply(3, &state) == [])
        #expect(state.deadline == 110)
        #expect(story.apply(4, &state).map(\.id.text) == ["7-5.1"])
        #expect(story.apply(5, &state) == [])
        #expect(state.due(now: 109) == [])

        // The frame is due at 110. Ids increase, although the other session was active in the meantime.
        let due = state.due(now: 110)

        #expect(due.map(\.id.text) == ["7-6.1"])
        #expect(due.first?.made?.payload == Story.Event.update(0, "abc", delta: "bc").json)
        #expect(story.apply(6, &state) == [])
        #expect(state.deadline == 210)
        #expect(story.apply(7, &state) == [])

        // No call was made at 210, so the frame that was due then comes first.
        let last = story.apply(8, &state)

        #expect(last.map(\.id.text) == ["7-8.1", "7-9"])
        #expect(last[0].made.map { text($0.payload) }?.contains(#""text":"abcde""#) == true)
        // The turn has ended, so this event belongs to a part that is no longer known.
        #expect(story.apply(9, &state).map(\.id.text) == ["7-10"])
        #expect(state.deadline == nil)
    }

    // MARK: Bounds

    @Test func `a part beyond the memory limit is forwarded unchanged`() {
        let fragment = String(repeating: "x", count: 1 << 20)
        let story = Story(events: [.update(1, "")] + (1...6).map { .delta($0 * 1_000, fragment) })

        #expect(story.frames(.full).map { $0.made != nil } == [false, true, true, false, false, false, false])
    }

    @Test func `the least recently updated parts are forgotten first`() {
        let story = Story(
            events: (0..<300).map { .update(1, "", part: "p\($0)") }
                + [0, 43, 44, 299].map { .delta(2, "x", part: "p\($0)") })

        #expect(story.frames(.full).suffix(4).map { $0.made != nil } == [false, false, true, true])
    }

    // MARK: OpenCode 2

    @Test func `OpenCode 2's events are forwarded unchanged in each encoding`() {
        let story = Story(events: [.second("a", 0), .second("b", 0), .second("c", 1, "reasoning")])
        for encoding in EventEncoding.allCases { #expect(story.frames(encoding) == story.frames(.raw)) }
    }
}
