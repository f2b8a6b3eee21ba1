internal import MappedFiles
internal import OpenCode

/// The writing side of a log: which segments there are, and what comes next.
struct SegmentWriter {
    /// A segment that is kept.
    struct Kept {
        let segment: Segment
        /// Its file's name; nil: it is in memory.
        let name: SegmentName?
        /// When its last record was written.
        var lastTime: Int64
        var gaps = 0
        /// Whether it holds nothing but a gap that the next process finds between the files, too.
        var isDerived = false

        /// Whether it is in memory and may go to the disk.
        var isMovable: Bool { name == nil && !isDerived }
    }

    /// Where segments are kept, or are to be.
    private let place: SegmentFolder?
    /// Why that must not be touched, a sentence; nil: it may be.
    var obstacle: String?
    /// Where segments may be kept now.
    var folder: SegmentFolder? { obstacle == nil ? place : nil }
    var limits: LogLimits
    /// Oldest first.
    var kept: [Kept] = []
    /// Stands for the end where none is kept.
    var origin: Segment
    /// Whether the newest segment may be written to.
    var isOpen = false
    /// Whether the newest segment was written by an earlier process, and not yet by this one.
    var isFromBefore = false
    /// Whether something of the newest segment can't be read, which no gap tells yet.
    var isDamaged = false
    /// The newest generation; 0: none.
    var generation: UInt64 = 0
    /// The first one that this process has begun; nil: none.
    var firstGeneration: UInt64?
    /// The newest event that was given an id, and when it was heard.
    var last: EventID?
    var lastTime: Int64 = 0
    /// Whether the newest record is a gap.
    var endsInGap = false
    /// Why the disk can't be used; nil: it can, or shall not be.
    var problem: String?
    /// How many bytes have to be available on a disk that was full before it is tried again.
    var roomWanted = 0
    /// Whether it is not known yet what earlier processes have left in the folder.
    var isUnread = false
    /// What was found among the segments' files and left alone.
    var strangers: [String] = []
    /// Whether the readers have to be told of something besides records.
    var hasChanged = true

    init(_ folder: SegmentFolder?, _ limits: LogLimits, obstacle: String? = nil) {
        place = folder
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
        makeRoomForMark(time: now)
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
        let sequence = last.map { $0.generation == generation ? $0.sequence + 1 : 1 } ?? 1
        let id = EventID(generation: generation, sequence: sequence)
        let length = EventRecord.length(skeleton, line: line.count)
        defer {
            last = id
            lastTime = time
        }
        guard makeRoom(length, time: time) else {
            let region = MappedRegion(memory: length)
            let record = EventRecord.write(id, time, skeleton, line: line, length: length, to: region, at: 0)
            writeGap(.retention, last: id, time: time)
            return StoredEvent(region, record, behind: place(behind: id))
        }
        let region = kept[kept.count - 1].segment.region
        let record = EventRecord.write(
            id, time, skeleton, line: line, length: length, to: region, at: region.published)
        kept[kept.count - 1].lastTime = time
        endsInGap = false
        return StoredEvent(region, record, behind: place(behind: id))
    }

    /// The place behind all that was written, of which this event is the last.
    private func place(behind id: EventID) -> LogPosition {
        let newest = kept[kept.count - 1].segment
        return LogPosition(segment: newest, offset: newest.region.published, last: id)
    }

    /// Behind the gap `id` is the last event that was given an id, whether it is kept or not.
    private mutating func writeGap(_ reason: EventGap.Reason, last id: EventID?, time: Int64) {
        makeRoomForMark(time: time)
        let index = kept.count - 1
        let region = kept[index].segment.region
        EventRecord.write(reason, from: last, last: id, time, to: region, at: region.published)
        kept[index].gaps += 1
        kept[index].lastTime = time
        endsInGap = true
        hasChanged = true
    }

    private mutating func makeRoomForMark(time: Int64) {
        let isThere = makeRoom(EventRecord.headCount, time: time)
        precondition(isThere, "the least that is kept has room for a record without a line")
    }

    /// Sees to it that the newest segment has room for a record; false: it is larger than all that may be kept.
    private mutating func makeRoom(_ length: Int, time: Int64) -> Bool {
        if isOpen, let newest = kept.last?.segment {
            if isFromBefore {
                newest.region.clear(from: newest.region.published)
                isFromBefore = false
            }
            if newest.capacity - newest.region.published >= length { return true }
        }
        return begin(length, time: time)
    }
}
