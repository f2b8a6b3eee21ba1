import EventHub
import Foundation
import OpenCode
import Testing

/// Forms of all projects' events: what each project's own stream tells, under the gateway's ids.
@Suite struct AllFormsTests {
    /// Two projects that speak at the same time.
    private struct House {
        let logs = ["one", "two"].map { EventLog.open(nil, project: $0, limits: LogLimits(bytes: 64 << 20), now: 1) }
        let index = EventIndex.open(nil, limits: LogLimits(), now: 9)
        let stories: [Story]

        init(seed: UInt64) {
            stories = (0..<2).map { RandomStory.make(accumulates: seed % 2 == 0, seed: seed * 2 + $0, count: 60) }
            for log in logs { log.beginGeneration(now: 7, after: nil) }
            var dice = Dice(state: seed)
            var rest = stories.map { $0.events[...] }
            while let project = [0, 1].filter({ !rest[$0].isEmpty }).randomElement(using: &dice),
                let event = rest[project].popFirst()
            {
                let line = Array(#"{"directory":"/a","payload":"#.utf8) + event.json + [UInt8(ascii: "}")]
                let stored = logs[project].append(
                    EventSkeleton(line: line.span, family: .one), line: line.span, time: Int64(event.time))
                _ = index.append(["one", "two"][project], stored.id, time: Int64(event.time))
            }
        }

        static func id(_ text: String) -> EventID? {
            let bytes = Array(text.utf8)
            return EventID(bytes.span)
        }

        /// What a reader gets; of each passage it takes so many bytes at once.
        func read(
            _ form: EventForm, behind id: String = "9-0", maxRate: Int? = nil, limit: Int = 700,
            taking: (Int) -> Int = { $0 }
        ) throws -> [Frame] {
            var tracks = FormTracks()
            var cursor = EventCursor(
                id == "9-0" ? .time(0) : .behind(try #require(Self.id(id))), now: index.end,
                project: "", shape: .all, isChunked: false, selector: EventSelector())
            (cursor.form, cursor.maxRate) = (form, maxRate)
            var bytes: [UInt8] = []
            for _ in 0..<100_000 {
                let passage = cursor.readAll(index, &tracks, atMost: limit, now: .max / 2) {
                    $0 == "one" ? logs[0] : logs[1]
                }
                #expect(!passage.isBroken)
                let taken = min(passage.bytes.count, max(1, taking(passage.bytes.count)))
                bytes += passage.bytes[..<taken]
                cursor.sent(taken, of: passage)
                if taken == passage.bytes.count, passage.isAtEnd { break }
            }
            return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n").filter { !$0.isEmpty }.map(
                Frame.init)
        }
    }

    private struct Frame: Equatable {
        let id: String
        let project: String
        let payload: String

        init(_ text: String) {
            let lines = text.components(separatedBy: "\n")
            id = String(lines[0].dropFirst("id: ".count))
            let data = lines.count > 1 ? String(lines[1].dropFirst("data: ".count)) : ""
            project = data.hasPrefix(#"{"project":"one""#) ? "one" : "two"
            let start = data.range(of: #","event":"#)?.upperBound ?? data.startIndex
            payload = String(data[start...].dropLast())
        }
    }

    /// A project's frames as its own stream has them, without what only a clock tells at the end.
    private func expected(_ story: Story, _ form: EventForm) -> [String] {
        story.frames(form).map { frame in
            let bytes = frame.made?.payload ?? story.events[Int(frame.id.sequence) - 1].json
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test(arguments: [EventForm.delta, .full], 0..<8) func eachProjectsFramesAreThoseOfItsOwnStream(
        form: EventForm, seed: Int
    ) throws {
        let house = House(seed: UInt64(seed))
        let frames = try house.read(form)
        for (name, story) in zip(["one", "two"], house.stories) {
            let told = frames.filter { $0.project == name }.map(\.payload)
            #expect(told == Array(expected(story, form).prefix(told.count)))
            // What waits for a clock alone is told with the project's next event.
            #expect(expected(story, form).count - told.count <= 9)
        }
        let ids = try frames.map { try #require(House.id($0.id)) }
        for (earlier, later) in zip(ids, ids.dropFirst()) { #expect(earlier < later) }
    }

    @Test(arguments: [EventForm.delta, .full], 0..<2) func aReaderGoesOnBehindAnyFrame(form: EventForm, seed: Int)
        throws
    {
        let house = House(seed: UInt64(seed) + 20)
        let frames = try house.read(form)
        for (place, frame) in frames.enumerated() {
            #expect(try house.read(form, behind: frame.id) == Array(frames[(place + 1)...]), "behind \(frame.id)")
        }
    }

    @Test(arguments: [EventForm.raw, .delta, .full]) func whateverAReaderTakesAtOnceItGetsTheSame(form: EventForm)
        throws
    {
        let house = House(seed: 40)
        let frames = try house.read(form)
        #expect(frames.count > 50)
        #expect(try house.read(form, taking: { _ in 61 }) == frames)
        #expect(try house.read(form, limit: 60_000, taking: { $0 / 3 }) == frames)
    }

    @Test func neighbouringPiecesOfOneTextMergeAndNothingElse() throws {
        let house = House(seed: 41)
        let frames = try house.read(.raw, limit: 1 << 20)
        let merged = try house.read(.raw, maxRate: 1, limit: 1 << 20)
        #expect(merged.count < frames.count && merged.count > 20)
        var rest = frames[...]
        for frame in merged {
            // Those that it stands for come before it, and are pieces; it has the last one's id.
            while let first = rest.first, first.id != frame.id {
                #expect(first.payload.contains(#""delta":"#) && first.project == frame.project)
                rest.removeFirst()
            }
            #expect(rest.popFirst()?.id == frame.id)
        }
        #expect(rest.isEmpty)
        #expect(try house.read(.raw, maxRate: 1, limit: 1 << 20, taking: { _ in 100 }).last == merged.last)
    }
}
