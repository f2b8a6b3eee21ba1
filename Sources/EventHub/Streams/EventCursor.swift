import OpenCode

/// Where a client stands in what one instance has said, and what it wants of it. A value that travels between the client's loop
/// and the thread that reads logs; beside this nothing is kept for a client, however far behind it is.
package struct EventCursor: Sendable {
    /// Where it begins.
    package enum Start: Sendable, Equatable {
        /// With what is said from now on.
        case now
        /// Behind this event, or this frame of one.
        case behind(EventID)
        /// With what was said from then on, milliseconds since 1970.
        case time(Int64)
        /// Behind something that is no id: from now on, and the client is told.
        case unknown
    }

    /// What of the frame at hand has not been sent.
    package enum Remainder: Sendable {
        case nothing
        /// These bytes.
        case bytes([UInt8])
        /// The event's frame without its first bytes: it is made again.
        case event(StoredEvent, sent: Int)
        /// The next frame, of this size, without its first bytes: likewise.
        case again(sent: Int, size: Int)
    }

    /// Bytes of a frame that are kept rather than made again.
    static let shortest = 2_048

    package let project: String
    package let shape: EventShape
    package let isChunked: Bool
    package var selector: EventSelector
    /// The form of growing texts.
    package var form = EventForm.raw
    /// How often it may be told of a growing text in a second; nil: as often as the instance says something. Then neighbouring
    /// pieces are merged.
    package var maxRate: Int?
    /// The last frame that was told, where a form makes them.
    private(set) var told: EventID?
    /// The last event that is told, where the stream ends with one.
    package var until: EventID?
    private var start: Start
    private var position: LogPlace
    private var remainder = Remainder.nothing
    /// A gap that is told first.
    private var gap: EventGap?

    /// A place; `now` is where everything stands before that the instance has said so far.
    package init(
        _ start: Start, now: LogPlace, project: String, shape: EventShape, isChunked: Bool, selector: EventSelector
    ) {
        self.project = project
        self.shape = shape
        self.isChunked = isChunked
        self.selector = selector
        self.start = start
        position = now
    }

    /// The place behind everything that was taken.
    package var place: LogPlace { position }

    /// The last event before that.
    package var last: EventID? { isFormed ? told : position.last }

    /// Whether frames are made for it rather than copied.
    package var isFormed: Bool { form != .raw || maxRate != nil }

    /// Whether everything up to its place was sent, so that it may go on with what comes now.
    package var isSettled: Bool {
        guard case .nothing = remainder, start == .now, gap == nil else { return false }
        return true
    }

    /// Whether the last event that is to be told was.
    package var isFinished: Bool {
        guard let until, let last, isSettled else { return false }
        return last >= until
    }

    // MARK: Reading

    /// The next bytes for the client, about `limit` of them; `connected` is the frame that OpenCode's clients get behind a gap.
    package mutating func read(_ log: EventLog, atMost limit: Int, connected: [UInt8]) -> EventPassage {
        find(in: log)
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventPassage()
        switch remainder {
        case .nothing: break
        case .bytes(let bytes): writer.writeRaw(bytes)
        case .again: break
        case .event(let event, let sent):
            var again = FrameWriter(shape, isChunked: isChunked)
            again.write(event)
            writer.writeRaw(Array(again.bytes.dropFirst(sent)))
        }
        if case .nothing = remainder {} else { passage.note(writer.bytes.count, position, nil) }
        if let gap {
            writer.write(gap, project: project, connected: connected)
            passage.note(writer.bytes.count, position, nil)
        }
        var place = position
        passage.isAtEnd = false
        while writer.bytes.count < limit, !isPast(place) {
            let items = log.next(&place, atMost: limit - writer.bytes.count)
            guard !items.isEmpty else {
                passage.isAtEnd = true
                break
            }
            add(items, upTo: place, to: &writer, &passage, connected)
        }
        passage.end = place
        passage.bytes = writer.bytes
        return passage
    }

    /// The bytes for items that are there already, beginning at its place.
    package mutating func write(_ items: [LogItem], upTo place: LogPlace, connected: [UInt8]) -> EventPassage {
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventPassage()
        add(items, upTo: place, to: &writer, &passage, connected)
        passage.isAtEnd = true
        passage.end = place
        passage.bytes = writer.bytes
        return passage
    }

    private mutating func add(
        _ items: [LogItem], upTo place: LogPlace, to writer: inout FrameWriter, _ passage: inout EventPassage,
        _ connected: [UInt8]
    ) {
        for item in items {
            switch item {
            case .event(let event):
                if let until, event.id > until { return }
                guard selector.admits(event) else { continue }
                writer.write(event)
                passage.note(writer.bytes.count, event.behind, event)
            case .gap(let gap, _):
                writer.write(gap, project: project, connected: connected)
                passage.note(writer.bytes.count, item.behind, nil)
            }
        }
    }

    private func isPast(_ place: LogPlace) -> Bool {
        guard let until, let last = place.last else { return false }
        return last >= until
    }

    /// Finds the place where it begins.
    private mutating func find(in log: EventLog) {
        defer { start = .now }
        switch start {
        case .now: if told == nil { told = position.last }
        case .behind(let id):
            take(log.place(behind: id))
            // Frames that were made of an event stand behind the event itself.
            if case .none = gap { told = id } else { told = position.last }
        case .time(let time):
            take(log.place(since: time))
            told = position.last
        case .unknown:
            told = position.last
            gap = EventGap(.unknownID, from: nil, to: nil)
        }
    }

    private mutating func take(_ search: LogSearch) {
        switch search {
        case .place(let place): position = place
        case .gap(let found, let place):
            gap = found
            position = place
        }
    }

    /// As ``read(_:atMost:connected:)``, of frames that are made.
    package mutating func readFormed(
        _ log: EventLog, _ tracks: inout FormTracks, atMost limit: Int, connected: [UInt8], now: Int64
    ) -> EventPassage {
        find(in: log)
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventPassage()
        if case .bytes(let bytes) = remainder {
            writer.writeRaw(bytes)
            passage.note(bytes.count, nil, nil, told: told)
        }
        if let gap {
            writer.write(gap, project: project, connected: connected)
            passage.note(writer.bytes.count, nil, nil, told: told)
        }
        let behind = told
        let (steps, ids, isAtEnd, deadline) = tracks.withTrack(form, log, behind: behind) { track in
            let (steps, ids, isAtEnd) = track.steps(behind: behind, log, atMost: limit, now: now)
            return (steps, ids, isAtEnd, track.deadline)
        }
        var merger = DeltaMerger()
        var events: [EventID: StoredEvent] = [:]
        for (step, id) in zip(steps, ids) {
            switch step {
            case .gap(let gap):
                for frame in merger.finish() { write(frame, events, &writer, &passage) }
                writer.write(gap, project: project, connected: connected)
                passage.note(writer.bytes.count, nil, nil, told: id)
            case .frame(let frame, let event):
                if let until, frame.id.sequence > until.sequence, frame.id.generation == until.generation { break }
                let skeleton = frame.made?.skeleton ?? event.skeleton
                guard selector.admits(skeleton) else { continue }
                events[frame.id] = event
                guard maxRate != nil else {
                    write(frame, events, &writer, &passage)
                    continue
                }
                let range = event.payload
                let ready =
                    frame.made.map { merger.take(frame, skeleton, payload: $0.payload.span) }
                    ?? event.withLine { merger.take(frame, skeleton, payload: $0.extracting(range)) }
                for frame in ready { write(frame, events, &writer, &passage) }
            }
        }
        for frame in merger.finish() { write(frame, events, &writer, &passage) }
        passage.isAtEnd = isAtEnd
        passage.told = ids.last ?? told
        passage.deadline = isAtEnd ? deadline.map { Int64($0) + 21 } : nil
        passage.bytes = writer.bytes
        if case .again(let sent, let size) = remainder { passage.dropSent(sent, size: size) }
        return passage
    }

    private func write(
        _ frame: FormedFrame, _ events: [EventID: StoredEvent], _ writer: inout FrameWriter, _ passage: inout EventPassage
    ) {
        guard let event = events[frame.id] else { return }
        if let made = frame.made { writer.write(frame.id, made.payload, of: event) } else { writer.write(event) }
        passage.note(writer.bytes.count, nil, nil, told: frame.id, isMadeAgain: maxRate == nil)
    }

    // MARK: All projects

    /// As ``read(_:atMost:connected:)``, of all projects' events in the order of the index; `log`: a project's.
    package mutating func readAll(_ index: EventIndex, atMost limit: Int, log: (String) -> EventLog?) -> EventPassage {
        switch start {
        case .now: break
        case .behind(let id): take(index.place(behind: id))
        case .time(let time): take(index.place(since: time))
        case .unknown: gap = EventGap(.unknownID, from: nil, to: nil)
        }
        start = .now
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventPassage()
        if case .bytes(let bytes) = remainder {
            writer.writeRaw(bytes)
            passage.note(bytes.count, position, nil)
        }
        if let gap {
            writer.write(gap, project: nil, connected: [])
            passage.note(writer.bytes.count, position, nil)
        }
        var place = position
        var places: [String: LogPlace] = [:]
        while writer.bytes.count < limit {
            let steps = index.steps(&place, atMost: 4_096)
            guard !steps.isEmpty else {
                passage.isAtEnd = true
                break
            }
            for step in steps {
                write(step.item, &writer, &places, log)
                passage.note(writer.bytes.count, step.behind, nil, isMadeAgain: true)
            }
        }
        passage.end = place
        passage.bytes = writer.bytes
        if case .again(let sent, let size) = remainder { passage.dropSent(sent, size: size) }
        return passage
    }

    private mutating func write(
        _ item: EventIndex.Item, _ writer: inout FrameWriter, _ places: inout [String: LogPlace],
        _ log: (String) -> EventLog?
    ) {
        switch item {
        case .gap(let gap): writer.write(gap, project: nil, connected: [])
        case .projectGap(let id, _, let json):
            guard selector.takesAll || selector.sessions == nil else { return }
            writer.write(gap: json, id: id)
        case .entry(let entry):
            guard let log = log(entry.project), let event = log.event(entry.event, &places[entry.project]),
                selector.admits(event)
            else { return }
            writer.write(event, id: entry.id, project: entry.project)
        }
    }

    // MARK: Sending

    /// So many bytes of the passage have been taken by the client, perhaps all.
    package mutating func sent(_ count: Int, of passage: EventPassage) {
        guard count < passage.bytes.count else {
            remainder = .nothing
            gap = nil
            position = passage.end ?? position
            told = passage.told ?? told
            return
        }
        var whole = 0
        var behind: LogPlace?
        for mark in passage.marks {
            guard mark.end > count else {
                whole = mark.end
                behind = mark.place ?? behind
                told = mark.told ?? told
                gap = nil
                remainder = .nothing
                continue
            }
            if let behind { position = behind }
            guard count > whole else { return }
            let rest = mark.end - count
            if rest > Self.shortest, let event = mark.event {
                remainder = .event(event, sent: mark.base + count - whole)
            } else if rest > Self.shortest, mark.isMadeAgain {
                remainder = .again(sent: mark.base + count - whole, size: mark.base + mark.end - whole)
                return
            } else {
                remainder = .bytes(Array(passage.bytes[count..<mark.end]))
            }
            gap = nil
            position = mark.place ?? position
            told = mark.told ?? told
            return
        }
    }
}

