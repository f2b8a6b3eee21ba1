internal import MappedFiles

/// Segments that are in memory because the disk could not be used go to the disk once it can.
extension SegmentWriter {
    /// Bytes that are left on a disk that was full: the gateway's own state is on it, too.
    private static let reserve = SegmentSizes.first

    /// A file of this size could not be made.
    mutating func diskFailed(_ error: MappedFileError, count: Int) {
        guard let folder else { return }
        problem = Self.sentence(error, folder)
        hasChanged = true
        guard error.isFull else {
            roomWanted = 0
            return
        }
        // With no more room than this it would be full again after the next segment.
        let available = (try? folder.availableBytes) ?? nil
        roomWanted = min(count, (available ?? 0) + SegmentSizes.first)
    }

    /// Tries to use a disk that could not be used.
    mutating func retryDisk(now: Int64) {
        guard problem != nil, folder != nil, limits.bytes > 0 else { return }
        if isUnread { readFolder(now: now) } else { moveToDisk() }
    }

    /// Writes the segments in memory to files, the oldest first, under the same ordinals and with the same offsets, and goes on in
    /// the newest one there. Stops at the first one that finds no room: `problem` says why.
    mutating func moveToDisk() {
        guard let folder, limits.bytes > 0 else { return }
        hasChanged = true
        removeOldest(until: max(limits.bytes, SegmentSizes.leastKept))
        let moving = kept.indices.filter { kept[$0].isMovable }
        let needed = moving.reduce(Self.reserve) { $0 + kept[$1].segment.region.count }
        var size = 0
        do throws(MappedFileError) {
            // The sentence of what was refused stays.
            if let available = try folder.availableBytes, available < max(needed, roomWanted) { return }
            for index in moving {
                size = kept[index].segment.region.count
                try move(index, to: folder)
            }
            (problem, roomWanted) = (nil, 0)
        } catch {
            diskFailed(error, count: size)
        }
    }

    private mutating func move(_ index: Int, to folder: SegmentFolder) throws(MappedFileError) {
        let segment = kept[index].segment
        let header = segment.header
        let name = SegmentName(generation: header.generation, sequence: header.nextSequence)
        let made = try folder.make(name, count: segment.region.count) { segment.copy(to: $0) }
        let moved = segment.moved(to: made.region)
        kept[index] = Kept(
            segment: moved, name: made.name, lastTime: kept[index].lastTime, gaps: kept[index].gaps)
    }
}

extension SegmentHeader {
    /// The sequence of the first event that may stand in the segment.
    fileprivate var nextSequence: UInt64 {
        previous.map { $0.generation == generation ? $0.sequence + 1 : 1 } ?? 1
    }
}
