// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// A scan of a segment that an earlier process wrote. The scan finds the end of the complete records.
struct SegmentScan {
    /// The offset of the first record that is missing or incomplete.
    private(set) var end = SegmentHeader.count
    /// Whether the segment contained data other than complete records, or was truncated.
    private(set) var isDamaged = false
    private(set) var generation: UInt64
    private(set) var last: EventID?
    private(set) var lastTime: Int64
    private(set) var gaps = 0
    /// Whether the last record is a gap.
    private(set) var endsInGap = false
    /// Whether the segment contains no record.
    var isEmpty: Bool { end == SegmentHeader.count }

    init(_ region: MappedRegion, _ header: SegmentHeader) {
        generation = header.generation
        last = header.previous
        lastTime = header.time
        let limit = min(header.capacity, region.count)
        while limit - end >= EventRecord.headCount {
            guard region.number32(at: end) != 0 else {
                isDamaged = Self.hasLostPage(region, at: end, limit: limit)
                return
            }
            guard let record = EventRecord(region, at: end, limit: limit), record.isWhole(in: region),
                follows(record, region)
            else {
                isDamaged = true
                return
            }
            end = record.end
            lastTime = record.time
            endsInGap = record.kind == .gap
        }
        // A truncated file may have contained more records, so treat it as damaged.
        isDamaged = region.count < header.capacity
    }

    /// Returns whether a record is a valid successor of the previous records. Updates the state from a valid record.
    private mutating func follows(_ record: EventRecord, _ region: MappedRegion) -> Bool {
        let next = EventID(
            generation: generation,
            sequence: last.map { $0.generation == generation ? $0.sequence &+ 1 : 1 } ?? 1)
        switch record.kind {
        case .event:
            guard record.id == next, generation > 0 else { return false }
            last = record.id
        case .gap:
            guard let gap = record.gap(in: region), gap.from == last else { return false }
            let isTooLarge = record.id == next && gap.reason == .retention && generation > 0
            guard isTooLarge || record.id == last ?? EventID(generation: 0, sequence: 0) else { return false }
            if isTooLarge { last = record.id }
            gaps += 1
        case .generation:
            guard record.id.generation > generation else { return false }
            generation = record.id.generation
        }
        return true
    }

    /// Returns whether a power failure has reverted a page after `end`, a position at which no record's length is
    /// stored. A process writes in order, so a process that is interrupted leaves at most the beginning of a record
    /// after `end`. A power failure can revert single pages, so that later records remain.
    private static func hasLostPage(_ region: MappedRegion, at end: Int, limit: Int) -> Bool {
        guard var index = region.firstNonzero(from: end) else { return false }
        if index >= limit { return false }
        if region.number64(at: end + 8) == 0 { return true }
        // The data is either a record that was being written, or a record whose length is lost. After a record whose
        // length is lost, another record may follow.
        var tries = 64
        while tries > 0, index < limit {
            if let record = EventRecord(region, at: index, limit: limit) {
                tries -= 1
                if record.isWhole(in: region) { return true }
            }
            guard let next = region.firstNonzero(from: index + 8) else { return false }
            index = next
        }
        return false
    }
}
