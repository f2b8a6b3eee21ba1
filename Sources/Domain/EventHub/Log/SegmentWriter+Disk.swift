// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles

/// Moves segments from memory to the disk. The segments are in memory because the disk could not be used.
extension SegmentWriter {
    /// The number of bytes that stay free on a disk that was full, because the disk also contains the gateway's own
    /// state.
    private static let reserve = SegmentSizes.first

    /// Handles the failure to create a file of this size.
    mutating func diskFailed(_ error: MappedFileError, count: Int) {
        guard let folder else { return }
        problem = Self.sentence(error, folder)
        hasChanged = true
        guard error.isFull else {
            roomWanted = 0
            return
        }
        // If the gateway used only the space that is available now, the disk would be full again after the next
        // segment. Therefore, require more space.
        let available = (try? folder.availableBytes) ?? nil
        roomWanted = min(count, (available ?? 0) + SegmentSizes.first)
    }

    /// Tries again to use a disk that could not be used before.
    mutating func retryDisk(now: Int64) {
        guard problem != nil, folder != nil, limits.bytes > 0 else { return }
        if isUnread { readFolder(now: now) } else { moveToDisk() }
    }

    /// Writes the segments in memory to files, the oldest first, and continues in the newest file. The segments keep
    /// their ordinals and offsets. The method stops at the first segment that does not fit on the disk, and sets
    /// `problem` to the reason.
    mutating func moveToDisk() {
        guard let folder, limits.bytes > 0 else { return }
        hasChanged = true
        removeOldest(until: max(limits.bytes, SegmentSizes.leastKept))
        let moving = kept.indices.filter { kept[$0].isMovable }
        let needed = moving.reduce(Self.reserve) { $0 + kept[$1].segment.region.count }
        var size = 0
        do throws(MappedFileError) {
            // If too little space is available, keep the message of the previous failure.
            if let available = try folder.availableBytes, available < max(needed, roomWanted) { return }
            for index in moving {
                size = kept[index].segment.region.count
                try move(index, to: folder)
            }
            problem = nil
            roomWanted = 0
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
    /// The sequence of the first event that the segment may contain.
    fileprivate var nextSequence: UInt64 {
        previous.map { $0.generation == generation ? $0.sequence + 1 : 1 } ?? 1
    }
}
