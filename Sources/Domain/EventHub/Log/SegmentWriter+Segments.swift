// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import MappedFiles

/// Begins new segments and removes the oldest segments.
extension SegmentWriter {
    /// Begins a segment that has space for a record. Returns false if the record exceeds the log's maximum size.
    mutating func createSegment(_ length: Int, time: Int64) -> Bool {
        let least = SegmentHeader.count + length
        // Move the segments in memory to the disk first, because the files must be in the order of their contents.
        if !isUnread, problem != nil || kept.contains(where: \.isMovable) { moveToDisk() }
        if let folder, limits.bytes > 0, problem == nil {
            let budget = max(limits.bytes, SegmentSizes.leastKept)
            // Derive the size from the last segment with a file, and not from later segments in memory. On a full disk,
            // a small segment would use the remaining free space.
            let previous = kept.last { $0.name != nil }?.segment.capacity
            guard let size = SegmentSizes.next(after: previous, least: least, kept: budget) else { return false }
            removeOldest(until: budget - size)
            let header = header(size, time)
            let name = SegmentName(generation: generation, sequence: nextSequence)
            do throws(MappedFileError) {
                let made = try folder.make(name, count: size) { header.write(to: $0) }
                problem = nil
                add(Segment(made.region, header, ordinal: newestOrdinal + 1), name: made.name, time: time)
                return true
            } catch {
                diskFailed(error, count: size)
            }
        }
        return beginInMemory(least, time: time)
    }

    private mutating func beginInMemory(_ least: Int, time: Int64) -> Bool {
        let budget = memoryBudget
        // Choose the ordinal before removing segments, because the new segment must not reuse the ordinal of a removed
        // segment.
        let ordinal = newestOrdinal + 1
        let previous = kept.last.flatMap { $0.name == nil ? $0.segment.capacity : nil }
        guard let size = SegmentSizes.next(after: previous, least: least, kept: budget) else { return false }
        var inMemory = kept.reduce(0) { $0 + ($1.name == nil ? $1.segment.region.count : 0) }
        // Remove only segments in memory. Segments on the disk stay until their limits are reached, and a gap reports
        // the missing events after them.
        while inMemory > budget - size, let oldest = kept.firstIndex(where: { $0.name == nil }) {
            inMemory -= kept[oldest].segment.region.count
            kept.remove(at: oldest)
        }
        add(.inMemory(header(size, time), ordinal: ordinal), name: nil, time: time)
        return true
    }

    /// The maximum size in bytes of the segments in memory.
    private var memoryBudget: Int {
        guard folder != nil, limits.bytes > 0 else { return LogLimits.memoryBytes }
        return min(max(limits.bytes, SegmentSizes.leastKept), LogLimits.memoryBytes)
    }

    private func header(_ size: Int, _ time: Int64) -> SegmentHeader {
        SegmentHeader(
            capacity: size, generation: generation, previous: last, previousTime: lastTime, time: time,
            followsMemory: kept.last.map { $0.name == nil } ?? false)
    }

    /// The id of the next event of the generation.
    var nextID: EventID { EventID(generation: generation, sequence: nextSequence) }

    private var nextSequence: UInt64 { last.map { $0.generation == generation ? $0.sequence + 1 : 1 } ?? 1 }

    var newestOrdinal: UInt64 { kept.last?.segment.ordinal ?? origin.ordinal }

    mutating func add(_ segment: Segment, name: SegmentName?, time: Int64) {
        kept.append(Kept(segment: segment, name: name, lastTime: time))
        isOpen = true
        isFromBefore = false
        hasChanged = true
    }

    static func sentence(_ error: MappedFileError, _ folder: SegmentFolder) -> String {
        let remedy =
            error.isFull
            ? "Free space on the disk (`df \(folder.state)`)"
            : "Make the gateway's user the owner of the directory, with mode 0700"
        return "Events are kept in memory only, because \(error). \(remedy). The gateway tries again automatically."
    }

    // MARK: Removing

    /// Removes segments that are older than the retention time.
    mutating func trim(now: Int64) {
        removeOlder(than: now - limits.time.milliseconds)
    }

    /// Removes the oldest segments, up to the first segment whose last record is not older than this time.
    mutating func removeOlder(than time: Int64) {
        removeOldest(kept.prefix { $0.lastTime < time }.count)
    }

    /// Removes the oldest segments until the remaining segments have at most this many bytes.
    mutating func removeOldest(until bytes: Int) {
        var total = kept.reduce(0) { $0 + $1.segment.region.count }
        var count = 0
        while total > bytes, count < kept.count {
            total -= kept[count].segment.region.count
            count += 1
        }
        removeOldest(count)
    }

    /// Removes this many segments, the oldest first. A reader whose position is in a removed segment can still read the
    /// segment.
    mutating func removeOldest(_ count: Int) {
        let count = min(count, kept.count)
        guard count > 0 else { return }
        if count == kept.count {
            origin = Self.origin(generation: generation, last: last, ordinal: newestOrdinal)
            isOpen = false
        }
        folder?.remove(kept.prefix(count).compactMap(\.name))
        kept.removeFirst(count)
        hasChanged = true
    }

    /// Removes all segments, and the directory if it is empty. Called when events may no longer be stored on the disk.
    mutating func removeFromDisk() {
        problem = nil
        isUnread = false
        removeOldest(kept.count)
        folder?.removeIfEmpty()
    }

    /// Applies new limits.
    mutating func change(_ limits: LogLimits, now: Int64) {
        let isEnded = limits.bytes == 0 && self.limits.bytes > 0
        self.limits = limits
        if isEnded {
            removeFromDisk()
        } else if limits.bytes > 0 {
            removeOldest(until: max(limits.bytes, SegmentSizes.leastKept))
        }
        trim(now: now)
    }
}
