// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles
internal import OpenCodeFamilies

/// The writer of a log, with its segments and the state for the next record.
struct SegmentWriter {
    /// A stored segment and the name of its file.
    struct Kept {
        let segment: Segment
        /// The name of the segment's file; nil if the segment is in memory.
        let name: SegmentName?
        /// The time of the last event or gap.
        var lastTime: Int64
        var gaps = 0
        /// Whether the segment contains only a gap that the next process will also find between the files.
        var isDerived = false

        /// Whether the segment is in memory and may be moved to the disk.
        var isMovable: Bool { name == nil && !isDerived }
    }

    /// The directory that contains the segments, or will contain them.
    private let configuredFolder: SegmentFolder?
    /// The reason why the directory must not be accessed, as a message; nil if it may be accessed.
    var obstacle: String?
    /// The directory that may contain segments now.
    var folder: SegmentFolder? { obstacle == nil ? configuredFolder : nil }
    var limits: LogLimits
    /// The stored segments, oldest first.
    var kept: [Kept] = []
    /// The segment that represents the end of the log if no segment is kept.
    var origin: Segment
    /// Whether the newest segment may be written to.
    var isOpen = false
    /// Whether an earlier process has created the newest segment, and this process has not written to it yet.
    var isFromBefore = false
    /// Whether the newest segment is damaged, and no gap reports the damage yet.
    var isDamaged = false
    /// The newest generation; 0 if there is none.
    var generation: UInt64 = 0
    /// The first generation that this process has begun; nil if it has begun none.
    var firstGeneration: UInt64?
    /// The newest event that received an id, and the time at which the gateway received it.
    var last: EventID?
    var lastTime: Int64 = 0
    /// Whether the newest record is a gap.
    var endsInGap = false
    /// A message with the reason why the disk cannot be used; nil if it can be used, or must not be used.
    var problem: String?
    /// The number of bytes that must be available before the gateway uses a disk that was full.
    var roomWanted = 0
    /// Whether the segments that earlier processes stored in the directory have not been read yet.
    var isUnread = false
    /// Messages about files in the directory that the gateway ignores.
    var strangers: [String] = []
    /// Whether the readers need an updated ``LogState``.
    var hasChanged = true

    init(_ folder: SegmentFolder?, _ limits: LogLimits, obstacle: String? = nil) {
        configuredFolder = folder
        self.limits = limits
        self.obstacle = obstacle
        origin = Self.origin(generation: 0, last: nil, ordinal: obstacle == nil ? 0 : Self.lateOrdinal)
    }

    static func origin(generation: UInt64, last: EventID?, ordinal: UInt64) -> Segment {
        let header = SegmentHeader(capacity: SegmentHeader.count, generation: generation, previous: last, time: 0)
        return .inMemory(header, ordinal: ordinal)
    }

    var state: LogState {
        LogState(
            segments: kept.map(\.segment), origin: origin, generation: generation, last: last,
            bytes: kept.reduce(0) { $0 + $1.segment.region.count }, gaps: kept.reduce(0) { $0 + $1.gaps },
            warning: warning, isWaitingForDisk: problem != nil && folder != nil && limits.bytes > 0)
    }

    var sizes: [LogSegment] {
        kept.map { LogSegment(bytes: $0.segment.region.count, lastTime: $0.lastTime, isFile: $0.name != nil) }
    }

    private var warning: String? {
        let hindrance = limits.bytes > 0 ? obstacle.map { "Events are kept in memory only: \($0)" } : nil
        let sentences = [hindrance, problem].compactMap { $0 } + strangers
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    // MARK: Writing

    mutating func beginGeneration(now: Int64, after reason: EventGap.Reason?) -> UInt64 {
        if let reason { append(gap: reason, time: now) }
        let next = max(generation + 1, UInt64(max(now, 1)))
        makeRoomForGap(time: now)
        let segment = kept[kept.count - 1].segment
        EventRecord.write(generation: next, now, to: segment.region, at: segment.region.published)
        generation = next
        endsInGap = false
        firstGeneration = firstGeneration ?? next
        hasChanged = true
        return next
    }

    mutating func append(gap reason: EventGap.Reason, time: Int64) {
        writeGap(reason, last: last, time: time)
    }

    mutating func append(_ skeleton: EventSkeleton, line: borrowing Span<UInt8>, time: Int64) -> StoredEvent {
        if generation == 0 { _ = beginGeneration(now: time, after: nil) }
        let id = nextID
        let length = EventRecord.length(skeleton, line: line.count)
        defer {
            last = id
            lastTime = time
        }
        guard makeRoom(length, time: time) else {
            let region = MappedRegion(memory: length)
            let record = EventRecord.write(
                id, time: time, skeleton: skeleton, line: line, length: length, to: region, at: 0)
            writeGap(.retention, last: id, time: time)
            return StoredEvent(region, record, after: position(after: id))
        }
        let region = kept[kept.count - 1].segment.region
        let record = EventRecord.write(
            id, time: time, skeleton: skeleton, line: line, length: length, to: region, at: region.published)
        kept[kept.count - 1].lastTime = time
        endsInGap = false
        return StoredEvent(region, record, after: position(after: id))
    }

    /// Returns the position after all written records.
    ///
    /// - Parameter id: The last event.
    private func position(after id: EventID) -> LogPosition {
        let newest = kept[kept.count - 1].segment
        return LogPosition(segment: newest, offset: newest.region.published, last: id)
    }

    /// Writes a gap.
    ///
    /// - Parameter id: The last event that received an id, even if the event was not stored.
    private mutating func writeGap(_ reason: EventGap.Reason, last id: EventID?, time: Int64) {
        makeRoomForGap(time: time)
        let index = kept.count - 1
        let region = kept[index].segment.region
        EventRecord.write(reason, from: last, last: id, time, to: region, at: region.published)
        kept[index].gaps += 1
        kept[index].lastTime = time
        endsInGap = true
        hasChanged = true
    }

    private mutating func makeRoomForGap(time: Int64) {
        let isThere = makeRoom(EventRecord.headCount, time: time)
        precondition(isThere, "the smallest log has room for a record without a line")
    }

    /// Ensures that the newest segment has space for a record. Returns false if the record exceeds the log's maximum
    /// size.
    private mutating func makeRoom(_ length: Int, time: Int64) -> Bool {
        if isOpen, let newest = kept.last?.segment {
            if isFromBefore {
                newest.region.clear(from: newest.region.published)
                isFromBefore = false
            }
            if newest.capacity - newest.region.published >= length { return true }
        }
        return createSegment(length, time: time)
    }
}