/// Bytes for a client, and where each frame of them ends.
package struct EventPassage: Sendable {
    struct Mark: Sendable {
        /// Where the frame ends in the bytes.
        var end: Int
        /// The place behind it in the log; nil where there is none of its own.
        let place: LogPlace?
        /// The event that the frame can be made of again.
        let event: StoredEvent?
        /// Bytes of the frame that were sent before these.
        var base = 0
        /// The frame's id, where frames are made.
        var told: EventID?
        /// Whether the same frame is made again by who begins before it.
        var isMadeAgain = false
    }

    package internal(set) var bytes: [UInt8] = []
    /// Whether nothing stood behind it when it was read.
    package internal(set) var isAtEnd = false
    /// The place behind all of it, what the client does not want included.
    package internal(set) var end: LogPlace?
    /// The last frame that it holds or leaves out, where frames are made.
    var told: EventID?
    /// When something will be told that no event brings, milliseconds since 1970.
    package internal(set) var deadline: Int64?
    private(set) var marks: [Mark] = []

    /// Its first frames, so many at most.
    package func limited(to most: Int) -> EventPassage {
        guard marks.count > most else { return self }
        let last = marks[most - 1]
        var passage = self
        passage.marks.removeLast(marks.count - most)
        passage.bytes.removeLast(bytes.count - last.end)
        passage.isAtEnd = false
        passage.end = last.place
        passage.told = last.told
        return passage
    }

    mutating func note(_ end: Int, _ place: LogPlace?, _ event: StoredEvent?, base: Int = 0, told: EventID? = nil,
        isMadeAgain: Bool = false
    ) {
        marks.append(Mark(end: end, place: place, event: event, base: base, told: told, isMadeAgain: isMadeAgain))
    }

    /// Whether the rest of a frame could not be made again: what was sent of it can't be gone on with.
    package private(set) var isBroken = false

    /// Takes away what was sent of the first frame, which has this size, before.
    mutating func dropSent(_ sent: Int, size: Int) {
        guard let first = marks.first, first.end == size else {
            isBroken = true
            return
        }
        bytes.removeFirst(sent)
        for index in marks.indices { marks[index].end -= sent }
        marks[0].base = sent
    }
}
