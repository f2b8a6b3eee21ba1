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

    /// The project's name; empty where all projects' events are read.
    package let project: String
    /// How events stand in the stream.
    package let shape: EventShape
    /// Whether each frame is a chunk (RFC 9112 §7.1).
    package let isChunked: Bool
    /// Which events it wants.
    package var selector: EventSelector
    /// The form of growing texts.
    package var form = EventEncoding.raw
    /// Whether it is told everything in OpenCode 1's words.
    package var isOpenCode1Compatible = false
    /// How often it may be told of a growing text in a second; nil: as often as the instance says something. Then neighbouring
    /// pieces are merged.
    package var maxRate: Int?
    /// The last frame that was told, where a form makes them.
    var told: EventID?
    /// The event that it began behind, all of whose frames it does not want.
    private(set) var begun: EventID?
    var hasBegun = false
    /// The last of all projects' events before it joined these streams without having read any; nil: it goes on behind an event.
    var joined: EventID?
    /// The first gap that it has passed since then, by projects.
    var gaps: [String: EventID] = [:]
    /// The last event that is told, where the stream ends with one.
    package var until: EventID?
    var start: Start
    var position: LogPosition
    var remainder = Remainder.nothing
    /// A gap that is told first.
    var gap: EventGap?

    /// A place; `now` is where everything stands before that the instance has said so far.
    package init(
        _ start: Start, now: LogPosition, project: String, shape: EventShape, isChunked: Bool, selector: EventSelector
    ) {
        self.project = project
        self.shape = shape
        self.isChunked = isChunked
        self.selector = selector
        self.start = start
        position = now
    }

    /// The place behind everything that was taken.
    package var place: LogPosition { position }

    /// Goes to a place up to which everything was sent; only where frames are copied rather than made.
    package mutating func stand(at place: LogPosition) { position = place }

    /// The last event before that; nil also while it was not looked for where it begins.
    package var last: EventID? {
        guard case .now = start else { return nil }
        return isFormed ? told : position.last
    }

    /// The frame up to which the client was told everything, where frames are made: of the event that it began behind, all of them.
    package var lastFrame: EventID? {
        guard let told, told.frame == 0, told.isOfEvent(begun) else { return told }
        return begun
    }

    /// Where it begins, as long as that was not looked for.
    package var begins: Start { start }

    /// Whether frames are made for it rather than copied.
    package var isFormed: Bool { form != .raw || maxRate != nil || isOpenCode1Compatible }

    /// Whether everything up to its place was sent, so that it may go on with what comes now.
    package var isSettled: Bool {
        guard case .nothing = remainder, start == .now, gap == nil else { return false }
        return true
    }

    /// Whether no frame has been sent in part.
    package var isBetweenFrames: Bool { if case .nothing = remainder { true } else { false } }

    /// Whether the last event that is to be told was.
    package var isFinished: Bool {
        guard let until, let last, isSettled else { return false }
        return last >= until
    }

    // MARK: Reading

    /// The next bytes for the client, about `limit` of them; `connected` is the frame that OpenCode's clients get behind a gap.
    package mutating func read(_ log: EventLog, atMost limit: Int, connected: [UInt8]) -> EventBatch {
        find(in: log)
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventBatch()
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
    package mutating func write(_ items: [LogItem], upTo place: LogPosition, connected: [UInt8]) -> EventBatch {
        var writer = FrameWriter(shape, isChunked: isChunked)
        var passage = EventBatch()
        add(items, upTo: place, to: &writer, &passage, connected)
        passage.isAtEnd = true
        passage.end = place
        passage.bytes = writer.bytes
        return passage
    }

    private mutating func add(
        _ items: [LogItem], upTo place: LogPosition, to writer: inout FrameWriter, _ passage: inout EventBatch,
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

    private func isPast(_ place: LogPosition) -> Bool {
        guard let until, let last = place.last else { return false }
        return last >= until
    }

    /// Finds the place where it begins.
    mutating func find(in log: EventLog) {
        defer {
            if !hasBegun, let told, told.frame == 0 {
                begun = EventID(generation: told.generation, sequence: told.sequence, frame: .max)
            }
            hasBegun = true
            start = .now
        }
        switch start {
        case .now: if told == nil { told = position.last }
        case .behind(let id):
            take(log.place(behind: id))
            // Frames that were made of an event stand behind the event itself.
            if case .none = gap { told = id } else { told = position.last }
        case .time(let time):
            take(since: log.place(since: time))
            told = position.last
        case .unknown:
            told = position.last
            gap = EventGap(.unknownID, from: nil, to: nil)
        }
    }

    /// Takes the place that a time has, but none behind where everything stood when it was asked for: before a time that is yet
    /// to come stands what is said from then on.
    mutating func take(since search: LogSearch) {
        let asked = position
        take(search)
        if let last = position.last, asked.last.map({ last > $0 }) ?? true { position = asked }
    }

    mutating func take(_ search: LogSearch) {
        switch search {
        case .place(let place): position = place
        case .gap(let found, let place):
            gap = found
            position = place
        }
    }

    // MARK: Sending

    /// So many bytes of the passage have been taken by the client, perhaps all.
    package mutating func sent(_ count: Int, of passage: EventBatch) {
        guard count < passage.bytes.count else {
            remainder = .nothing
            gap = nil
            position = passage.end ?? position
            told = passage.told ?? told
            return
        }
        var whole = 0
        var behind: LogPosition?
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
