internal import Locking
internal import MappedFiles

extension EventLog {
    /// Where reading goes on for who has read up to this event, whatever frames were made of it.
    ///
    /// - Older than what is kept: a gap `retention`, then the oldest that is kept.
    /// - Of a generation that is kept, but behind its last event: what was lost with the power, or with the memory that it was
    ///   in. A gap `damaged`, unless another stands there, and then what follows that generation.
    /// - Never given: a gap `unknown-id`, then from now.
    package func place(behind id: EventID) -> LogSearch {
        let id = EventID(generation: id.generation, sequence: id.sequence)
        let state = shared.withLock { $0 }
        guard id.sequence > 0, id.generation > 0, id.generation <= state.generation else { return unknown }
        if id.generation == state.generation, state.last.map({ id > $0 }) ?? true { return unknown }
        guard let first = state.segments.first else {
            return id == state.last ? .place(end) : .gap(EventGap(.retention, from: id, to: nil), end)
        }
        if first.header.previous == id { return .place(first.beginning) }
        let isAfter = { (segment: Segment) in segment.header.previous.map { $0 < id } ?? true }
        guard let segment = state.segments.last(where: isAfter) else { return forgotten(id, state) }
        let (place, isFound) = Self.search(id, in: segment)
        if isFound { return .place(place) }
        if place.last == nil || place.last.map({ $0.generation < id.generation }) == true {
            let isBeforeAll = place.last == nil
            return isBeforeAll ? forgotten(id, state) : unknown
        }
        if isGap(at: place) { return .place(place) }
        return .gap(EventGap(.damaged, from: id, to: firstEvent(behind: place)), place)
    }

    /// The place before an event; nil: it is not kept.
    package func place(before id: EventID) -> LogPlace? {
        let id = EventID(generation: id.generation, sequence: id.sequence)
        let segments = shared.withLock { $0.segments }
        guard let segment = segments.last(where: { $0.header.previous.map { $0 < id } ?? true }) else { return nil }
        var place = segment.beginning
        while let record = EventRecord(segment.region, at: place.offset, limit: segment.region.published) {
            if record.kind == .event, record.id >= id { return record.id == id ? place : nil }
            Self.step(&place, over: record)
        }
        return nil
    }

    /// Before the first of what was heard at this moment or later, milliseconds since 1970.
    package func place(since time: Int64) -> LogSearch {
        let state = shared.withLock { $0 }
        guard let first = state.segments.first else { return .place(end) }
        if first.header.previous != nil, first.header.previousTime >= time {
            return .gap(EventGap(.retention, from: nil, to: firstEvent(behind: first.beginning)), first.beginning)
        }
        let start = state.segments.lastIndex { $0.header.time < time } ?? 0
        for segment in state.segments[start...] {
            var place = segment.beginning
            while let record = EventRecord(segment.region, at: place.offset, limit: segment.region.published) {
                if record.time >= time { return .place(place) }
                Self.step(&place, over: record)
            }
        }
        return .place(end)
    }

    // MARK: Steps

    private var unknown: LogSearch { .gap(EventGap(.unknownID, from: nil, to: nil), end) }

    private func forgotten(_ id: EventID, _ state: LogState) -> LogSearch {
        let place = state.beginning
        return .gap(EventGap(.retention, from: id, to: firstEvent(behind: place)), place)
    }

    /// The place behind the event, or else behind the last one before it.
    private static func search(_ id: EventID, in segment: Segment) -> (LogPlace, isFound: Bool) {
        var place = segment.beginning
        var behind = place
        while let record = EventRecord(segment.region, at: place.offset, limit: segment.region.published) {
            if record.kind != .generation, record.id > id { break }
            step(&place, over: record)
            let isGiven = record.kind == .event || (record.kind == .gap && behind.last != place.last)
            guard isGiven else { continue }
            behind = place
            if record.id == id { return (behind, true) }
        }
        return (behind, false)
    }

    private static func step(_ place: inout LogPlace, over record: EventRecord) {
        place.offset = record.end
        if record.kind != .generation, record.id.sequence > 0 { place.last = record.id }
    }

    /// Whether who reads on there is told of something missing before the next event.
    private func isGap(at place: LogPlace) -> Bool {
        var place = place
        if case .gap = next(&place, atMost: 1).first { return true }
        return false
    }
}
