import EventHub
import Foundation
import OpenCode
import Testing

@Suite struct DeltaMergerTests {
    private func merged(_ story: Story, _ form: EventForm = .raw, limit: Int = 1 << 20) -> [FormedFrame] {
        var merger = DeltaMerger(limit: limit)
        var frames: [FormedFrame] = []
        for frame in story.frames(form) {
            let payload = story.payload(frame)
            frames += merger.take(frame, EventSkeleton(line: payload.span, family: .one), payload: payload.span)
        }
        return frames + merger.finish()
    }

    private func delta(_ text: String, _ part: String = "p", field: String = "text") -> Story.Event {
        Story.Event(1, #"{"id":"evt","type":"message.part.delta","properties":{"sessionID":"s","messageID":"m","partID":"\#(part)","field":"\#(field)","delta":"\#(text)"}}"#)
    }

    @Test func neighboursOfOnePartBecomeOneWithTheLastOnesID() {
        let idle = Story.Event(1, #"{ "type":"session.idle", "properties":{"sessionID":"s"}}"#)
        let story = Story(events: [
            delta("a"), delta(#"\ud83d"#), delta(#"\ude80"#), delta("x", "q"), delta("d"), idle, delta("e"),
            delta("f", field: "title"), delta("g"),
        ])
        let frames = merged(story)
        #expect(frames.map(\.id.text) == ["7-3", "7-4", "7-5", "7-6", "7-7", "7-8", "7-9"])
        #expect(story.payload(frames[0]) == delta(#"a\ud83d\ude80"#).json)
        // What is not merged is as it came.
        #expect(frames.dropFirst().allSatisfy { $0.made == nil })
    }

    @Test func whatIsAccumulatedAndOpenCode2sPiecesMergeToo() {
        func update(_ text: String, _ delta: String) -> Story.Event {
            Story.Event(1, #"{"type":"message.part.updated","properties":{"part":{"id":"p","sessionID":"s","messageID":"m","type":"text","text":"\#(text)","time":{"start":1}}\#(delta)}}"#)
        }
        let first = Story(events: [update("a", #","delta":"a""#), update("ab", #","delta":"b""#), update("ab", "")])
        let frames = merged(first)
        #expect(frames.map(\.id.text) == ["7-2", "7-3"])
        #expect(first.payload(frames[0]) == update("ab", #","delta":"ab""#).json)

        func piece(_ text: String, _ ordinal: Int, _ kind: String = "text") -> Story.Event {
            Story.Event(1, #"{"id":"e\#(text)","created":1,"type":"session.\#(kind).delta","location":{"directory":"/a"},"data":{"sessionID":"s","assistantMessageID":"m","ordinal":\#(ordinal),"delta":"\#(text)"}}"#)
        }
        let second = Story(events: [piece("a", 0), piece("b", 0), piece("c", 1), piece("d", 1, "reasoning")])
        var merger = DeltaMerger()
        var told: [FormedFrame] = []
        for frame in second.frames(.raw) {
            let payload = second.payload(frame)
            told += merger.take(frame, EventSkeleton(line: payload.span, family: .two), payload: payload.span)
        }
        told += merger.finish()
        #expect(told.map(\.id.text) == ["7-2", "7-3", "7-4"])
        #expect(
            second.payload(told[0]).elementsEqual(
                String(decoding: piece("b", 0).json, as: UTF8.self).replacing(#""delta":"b""#, with: #""delta":"ab""#).utf8))
    }

    @Test(arguments: FormTests.Turn.all)
    func aRecordedTurnThatIsMergedYieldsTheSameFinalParts(turn: FormTests.Turn) throws {
        let story = try turn.story()
        for form in EventForm.allCases {
            let frames = merged(story, form)
            #expect(frames.count < story.frames(form).count)
            #expect(try Client.parts(story, frames) == Client.parts(story, story.frames(.raw)))
            for (earlier, later) in zip(frames, frames.dropFirst()) { #expect(earlier.id < later.id) }
        }
    }

    @Test func aRunIsBounded() {
        let story = Story(events: (0..<10).map { _ in delta("0123456789") })
        #expect(merged(story, limit: 30).map(\.id.text) == ["7-3", "7-6", "7-9", "7-10"])
    }
}
