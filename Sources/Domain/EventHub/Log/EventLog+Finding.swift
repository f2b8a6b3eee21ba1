// SPDX-License-Identifier: Apache-2.0

internal import Locking
internal import MappedFiles

extension EventLog {
    /// Returns the position at which a client continues after this event. The id's frame number is ignored.
    ///
    /// - If the event is older than the kept events, the client receives a `retention` gap, then the events from the
    ///   oldest kept event on.
    /// - If the event is after the last event of a kept generation, a power failure has removed the event, or only the
    ///   memory of an ended process contained it. The client receives a `damaged` gap, then the events after that
    ///   generation. If the log already has a gap at that position, the client receives the existing gap instead.
    /// - If the event's id was never assigned, the client receives an `unknown-id` gap, then the events from now on.
    package func position(after id: EventID) -> LogSearch {
        let id = EventID(generation: id.generation, sequence: id.sequence)
        let state = shared.withLock { $0 }
        guard id.sequence > 0, id.generation > 0, id.generation <= state.generation else { return unknown }
        guard let first = state.segments.first else { return afterEmptyLog(id, state) }
        if first.header.previous == id { return .position(first.beginning) }
        let isAfter = { (segment: Segment) in segment.header.previous.map { $0 < id } ?? true }
        guard let segment = state.segments.last(where: isAfter) else { return forgotten(id, state) }
        // Segments that contain only gaps may precede this segment and begin after the same event. Search those
        // segments first.
        let alike = state.segments.filter { $0.header.previous == segment.header.previous }
        let (position, isFound) = Self.search(id, from: alike.first ?? segment, alike.dropFirst())
        if isFound { return .position(position) }
        guard let last = position.last else {
            return id.generation < state.generation ? forgotten(id, state) : unknown
        }
        // In the newest generation, only events that a gap reports can be lost. Without such a gap, the id was never
        // assigned.
        let isEndLost = last.generation == id.generation && id.generation < state.generation
        var after = position
        if case .gap = next(&after, atMost: 1).first, isEndLost || after.last.map({ id <= $0 }) ?? false {
            return .position(position)
        }
        guard isEndLost else { return unknown }
        return .gap(EventGap(.damaged, from: id, to: firstEvent(after: position)), position)
    }

    /// Returns the position before an event; nil if the event is not kept.
    package func position(before id: EventID) -> LogPosition? {
        let id = EventID(generation: id.generation, sequence: id.sequence)
        let segments = shared.withLock { $0.segments }
        guard let segment = segments.last(where: { $0.header.previous.map { $0 < id } ?? true }) else { return nil }
        var position = segment.beginning
        while let record = EventRecord(segment.region, at: position.offset, limit: segment.region.published) {
            if record.kind == .event, record.id >= id { return record.id == id ? position : nil }
            Self.step(&position, over: record)
        }
        return nil
    }

    /// Returns the position before the first record that was received at or after this time, in milliseconds since
    /// 1970.
    package func position(since time: Int64) -> LogSearch {
        let state = shared.withLock { $0 }
        guard let first = state.segments.first else { return .position(end) }
        if first.header.previous != nil, first.header.previousTime >= time {
            return .gap(EventGap(.retention, from: nil, to: firstEvent(after: first.beginning)), first.beginning)
        }
        let start = state.segments.lastIndex { $0.header.time < time } ?? 0
        for segment in state.segments[start...] {
            var position = segment.beginning
            while let record = EventRecord(segment.region, at: position.offset, limit: segment.region.published) {
                if record.time >= time { return .position(position) }
                Self.step(&position, over: record)
            }
        }
        return .position(end)
    }

    // MARK: Steps

    private var unknown: LogSearch { .gap(EventGap(.unknownID, from: nil, to: nil), end) }

    /// Returns the position at which a client continues if no segment is kept.
    private func afterEmptyLog(_ id: EventID, _ state: LogState) -> LogSearch {
        if id == state.last { return .position(end) }
        let wasAssigned = id.generation < state.generation || state.last.map { id < $0 } ?? false
        return wasAssigned ? .gap(EventGap(.retention, from: id, to: nil), end) : unknown
    }

    private func forgotten(_ id: EventID, _ state: LogState) -> LogSearch {
        let position = state.beginning
        return .gap(EventGap(.retention, from: id, to: firstEvent(after: position)), position)
    }

    /// Returns the position after the event. If the event is missing, returns the position after the last earlier
    /// event.
    private static func search(
        _ id: EventID, from first: Segment, _ others: some Sequence<Segment>
    ) -> (LogPosition, isFound: Bool) {
        var after = first.beginning
        for segment in [first] + others {
            var position = segment.beginning
            while let record = EventRecord(segment.region, at: position.offset, limit: segment.region.published) {
                if record.kind != .generation, record.id > id { break }
                let before = position.last
                step(&position, over: record)
                // A gap can represent an event that received an id and was not stored. Other gaps do not advance the
                // position.
                guard record.kind == .event || before != position.last else { continue }
                after = position
                if record.id == id { return (position, true) }
            }
        }
        return (after, false)
    }

    private static func step(_ position: inout LogPosition, over record: EventRecord) {
        position.offset = record.end
        if record.kind != .generation, record.id.sequence > 0 { position.last = record.id }
    }
}
