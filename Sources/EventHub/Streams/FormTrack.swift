internal import OpenCode

/// One form of one log's events, frame by frame: what it has made last is kept, so that everybody who reads near the end gets
/// it without its being made again.
package struct FormTrack: Sendable {
    /// What is told: a frame, or a gap.
    package enum Step: Sendable {
        case frame(FormedFrame, of: StoredEvent)
        case gap(EventGap)
    }

    private struct Told: Sendable {
        let step: Step
        /// The last frame's id, the step's own included.
        let id: EventID
        let size: Int
    }

    /// What of the frames is kept.
    private static let mostBytes = 4 << 20
    private static let mostSteps = 8_192

    /// Which form it makes.
    package let form: EventForm
    private var state: FormState
    private var place: LogPlace
    /// Everything up to this frame stands before what is kept of the frames; nil: nothing does.
    private var first: EventID?
    private var last: EventID?
    private var told: [Told] = []
    private var bytes = 0
    /// An event of each directory: what a made frame is wrapped in.
    private var carriers: [[UInt8]: StoredEvent] = [:]

    /// A track from the log's beginning on.
    package init(_ form: EventForm, _ log: EventLog) {
        self.form = form
        state = FormState(form: form)
        place = log.beginning
    }

    /// Whether the frames behind this one are at hand or can be made.
    package func reaches(behind id: EventID?) -> Bool {
        guard let first else { return true }
        return id.map { $0 >= first } ?? false
    }

    /// When something will be told that no event brings, milliseconds since 1970.
    package var deadline: UInt64? { state.deadline }

    /// The steps behind this frame, of about so many bytes, and whether there are no more now; `now` in milliseconds since 1970.
    package mutating func steps(behind id: EventID?, _ log: EventLog, atMost limit: Int, now: Int64) -> (
        steps: [Step], ids: [EventID], isAtEnd: Bool
    ) {
        var isAtEnd = advance(log, now: now)
        var start = told.count
        while start > 0, id.map({ told[start - 1].id > $0 }) ?? true { start -= 1 }
        var steps: [Step] = []
        var ids: [EventID] = []
        var size = 0
        for told in told[start...] {
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

    /// Goes on in the log to its end, or until much has been made.
    private mutating func advance(_ log: EventLog, now: Int64) -> Bool {
        var made = 0
        while made < Self.mostBytes / 2 {
            let items = log.next(&place, atMost: 256 * 1024)
            guard !items.isEmpty else {
                // What was heard up to now is in the log by then.
                tell(state.due(now: UInt64(max(0, now - 20))))
                return true
            }
            for item in items { made += take(item) }
        }
        return false
    }

    private mutating func take(_ item: LogItem) -> Int {
        switch item {
        case .gap(let gap, _):
            tell(state.interrupt())
            keep(.gap(gap), last ?? EventID(generation: 0, sequence: 0), 128)
            return 128
        case .event(let event):
            let skeleton = event.skeleton
            if let directory = skeleton.directory, carriers.count < 1_000 || carriers[directory] != nil {
                carriers[directory] = event
            }
            let range = event.payload
            let frames = event.withLine {
                state.take(
                    id: event.id, time: UInt64(max(0, event.time)), skeleton: skeleton, payload: $0.extracting(range))
            }
            tell(frames, event)
            return event.size
        }
    }

    private mutating func tell(_ frames: [FormedFrame], _ event: StoredEvent? = nil) {
        for frame in frames {
            let carrier = frame.made.flatMap { $0.skeleton.directory }.flatMap { carriers[$0] } ?? event
            guard let carrier else { continue }
            keep(
                .frame(frame, of: frame.made == nil ? event ?? carrier : carrier), frame.id,
                frame.made?.payload.count ?? carrier.size)
        }
    }

    private mutating func keep(_ step: Step, _ id: EventID, _ size: Int) {
        told.append(Told(step: step, id: id, size: size))
        last = id
        bytes += size
        guard bytes > Self.mostBytes || told.count > Self.mostSteps else { return }
        // The older half goes.
        let half = max(1, told.count / 2)
        first = told[half - 1].id
        bytes -= told[..<half].reduce(0) { $0 + $1.size }
        told.removeFirst(half)
    }
}

/// The tracks that are kept, those that were used last.
package struct FormTracks: Sendable {
    private struct Kept {
        let log: ObjectIdentifier
        var track: FormTrack
    }

    private static let most = 16
    private var kept: [Kept] = []

    /// No track yet.
    package init() {}

    /// Runs `body` on a track of this form that reaches the frames behind `id`.
    mutating func withTrack<Result>(
        _ form: EventForm, _ log: EventLog, behind id: EventID?, _ body: (inout FormTrack) -> Result
    ) -> Result {
        let name = ObjectIdentifier(log)
        let index = kept.firstIndex { $0.log == name && $0.track.form == form && $0.track.reaches(behind: id) }
        var entry = index.map { kept.remove(at: $0) } ?? Kept(log: name, track: FormTrack(form, log))
        defer {
            kept.append(entry)
            if kept.count > Self.most { kept.removeFirst() }
        }
        return body(&entry.track)
    }
}
