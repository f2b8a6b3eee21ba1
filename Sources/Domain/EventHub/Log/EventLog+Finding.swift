// SPDX-License-Identifier: Apache-2.0

internal import Locking
internal import MappedFiles

extension EventLog {
    /// Returns the position at which reading continues for a client that has received this event. Ignores the part of
    /// the id that counts the frames of an event.
    ///
    /// - If the event is older than the stored events, the client receives a gap `retention`, then all stored events.
    /// - If the event is newer than the last stored event of its generation, the event was lost in a power failure or
    ///   never written to the disk. The client receives a gap `damaged`, or the gap that the log contains there. The
    ///   client then receives the events of the later generations.
    /// - If the event's id was never assigned, the client receives a gap `unknown-id`, then new events only.
    package func position(after id: EventID) -> LogSearch {
        let id = EventID(generation: id.generation, sequence: id.sequence)
        let state = shared.withLock { $0 }
        guard id.sequence > 0, id.generation > 0, id.generation <= state.generation else { return unknown }
        guard let first = state.segments.first else { return afterEmptyLog(id, state) }
        if first.header.previous == id { return .position(first.beginning) }
        let isAfter = { (segment: Segment) in segment.header.previous.map { $0 < id } ?? true }
        guard let segment = state.segments.last(where: isAfter) else { return forgotten(id, state) }
        // The found segment may follow segments that contain only gaps and begin after the same event. Search these
        // segments first.
        let alike = state.segments.filter { $0.header.previous == segment.header.previous }
        let (position, isFound) = Self.search(id, from: alike.first ?? segment, alike.dropFirst())
        if isFound { return .position(position) }
        guard let last = position.last else {
            return id.generation < state.generation ? forgotten(id, state) : unknown
        }
        // In the newest generation, a gap reports each loss of events. Without a gap, the id was never assigned.
        let isEndLost = last.generation == id.generation && id.generation < state.generation
        var after = position
        if case .gap = next(&after, atMost: 1).first, isEndLost || after.last.map({ id <= $0 }) ?? false {
            return .position(position)
        }
        guard isEndLost else { return unknown }
        return .gap(EventGap(.damaged, from: id, to: firstEvent(after: position)), position)
    }

    /// Returns the position before an event; nil if the log does not contain the event.
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

    /// Returns the position before the first record with this time or a later one, in milliseconds since 1970.
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

    /// Returns the position at which reading continues in a log without segments.
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
