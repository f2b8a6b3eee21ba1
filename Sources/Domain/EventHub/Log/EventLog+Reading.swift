// SPDX-License-Identifier: Apache-2.0

internal import Locking
internal import MappedFiles

extension EventLog {
    /// The position after all current records of the log.
    package var end: LogPosition {
        let state = shared.withLock { $0 }
        let newest = state.segments.last ?? state.origin
        return LogPosition(segment: newest, offset: newest.region.published, last: state.last)
    }

    /// The position before all stored records.
    package var beginning: LogPosition { shared.withLock { $0.beginning } }

    /// Returns whether the log currently has no records after a position.
    package func isAtEnd(_ position: LogPosition) -> Bool {
        let (newest, segment) = shared.withLock { ($0.segments.last ?? $0.origin, $0.current(position.segment)) }
        return newest.ordinal <= segment.ordinal && position.offset >= segment.region.published
    }

    /// Returns the items after a position, and advances the position. The result is empty if nothing follows the
    /// position.
    ///
    /// If segments were removed before they were read, the result contains a gap, and reading continues at the oldest
    /// segment. If a segment has moved from memory to a file, reading continues at the same offset in the file.
    ///
    /// - Parameter bytes: The maximum total size of the records that are read. If records follow, at least one record
    ///   is read, even if the record is larger than this size.
    package func next(_ position: inout LogPosition, atMost bytes: Int) -> [LogItem] {
        var items: [LogItem] = []
        var size = 0
        while true {
            let limit = position.segment.region.published
            while position.offset < limit {
                guard let record = EventRecord(position.segment.region, at: position.offset, limit: limit) else {
                    // The record is invalid, because another program has changed the mapped file. Report the remaining
                    // records of the segment as missing.
                    let from = position.last
                    position.offset = limit
                    items.append(.gap(EventGap(.damaged, from: from, to: firstEvent(after: position)), after: position))
                    break
                }
                if !items.isEmpty, size + record.length > bytes { return items }
                size += record.length
                items.append(contentsOf: item(record, &position))
            }
            guard let next = segment(after: position.segment) else { return items }
            guard next.ordinal > position.segment.ordinal else {
                position.segment = next
                continue
            }
            // The writer may have added records to this segment before it began the next segment. Read these records
            // first.
            guard position.offset >= position.segment.region.published else { continue }
            let isHole = next.ordinal != position.segment.ordinal + 1 && next.header.previous != position.last
            let from = position.last
            position = next.beginning
            if isHole {
                items.append(.gap(EventGap(.retention, from: from, to: firstEvent(after: position)), after: position))
            }
        }
    }

    /// Returns the events after a position, up to and including `last`, that satisfy `isWanted`. Gaps are ignored.
    package func events(
        from position: LogPosition, through last: EventID, where isWanted: (StoredEvent) -> Bool
    ) -> [StoredEvent] {
        var position = position
        var events: [StoredEvent] = []
        while true {
            let items = next(&position, atMost: 1 << 20)
            if items.isEmpty { return events }
            for case .event(let event) in items {
                if event.id > last { return events }
                if isWanted(event) { events.append(event) }
            }
        }
    }

    /// A summary of the stored events.
    package var summary: LogSummary {
        let state = shared.withLock { $0 }
        return LogSummary(
            first: firstEvent(after: state.beginning), last: state.last, bytes: state.bytes, gaps: state.gaps)
    }

    // MARK: Steps

    /// Returns the items that a reader receives for a record, and moves the position past the record.
    private func item(_ record: EventRecord, _ position: inout LogPosition) -> [LogItem] {
        let region = position.segment.region
        position.offset = record.end
        switch record.kind {
        case .event:
            position.last = record.id
            return [.event(StoredEvent(region, record, after: position))]
        case .gap:
            if record.id.sequence > 0 { position.last = record.id }
            guard let gap = record.gap(in: region) else { return [] }
            return [.gap(EventGap(gap.reason, from: gap.from, to: firstEvent(after: position)), after: position)]
        case .generation: return []
        }
    }

    /// Returns the first event after a position; nil if there is none yet.
    func firstEvent(after position: LogPosition) -> EventID? {
        var segment: Segment? = position.segment
        var offset = position.offset
        while let current = segment {
            let limit = current.region.published
            while offset < limit, let record = EventRecord(current.region, at: offset, limit: limit) {
                if record.kind == .event { return record.id }
                offset = record.end
            }
            let next = self.segment(after: current)
            if let next, next.ordinal > current.ordinal { offset = SegmentHeader.count }
            segment = next
        }
        return nil
    }

    /// Returns the segment in which a reader continues at the end of this segment; nil if there is none. If the segment
    /// has moved from memory to a file, returns the file. In all other cases, returns the next segment.
    private func segment(after segment: Segment) -> Segment? {
        shared.withLock { state in
            let current = state.current(segment)
            guard current.region === segment.region else { return current }
            // Avoid a search for readers of the newest segment, because most readers are there.
            guard let newest = state.segments.last, newest.ordinal > segment.ordinal else { return nil }
            return state.segments.first { $0.ordinal > segment.ordinal }
        }
    }
}
