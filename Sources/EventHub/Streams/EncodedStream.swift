internal import OpenCode
import TextCoding

/// How a project's events are told where they are not copied.
package struct EncodingKind: Sendable, Hashable {
    /// How growing texts are told.
    var form: EventEncoding
    /// Whether they are told in OpenCode 1's words, whichever OpenCode has said them.
    var isOpenCode1Compatible: Bool
}

/// One form of one log's events, frame by frame: what it has made last is kept, so that everybody who reads near the end gets
/// it without its being made again.
package struct EncodedStream: Sendable {
    /// What is told: a frame, or a gap.
    package enum Step: Sendable {
        case frame(EncodedFrame, of: StoredEvent)
        case gap(EventGap)
    }

    private struct Told: Sendable {
        let step: Step
        /// The last frame's id, the step's own included.
        let id: EventID
        let size: Int
        /// The event or gap that has brought it, also what was due by its time; nil: it was told by a clock, and the next one would
        /// have.
        var bringer: EventID?
        /// The event that follows a gap.
        var follower: EventID?
    }

    /// What taking an event has brought.
    struct Brought {
        /// The gap directly before the event.
        var gap: EventGap?
        var frames: [EncodedFrame] = []
    }

    /// What of the frames is kept.
    private static let mostBytes = 4 << 20
    private static let mostSteps = 8_192

    /// What it makes.
    package let kind: EncodingKind
    /// What makes the frames: one of both.
    private var state: EncodingState
    private var translation: TranslatedEncoding?
    private var place: LogPosition
    /// What was read of the log and not taken yet.
    private var rest: ArraySlice<LogItem> = []
    /// What has to be answered before it goes on.
    package private(set) var question: TranslationQuery?
    /// The last event that was taken.
    private(set) var reached: EventID?
    private var lastEvent: StoredEvent?
    /// Everything up to this frame stands before what is kept of the frames; nil: nothing does.
    private var first: EventID?
    private var last: EventID?
    private var told: [Told] = []
    /// The event that is taken at this moment.
    private var bringer: EventID?
    private var bytes = 0
    /// What is behind this frame is read at this moment, and stays; nil: everything is.
    private var reader: EventID?
    /// The bytes of what is told behind it, as far as they were counted.
    private var ahead = 0
    /// An event of each directory: what a made frame is wrapped in.
    private var carriers: [[UInt8]: StoredEvent] = [:]

    /// A track from the log's beginning on.
    package init(_ kind: EncodingKind, _ log: EventLog) {
        self.kind = kind
        state = EncodingState(form: kind.form)
        if kind.isOpenCode1Compatible { translation = TranslatedEncoding(kind.form) }
        place = log.beginning
    }

    /// Whether the frames behind this one are at hand or can be made.
    package func reaches(behind id: EventID?) -> Bool {
        guard let first else { return true }
        return id.map { $0 >= first } ?? false
    }

    /// When something will be told that no event brings, milliseconds since 1970.
    package var deadline: UInt64? { translation.map(\.deadline) ?? state.deadline }

    /// The last frame that it has made.
    var end: EventID? { last }

    /// The steps behind this frame, of about so many bytes, and whether there are no more now; `now` in milliseconds since 1970.
    package mutating func steps(behind id: EventID?, _ log: EventLog, atMost limit: Int, now: Int64) -> (
        steps: [Step], ids: [EventID], isAtEnd: Bool
    ) {
        begin(behind: id, atMost: limit)
        var isAtEnd = false
        // More than is asked for would push out what the reader has not got yet.
        if ahead < limit { isAtEnd = advance(log, now: now, atMost: limit) }
        var steps: [Step] = []
        var ids: [EventID] = []
        var size = 0
        for told in told[firstTold(behind: id)...] {
            guard size < limit else {
                isAtEnd = false
                break
            }
            steps.append(told.step)
            ids.append(told.id)
            size += told.size
        }
        return (steps, ids, isAtEnd)
    }

    /// What taking this event has brought; nothing: it is not kept any more, or not made yet.
    mutating func frames(of event: StoredEvent, _ log: EventLog, now: Int64) -> Brought {
        while reached.map({ $0 < event.id }) ?? true {
            begin(behind: event.id.before, atMost: 1)
            guard !advance(log, now: now, atMost: ahead + 1), question == nil else { break }
        }
        // What a clock has told is the last: no event has brought it yet.
        let start = firstTold { $0.bringer.map { $0 >= event.id } ?? true }
        let own = told[start...].prefix { $0.bringer == event.id }
        var brought = Brought()
        if start > 0, told[start - 1].follower == event.id, case .gap(let gap) = told[start - 1].step {
            brought.gap = gap
        }
        brought.frames = own.compactMap { if case .frame(let frame, _) = $0.step { frame } else { nil } }
        return brought
    }

    /// What the first gap behind this event has brought: what waited there, each with the event that it is wrapped as.
    mutating func frames(endedBehind id: EventID, _ log: EventLog, now: Int64) -> [(EncodedFrame, of: StoredEvent)] {
        while gap(behind: id) == nil, reached.map({ $0 <= id }) ?? true {
            begin(behind: id, atMost: 1)
            guard !advance(log, now: now, atMost: ahead + 1), question == nil else { break }
        }
        guard let gap = gap(behind: id) else { return [] }
        return told[firstTold(behind: id)...].prefix { $0.id != gap }.compactMap {
            guard $0.bringer == gap, case .frame(let frame, let event) = $0.step else { return nil }
            return (frame, of: event)
        }
    }

    /// The first gap directly behind this event, by its place; nil: none is known.
    private func gap(behind id: EventID) -> EventID? {
        told[firstTold(behind: id)...].prefix { $0.id.isOfEvent(id) }
            .first { if case .gap = $0.step { true } else { false } }?.id
    }

    /// Counts what is told behind this frame, up to the limit; from now on nothing of it goes.
    private mutating func begin(behind id: EventID?, atMost limit: Int) {
        (reader, ahead) = (id, 0)
        for told in told[firstTold(behind: id)...] {
            ahead += told.size
            guard ahead < limit else { return }
        }
    }

    private func firstTold(behind id: EventID?) -> Int { id.map { id in firstTold { $0.id > id } } ?? 0 }

    /// The first of what was told from which on this is so; ids, and the events that bring them, rise.
    private func firstTold(where isPast: (Told) -> Bool) -> Int {
        var (low, high) = (0, told.count)
        while low < high {
            let middle = (low + high) / 2
            if isPast(told[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Takes in what was answered to its question.
    mutating func learn(_ answered: TranslationQuery, _ answer: TranslationAnswer) {
        guard question == answered else { return }
        question = nil
        guard case .event(let event)? = rest.first else { return }
        let line = event.withLine { [UInt8](copying: $0) }
        translation?.learn(answered, answer, before: line, time: UInt64(max(0, event.time)))
    }

    /// Goes on in the log to its end, until so many bytes are told behind the reader, until much was taken, or to an
    /// event that waits for an answer. True at the end.
    private mutating func advance(_ log: EventLog, now: Int64, atMost limit: Int) -> Bool {
        var taken = 0
        while taken < Self.mostBytes / 2, ahead < limit {
            guard question == nil else { return false }
            if rest.isEmpty { rest = log.next(&place, atMost: 256 * 1024)[...] }
            guard let item = rest.first else {
                // What was heard up to now is in the log by then.
                let time = UInt64(max(0, now - 20))
                tell(translation?.due(now: time) ?? state.due(now: time))
                return true
            }
            taken += take(item)
            if question != nil { return false }
            rest.removeFirst()
            // What was read is not held.
            if rest.isEmpty { rest = [] }
        }
        return false
    }

    private mutating func take(_ item: LogItem) -> Int {
        switch item {
        case .gap(let gap, _):
            tell(translation?.interrupt() ?? state.interrupt())
            let id = gapID
            keep(.gap(gap), id, 128)
            noteBringer(id)
            return 128
        case .event(let event):
            bringer = event.id
            noteBringer(event.id)
            if case .gap? = told.last?.step, told[told.count - 1].follower == nil {
                told[told.count - 1].follower = event.id
            }
            if translation == nil { tell(formed(event), event) } else { translate(event) }
            bringer = nil
            if question == nil { reached = event.id }
            return event.size
        }
    }

    /// What a clock has told before this event or gap would have come with it.
    private mutating func noteBringer(_ id: EventID) {
        for index in told.indices.reversed() {
            guard told[index].bringer == nil else { break }
            told[index].bringer = id
        }
    }

    /// The place of a gap: behind all that was taken, also for those who were told that.
    private var gapID: EventID {
        let first = EventID(generation: 0, sequence: 0)
        var id = max(last ?? first, reached ?? first)
        id.frame += 1
        return id
    }

    private mutating func formed(_ event: StoredEvent) -> [EncodedFrame] {
        let skeleton = event.skeleton
        if let directory = skeleton.directory, carriers.count < 1_000 || carriers[directory] != nil {
            carriers[directory] = event
        }
        let range = event.payload
        return event.withLine {
            state.take(
                id: event.id, time: UInt64(max(0, event.time)), skeleton: skeleton, payload: $0.extracting(range))
        }
    }

    private mutating func translate(_ event: StoredEvent) {
        let (range, skeleton) = (event.payload, event.skeleton)
        let outcome = event.withLine {
            translation?.take(
                id: event.id, time: UInt64(max(0, event.time)), skeleton: skeleton, line: $0, payload: range)
        }
        question = outcome?.question
        // Translated frames have a wrapper of their own.
        for frame in outcome?.frames ?? [] {
            keep(.frame(frame, of: lastEvent ?? event), frame.id, frame.made?.payload.count ?? 0)
        }
        lastEvent = event
    }

    private mutating func tell(_ frames: [EncodedFrame], _ event: StoredEvent? = nil) {
        for frame in frames {
            let carrier = frame.made.flatMap { $0.skeleton.directory }.flatMap { carriers[$0] } ?? event ?? lastEvent
            guard let carrier else { continue }
            keep(
                .frame(frame, of: frame.made == nil ? event ?? carrier : carrier), frame.id,
                frame.made?.payload.count ?? carrier.size)
        }
    }

    private mutating func keep(_ step: Step, _ id: EventID, _ size: Int) {
        told.append(Told(step: step, id: id, size: size, bringer: bringer))
        last = id
        bytes += size
        if reader.map({ id > $0 }) ?? true { ahead += size }
        guard bytes > Self.mostBytes || told.count > Self.mostSteps else { return }
        // The older half goes, but nothing that is being read.
        let half = min(max(1, told.count / 2), firstTold(behind: reader))
        guard half > 0 else { return }
        first = told[half - 1].id
        bytes -= told[..<half].reduce(0) { $0 + $1.size }
        told.removeFirst(half)
    }
}

/// The tracks that are kept, those that were used last.
package struct EncodedStreams: Sendable {
    private struct Kept {
        let log: ObjectIdentifier
        var track: EncodedStream
    }

    private static let most = 16
    private var kept: [Kept] = []

    /// No track yet.
    package init() {}

    /// Runs `body` on a track of this form that reaches the frames behind `id`: of several the one that has come
    /// farthest, so that who is behind keeps its own.
    mutating func withTrack<Result>(
        _ kind: EncodingKind, _ log: EventLog, behind id: EventID?, _ body: (inout EncodedStream) -> Result
    ) -> Result {
        let name = ObjectIdentifier(log)
        let start = EventID(generation: 0, sequence: 0)
        let index = kept.indices
            .filter { kept[$0].log == name && kept[$0].track.kind == kind && kept[$0].track.reaches(behind: id) }
            .max { kept[$0].track.end ?? start < kept[$1].track.end ?? start }
        var entry = index.map { kept.remove(at: $0) } ?? Kept(log: name, track: EncodedStream(kind, log))
        defer {
            kept.append(entry)
            if kept.count > Self.most { kept.removeFirst() }
        }
        return body(&entry.track)
    }

    /// What one form makes of an event when that is taken, in order.
    mutating func frames(
        _ form: EventEncoding, of event: StoredEvent, _ log: EventLog, now: Int64
    ) -> EncodedStream.Brought {
        guard form != .raw else { return EncodedStream.Brought(frames: [EncodedFrame(id: event.id)]) }
        return withTrack(EncodingKind(form: form, isOpenCode1Compatible: false), log, behind: event.id.before) {
            $0.frames(of: event, log, now: now)
        }
    }

    /// What one form tells of texts that wait when events are missing behind this one.
    mutating func frames(
        _ form: EventEncoding, endedBehind id: EventID, _ log: EventLog, now: Int64
    ) -> [(EncodedFrame, of: StoredEvent)] {
        guard form != .raw else { return [] }
        return withTrack(EncodingKind(form: form, isOpenCode1Compatible: false), log, behind: id) {
            $0.frames(endedBehind: id, log, now: now)
        }
    }

    /// Takes in what was answered to a question of this log's tracks.
    package mutating func learn(_ log: EventLog, _ question: TranslationQuery, _ answer: TranslationAnswer) {
        let name = ObjectIdentifier(log)
        for index in kept.indices where kept[index].log == name { kept[index].track.learn(question, answer) }
    }
}

extension EventID {
    /// The event before: what is due before an event may have any number behind that.
    var before: EventID {
        var before = self
        before.sequence -= min(1, before.sequence)
        return before
    }
}
